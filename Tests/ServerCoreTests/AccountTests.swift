import RecordModel
import ServerCore
import TestSupport
import Testing

struct AccountTests {
    @Test func answersWhatAnAccountMayDo() throws {
        var fixture = try ServerFixture()
        #expect(
            try fixture.server.accountStatus(of: "ann") == .available(userRecordName: "ann")
        )
        #expect(try fixture.server.accountStatus(of: "bob") == .noAccount)
        let bob = ServerCaller(account: "bob", deviceID: "phone")
        #expect(code { try fixture.save(note("a"), from: bob) } == .notAuthenticated)
        try fixture.server.setStanding(.restricted, of: "ann")
        #expect(try fixture.server.accountStatus(of: "ann") == .restricted)
        #expect(code { try fixture.save(note("a")) } == .managedAccountRestricted)
        try fixture.server.setStanding(.temporarilyUnavailable, of: "ann")
        #expect(try fixture.server.accountStatus(of: "ann") == .temporarilyUnavailable)
        #expect(code { _ = try fixture.page() } == .accountTemporarilyUnavailable)
        try fixture.server.setStanding(.available, of: "ann")
        #expect(code { _ = try fixture.page() } == nil)
    }

    @Test func keepsAnAccountThatIsMadeAgain() throws {
        var fixture = try ServerFixture()
        try fixture.save(note("a"))
        let token = try fixture.page().changeToken
        let byteCount = try fixture.server.usedByteCount(of: "ann")
        try fixture.server.createAccount("ann", at: fixture.now)
        #expect(try fixture.server.usedByteCount(of: "ann") == byteCount)
        #expect(try fixture.page(since: token).modifications.isEmpty)
        #expect(try fixture.page().savedNames == ["a"])
    }

    @Test(arguments: ["", "ü", RecordZone.ID.currentUserName, String(repeating: "x", count: 256)])
    func refusesABadName(name: String) throws {
        var fixture = try ServerFixture()
        let now = fixture.now
        #expect(code { try fixture.server.createAccount(name, at: now) } == .invalidArguments)
    }

    @Test func remembersTheDevicesThatWrote() throws {
        var fixture = try ServerFixture()
        let start = fixture.now
        fixture.now.millisecondsSince1970 += 1
        try fixture.save(note("a"))
        try fixture.save(note("b"), from: laptop)
        #expect(
            try fixture.server.devices(of: "ann") == [
                StoredDevice(deviceID: "laptop", firstSeen: fixture.now, lastSeen: fixture.now),
                StoredDevice(deviceID: "phone", firstSeen: start, lastSeen: fixture.now),
            ]
        )
    }

    @Test(.holds("I26"))
    func answersOneAccountTheSameWhateverAnotherDoes() throws {
        var alone = try ServerFixture()
        var together = try ServerFixture()
        let bob = ServerCaller(account: "bob", deviceID: "tablet")
        try alone.server.createAccount("bob", at: alone.now)
        try together.server.createAccount("bob", at: together.now)
        for step in 0..<5 {
            try together.save(note("b\(step)", in: .default), from: bob, key: key(UInt64(step)))
            let record = note("a\(step)", "text")
            let number = key(UInt64(step))
            #expect(
                try alone.send([record], key: number) == together.send([record], key: number)
            )
            #expect(try alone.page() == together.page())
            #expect(try alone.databasePage() == together.databasePage())
        }
    }
}
