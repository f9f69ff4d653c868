import MemoryCloud
import RecordModel
import RecordSync
import TestSupport
import Testing

struct AdministrationTests {
    private let fixture: CloudFixture
    private var cloud: InMemoryCloud { fixture.cloud }

    init() throws { fixture = try CloudFixture() }

    private enum Ending: CaseIterable {
        case deleted, purged, reset
    }

    private func end(_ ending: Ending) throws -> Database.DatabaseChange.Deletion.Reason {
        switch ending {
        case .deleted:
            try cloud.deleteZone(fixture.zoneID, account: fixture.account)
            return .deleted
        case .purged:
            try cloud.purgeZone(fixture.zoneID, account: fixture.account)
            return .purged
        case .reset:
            try cloud.resetEncryptedData(in: fixture.zoneID, account: fixture.account)
            return .encryptedDataReset
        }
    }

    @Test(arguments: Ending.allCases)
    private func aZoneThatEndsIsListedWithItsReason(ending: Ending) async throws {
        let before = try await fixture.zones()
        let reason = try end(ending)
        let reply = try await fixture.zones(since: before.changeToken)
        #expect(reply.deletions == [.init(zoneID: fixture.zoneID, reason: reason)])
        #expect(fixture.names == [])
    }

    @Test func savesAndDeletesAsAnotherDeviceDoes() async throws {
        let before = try await fixture.changes()
        try cloud.save([fixture.record("old", text: "new")], account: fixture.account)
        try cloud.delete([fixture.id("missing")], account: fixture.account)
        let saved = try await fixture.changes(since: before.changeToken)
        #expect(saved.modifications.map { $0.record["text"] } == ["new"])
        try cloud.delete([fixture.id("old")], account: fixture.account)
        let deleted = try await fixture.changes(since: saved.changeToken)
        #expect(deleted.deletions.map(\.recordID) == [fixture.id("old")])
    }

    // MARK: Tokens

    /// Whether a token of the database and one of the zone are expired after something.
    private func expiry(after body: () throws -> Void) async throws -> [Bool] {
        let database = try await fixture.zones().changeToken
        let zone = try await fixture.changes().changeToken
        try body()
        let codes = [
            await code { () throws(SyncError) in _ = try await fixture.zones(since: database) },
            await code { () throws(SyncError) in _ = try await fixture.changes(since: zone) },
        ]
        for code in codes { #expect(code == nil || code == .changeTokenExpired) }
        return codes.map { $0 != nil }
    }

    @Test func tokensOfAZoneExpireAlone() async throws {
        let expiry = try await expiry {
            try cloud.expireTokens(of: fixture.zoneID, account: fixture.account)
        }
        #expect(expiry == [false, true])
    }

    @Test func tokensOfTheDatabaseExpireAlone() async throws {
        let expiry = try await expiry {
            try cloud.expireDatabaseTokens(account: fixture.account)
        }
        #expect(expiry == [true, false])
    }

    @Test func allTokensExpireTogether() async throws {
        let expiry = try await expiry { try cloud.expireAllTokens(account: fixture.account) }
        #expect(expiry == [true, true])
    }

    @Test func aNewEpochExpiresAllTokens() async throws {
        let expiry = try await expiry { try cloud.startNewEpoch() }
        #expect(expiry == [true, true])
        #expect(fixture.names == ["old"])
    }

    @Test func newTokensAreGood() async throws {
        try cloud.expireAllTokens(account: fixture.account)
        #expect(try await expiry {} == [false, false])
    }

    // MARK: Backups

    @Test func aBackupBringsBackWhatWasThere() async throws {
        let backup = cloud.backup()
        _ = try await fixture.save("lost")
        let token = try await fixture.changes().changeToken
        try cloud.restore(backup)
        #expect(fixture.names == ["old"])
        #expect(
            await code { () throws(SyncError) in _ = try await fixture.changes(since: token) }
                == .changeTokenExpired
        )
    }

    @Test func aServerFindsOutThatItWasPutBackWithoutBeingTold() async throws {
        let backup = cloud.backup()
        let old = try await fixture.zones().changeToken
        _ = try await fixture.save("lost")
        let token = try await fixture.changes().changeToken
        try cloud.restore(backup, startingNewEpoch: false)
        #expect(
            await code { () throws(SyncError) in _ = try await fixture.changes(since: token) }
                == .changeTokenExpired
        )
        // From then on it is a new history for everybody.
        #expect(
            await code { () throws(SyncError) in _ = try await fixture.zones(since: old) }
                == .changeTokenExpired
        )
    }

    // MARK: The clock

    @Test(.holds("H105"))
    func aClockThatStepsBackLosesNoChange() async throws {
        _ = try await fixture.save("first")
        let first = try await fixture.changes()
        cloud.moveClock(by: .seconds(-3600))
        #expect(cloud.time.millisecondsSince1970 == 1_800_000_000_000 - 3_600_000)
        let saved = try cloud.save([fixture.record("first", text: "2")], account: "alice")
        let second = try saved[0].get()
        let before = try #require(first.modifications.last?.record)
        #expect(second.recordChangeTag != before.recordChangeTag)
        let later = try #require(second.modification).timestamp
        #expect(try #require(before.modification).timestamp < later)
        // Whoever had the version from before the step is told of the one after it.
        let news = try await fixture.changes(since: first.changeToken)
        #expect(news.modifications.map(\.record) == [second])
        // And a save built on the old version is a conflict, not an overwrite.
        var stale = before
        stale["text"] = "3"
        let request = ModifyRecordsRequest(recordsToSave: [stale])
        let reply = try await fixture.a.modifyRecords(request, account: "alice")
        #expect(reply.codes == [.serverRecordChanged])
    }

    @Test func deletionsAreForgottenAfterTheirRetention() async throws {
        let token = try await fixture.changes().changeToken
        try cloud.delete([fixture.id("old")], account: fixture.account)
        // The clock stood still, so the deletion is stamped a millisecond after the save.
        cloud.moveClock(by: .seconds(30 * 24 * 60 * 60) + .milliseconds(1))
        try cloud.removeExpired()
        #expect(try await fixture.changes(since: token).deletions.count == 1)
        cloud.moveClock(by: .milliseconds(1))
        try cloud.removeExpired()
        #expect(
            await code { () throws(SyncError) in _ = try await fixture.changes(since: token) }
                == .changeTokenExpired
        )
    }
}
