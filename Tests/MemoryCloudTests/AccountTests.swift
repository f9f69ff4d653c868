import MemoryCloud
import RecordModel
import RecordSync
import TestSupport
import Testing

struct AccountTests {
    private let fixture: CloudFixture
    private var cloud: InMemoryCloud { fixture.cloud }

    init() throws { fixture = try CloudFixture() }

    @Test func aConnectionSignsItsAccountInUnlessOneIsOrWasSignedIn() async throws {
        #expect(cloud.account(onDevice: "A") == "alice")
        _ = cloud.database(.private, account: "bob", device: "A")
        #expect(cloud.account(onDevice: "A") == "alice")
        cloud.signOut(device: "A")
        _ = cloud.database(.private, account: "bob", device: "A")
        #expect(cloud.account(onDevice: "A") == nil)
        #expect(try await fixture.a.accountStatus() == .noAccount)
    }

    @Test func nothingIsDoneForAnAccountThatIsNotSignedIn() async throws {
        cloud.signIn("bob", device: "A")
        #expect(try await fixture.a.accountStatus() == .available(userRecordName: "bob"))
        let error = await code { () throws(SyncError) in _ = try await fixture.save("n") }
        #expect(error == .notAuthenticated)
        #expect(fixture.names == ["old"])
    }

    @Test func accountsDoNotSeeEachOther() async throws {
        cloud.signIn("bob", device: "A")
        let reply = try await fixture.a.databaseChanges(
            DatabaseChangesRequest(since: nil),
            account: "bob"
        )
        #expect(reply.modifications == [])
        #expect(cloud.records(in: fixture.zoneID, account: "bob") == [])
    }

    @Test func aStandingKeepsTheAccountFromUse() async throws {
        try cloud.setStanding(.restricted, account: "alice")
        #expect(try await fixture.a.accountStatus() == .restricted)
        #expect(
            await code { () throws(SyncError) in _ = try await fixture.save("n") }
                == .managedAccountRestricted
        )
        try cloud.setStanding(.temporarilyUnavailable, account: "alice")
        #expect(try await fixture.a.accountStatus() == .temporarilyUnavailable)
        #expect(
            await code { () throws(SyncError) in _ = try await fixture.save("n") }
                == .accountTemporarilyUnavailable
        )
        try cloud.setStanding(.available, account: "alice")
        #expect(try await fixture.save("n").codes == [nil])
    }

    @Test func aNameThatNoAccountCanHaveIsRefused() async {
        let database = cloud.database(.private, account: "", device: "C")
        await #expect(throws: SyncError.self) { try await database.accountStatus() }
    }

    @Test func anOfflineDeviceReachesNothing() async throws {
        cloud.setOnline(false, device: "A")
        #expect(
            await code { () throws(SyncError) in _ = try await fixture.save("n") }
                == .networkUnavailable
        )
        await #expect(throws: SyncError.self) { try await fixture.a.accountStatus() }
        _ = try await fixture.save("b", from: fixture.b)
        cloud.setOnline(true, device: "A")
        #expect(try await fixture.save("n").codes == [nil])
    }
}
