import MemoryCloud
import RecordModel
import RecordSync
import TestSupport
import Testing

struct LimitTests {
    private let fixture: CloudFixture
    private var cloud: InMemoryCloud { fixture.cloud }

    init() throws { fixture = try CloudFixture() }

    @Test func refusesABatchBeyondTheLimitAndTakesOneAtIt() async throws {
        cloud.setLimits(RequestLimits(batchCountMax: 2))
        #expect(fixture.a.limits.batchCountMax == 2)
        let error = await code { () throws(SyncError) in _ = try await fixture.save("a", "b", "c") }
        #expect(error == .limitExceeded)
        #expect(try await fixture.save("a", "b").codes == [nil, nil])
    }

    @Test func canAnnounceMoreThanItTakes() async throws {
        cloud.setLimits(RequestLimits(batchCountMax: 2), announced: .standard)
        #expect(fixture.a.limits == .standard)
        let error = await code { () throws(SyncError) in _ = try await fixture.save("a", "b", "c") }
        #expect(error == .limitExceeded)
    }

    @Test func givesPagesOfTheSizeThatWasSet() async throws {
        _ = try await fixture.save("a", "b", "c")
        cloud.setPageSize(3)
        let first = try await fixture.changes()
        #expect(first.modifications.count == 3)
        #expect(first.moreComing)
        let second = try await fixture.changes(since: first.changeToken)
        #expect(second.modifications.count == 1)
        #expect(!second.moreComing)
    }

    @Test func refusesWhatGoesBeyondTheQuota() async throws {
        let used = cloud.usedByteCount(account: fixture.account)
        _ = try await fixture.save("a")
        let size = cloud.usedByteCount(account: fixture.account) - used
        #expect(size > 0)
        cloud.setQuota(byteCount: used + 2 * size)
        #expect(try await fixture.save("b", "c").codes == [nil, .quotaExceeded])
        cloud.setQuota(byteCount: nil)
        #expect(try await fixture.save("c").codes == [nil])
    }

    @Test func anAccountsOwnQuotaCountsForItAlone() async throws {
        cloud.setQuota(byteCount: 0, account: "alice")
        #expect(try await fixture.save("n").codes == [.quotaExceeded])
        let saved = try cloud.save([fixture.record("n")], account: "bob")
        #expect(ModifyRecordsReply(saveResults: saved, deleteErrors: []).codes == [nil])
        cloud.setQuota(byteCount: nil, account: "alice")
        #expect(try await fixture.save("n").codes == [nil])
    }
}
