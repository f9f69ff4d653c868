import MemoryCloud
import RecordModel
import RecordSync
import TestSupport
import Testing

struct NotificationTests {
    private let fixture: CloudFixture
    private var cloud: InMemoryCloud { fixture.cloud }

    init() throws { fixture = try CloudFixture() }

    /// The hints that a connection got while a body ran.
    ///
    /// A sign-out follows the body: its hint ends the wait.
    private func hints(
        on database: any SyncDatabase,
        device: String,
        _ body: () async throws -> Void
    ) async throws -> [DatabaseNotification] {
        let stream = database.notifications()
        try await body()
        cloud.setOnline(true, device: device)
        cloud.setPushSilent(false)
        cloud.setPushSilent(false, device: device)
        cloud.signOut(device: device)
        var hints: [DatabaseNotification] = []
        for await hint in stream {
            if hint == .accountChanged { break }
            hints.append(hint)
        }
        return hints
    }

    @Test func aCommitHintsTheOtherDevices() async throws {
        let hints = try await hints(on: fixture.b, device: "B") { _ = try await fixture.save("n") }
        #expect(hints == [.databaseChanged])
    }

    @Test func aDeviceIsNotHintedOfItsOwnCommits() async throws {
        let hints = try await hints(on: fixture.a, device: "A") { _ = try await fixture.save("n") }
        #expect(hints == [])
    }

    @Test func whatChangesNothingHintsNobody() async throws {
        let hints = try await hints(on: fixture.b, device: "B") {
            _ = try await fixture.changes()
            // Refused, so nothing was stored.
            #expect(try await fixture.save("old").codes == [.serverRecordChanged])
            let zone = RecordZone(zoneID: fixture.zoneID)
            _ = try await fixture.a.modifyZones(
                ModifyZonesRequest(zonesToSave: [zone]),
                account: fixture.account
            )
        }
        #expect(hints == [])
    }

    @Test func anotherAccountAndAnotherDatabaseAreNotHinted() async throws {
        let bob = cloud.database(.private, account: "bob", device: "bob's")
        let shared = cloud.database(.shared, account: "alice", device: "C")
        let bobsHints = try await hints(on: bob, device: "bob's") {
            _ = try await fixture.save("n")
        }
        let sharedHints = try await hints(on: shared, device: "C") {
            _ = try await fixture.save("m")
        }
        #expect(bobsHints == [])
        #expect(sharedHints == [])
    }

    @Test func aHintFollowsTheAccountThatIsSignedIn() async throws {
        let bob = cloud.database(.private, account: "bob", device: "bob's")
        cloud.signIn("alice", device: "bob's")
        let hints = try await hints(on: bob, device: "bob's") { _ = try await fixture.save("n") }
        #expect(hints == [.databaseChanged])
    }

    @Test func aLostAnswerAndALateRequestHintToo() async throws {
        let hints = try await hints(on: fixture.b, device: "B") {
            cloud.inject(.next(.loseAnswer).on(.modifyRecords))
            _ = try? await fixture.save("n")
            cloud.inject(.next(.arriveLate).on(.modifyRecords))
            _ = try? await fixture.save("m")
            cloud.deliverLateRequests()
        }
        #expect(hints == [.databaseChanged, .databaseChanged])
    }

    @Test func hintsOfSilencedAndOfflineDevicesAreLost() async throws {
        let hints = try await hints(on: fixture.b, device: "B") {
            cloud.setPushSilent(true)
            _ = try await fixture.save("a")
            cloud.setPushSilent(false)
            cloud.setPushSilent(true, device: "B")
            _ = try await fixture.save("b")
            cloud.setPushSilent(false, device: "B")
            cloud.setOnline(false, device: "B")
            _ = try await fixture.save("c")
            cloud.setOnline(true, device: "B")
            _ = try await fixture.save("d")
        }
        #expect(hints == [.databaseChanged])
    }

    @Test func everyChangeOfTheAccountHintsItsDevices() async throws {
        var hints = fixture.b.notifications().makeAsyncIterator()
        cloud.signOut(device: "B")
        cloud.signIn("alice", device: "B")
        try cloud.setStanding(.restricted, account: "alice")
        for _ in 0..<3 { #expect(await hints.next() == .accountChanged) }
    }

    @Test func anAdministratorsWorkHintsAllDevices() async throws {
        let hints = try await hints(on: fixture.b, device: "B") {
            try cloud.purgeZone(fixture.zoneID, account: fixture.account)
        }
        #expect(hints == [.databaseChanged])
    }

    @Test func theStreamsEndWithTheCloud() async {
        var cloud: InMemoryCloud? = InMemoryCloud()
        let stream = cloud?.database(.private, account: "alice", device: "A").notifications()
        cloud = nil
        var hints = stream?.makeAsyncIterator()
        #expect(await hints?.next() == nil)
    }
}
