import MemoryCloud
import RecordModel
import RecordSync
import TestSupport
import Testing

struct InspectionTests {
    private let fixture: CloudFixture
    private var cloud: InMemoryCloud { fixture.cloud }

    init() throws { fixture = try CloudFixture() }

    @Test func showsWhatTheServerHas() async throws {
        let reply = try await fixture.save("n")
        let saved = try reply.saveResults[0].get()
        #expect(cloud.record(fixture.id("n"), account: "alice") == saved)
        #expect(cloud.record(fixture.id("missing"), account: "alice") == nil)
        #expect(cloud.records(in: .init(zoneName: "Missing"), account: "alice") == [])
        #expect(cloud.zoneIDs(account: "alice") == [fixture.zoneID])
        #expect(cloud.zoneIDs(account: "nobody") == [])
    }

    @Test func showsWhatTheServerHasOfAnAccountThatMayNotBeUsed() throws {
        try cloud.setStanding(.restricted, account: "alice")
        #expect(fixture.names == ["old"])
    }

    @Test func tellsTheHistoryOfARecord() async throws {
        _ = try await fixture.save("n", key: 1)
        _ = try await fixture.save("n", from: fixture.b)
        try cloud.delete([fixture.id("n")], account: "alice")
        let history = cloud.history(of: fixture.id("n"), account: "alice")
        #expect(history.map(\.stamp.deviceID) == ["A", "B", "administrator"])
        #expect(history.map(\.key) == [CloudFixture.key(1), nil, nil])
        guard case .saved(let saved) = history[0].action,
            case .refused(let refused, .serverRecordChanged) = history[1].action,
            case .deleted = history[2].action
        else {
            Issue.record("another history: \(history)")
            return
        }
        #expect(saved["text"] == "text")
        #expect(refused["text"] == "text")
    }

    @Test func logsEveryRequestWithWhatBecameOfIt() async throws {
        cloud.inject(.nth(2, .loseRequest).on(.modifyRecords))
        cloud.inject(.nth(2, .loseAnswer).on(.modifyRecords))
        _ = try await fixture.save("n", "m")
        _ = try? await fixture.save("lost")
        _ = try? await fixture.save("taken")
        _ = try? await fixture.changes(since: ServerChangeToken(bytes: []))
        #expect(
            cloud.log.map(\.summary) == [
                "2 saves, 0 deletions", "1 saves, 0 deletions", "1 saves, 0 deletions",
                "Notes, since a token",
            ]
        )
        #expect(cloud.log.map(\.number) == [1, 2, 3, 4])
        let outcomes = cloud.log.map(\.outcome)
        #expect(outcomes[0] == .answered)
        guard case .failed(let failed) = outcomes[1], case .answerLost(let lost) = outcomes[2],
            case .refused(let refused) = outcomes[3]
        else {
            Issue.record("other outcomes: \(outcomes)")
            return
        }
        #expect(failed.code == .networkFailure)
        #expect(lost.code == .serverResponseLost)
        #expect(refused.code == .changeTokenExpired)
    }

    @Test func countsRequestsByKindAndDevice() async throws {
        cloud.setOnline(false, device: "B")
        _ = try await fixture.save("n")
        _ = try? await fixture.save("m", from: fixture.b)
        _ = try await fixture.changes()
        #expect(cloud.requestCount() == 3)
        #expect(cloud.requestCount(of: .modifyRecords) == 2)
        #expect(cloud.requestCount(from: "A") == 2)
        #expect(cloud.requestCount(of: .zoneChanges, from: "B") == 0)
        #expect(cloud.writeRequestCount() == 2)
        #expect(cloud.writeRequestCount(from: "A") == 1)
        cloud.clearLog()
        #expect(cloud.requestCount() == 0)
        #expect(cloud.log == [])
    }

    @Test func lookingMakesNoRequest() {
        _ = fixture.names
        _ = cloud.history(of: fixture.id("old"), account: "alice")
        #expect(cloud.requestCount() == 0)
    }

    @Test func keepsTheNewestThousandRequests() async throws {
        for _ in 0..<2500 { _ = try await fixture.zones() }
        #expect(cloud.log.map(\.number) == Array(1501...2500))
        #expect(cloud.log.allSatisfy { $0.outcome == .answered })
        #expect(cloud.requestCount() == 2500)
    }
}
