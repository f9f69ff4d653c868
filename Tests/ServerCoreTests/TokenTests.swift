import RecordModel
import ServerCore
import ServerStorageConformance
import TestSupport
import Testing

struct TokenTests {
    @Test(.holds("I13"))
    func refusesATokenOfWhichAnyBitIsFlipped() throws {
        var fixture = try ServerFixture()
        try fixture.save(note("a"))
        let token = try fixture.page().changeToken
        for bit in 0..<8 * token.bytes.count {
            var bytes = token.bytes
            bytes[bit / 8] ^= 1 << UInt8(bit % 8)
            let altered = ServerChangeToken(bytes: bytes)
            #expect(code { _ = try fixture.page(since: altered) } == .changeTokenExpired)
        }
        #expect(try fixture.page(since: token).modifications.isEmpty)
    }

    @Test(.holds("H32", "I13"))
    func answersEveryUnusableTokenWithTheSameError() throws {
        var fixture = try ServerFixture()
        try fixture.save(zone: lists)
        let token = try fixture.page().changeToken
        var generator = SeededGenerator(seed: 1)
        var tokens = [0, 1, 89, 90, 91, 10_000].map { count in
            ServerChangeToken(
                bytes: (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
            )
        }
        tokens.append(try fixture.databasePage().changeToken)
        tokens.append(try fixture.page(of: lists).changeToken)
        tokens.append(ServerChangeToken(bytes: token.bytes + [0]))
        tokens.append(ServerChangeToken(bytes: token.bytes.dropLast()))
        let errors = tokens.map { token in error { _ = try fixture.page(since: token) } }
        #expect(errors.allSatisfy { $0 == errors[0] })
        #expect(errors[0]?.code == .changeTokenExpired)
        let zoneToken = fixtureError(&fixture, databaseToken: token)
        #expect(zoneToken == errors[0])
    }

    @Test(.holds("I13"))
    func refusesATokenOfAnotherAccount() throws {
        var fixture = try ServerFixture()
        try fixture.server.createAccount("bob", at: fixture.now)
        let bob = ServerCaller(account: "bob", deviceID: "phone")
        try fixture.save(zone: notes, from: bob)
        let token = try fixture.page().changeToken
        #expect(code { _ = try fixture.page(since: token, from: bob) } == .changeTokenExpired)
        let databaseToken = try fixture.databasePage().changeToken
        #expect(
            code { _ = try fixture.databasePage(since: databaseToken, from: bob) }
                == .changeTokenExpired
        )
    }

    @Test(.holds("I13"))
    func refusesATokenOfAnotherZoneMadeByTheSameCommit() throws {
        var fixture = try ServerFixture()
        let zoneIDs = ["x", "y"].map { RecordZone.ID(zoneName: $0) }
        let request = ModifyZonesRequest(zonesToSave: zoneIDs.map { RecordZone(zoneID: $0) })
        _ = try fixture.server.modifyZones(request, from: phone, at: fixture.now)
        let token = try fixture.page(of: zoneIDs[0]).changeToken
        #expect(
            code { _ = try fixture.page(of: zoneIDs[1], since: token) } == .changeTokenExpired
        )
    }

    @Test(.holds("I13"))
    func refusesATokenMadeUnderAnotherKey() throws {
        var fixture = try ServerFixture()
        var other = try ServerFixture { $0.tokenKey = [UInt8](repeating: 1, count: 32) }
        let token = try other.page().changeToken
        #expect(code { _ = try fixture.page(since: token) } == .changeTokenExpired)
    }

    @Test(.holds("I13"))
    func refusesATokenOfAnEarlierEpoch() throws {
        var fixture = try ServerFixture()
        let token = try fixture.page().changeToken
        let databaseToken = try fixture.databasePage().changeToken
        try fixture.server.startNewEpoch(at: fixture.now)
        #expect(code { _ = try fixture.page(since: token) } == .changeTokenExpired)
        #expect(code { _ = try fixture.databasePage(since: databaseToken) } == .changeTokenExpired)
        #expect(code { _ = try fixture.page(since: try fixture.page().changeToken) } == nil)
    }

    @Test(.holds("H34", "H39"))
    func startsANewEpochWhenATokenLiesBeyondTheHead() throws {
        var fixture = try ServerFixture()
        try fixture.save(note("a"))
        let oldToken = try fixture.page().changeToken
        let backup = fixture.server
        try fixture.save(note("b"))
        let lateToken = try fixture.page().changeToken
        fixture.server = backup
        #expect(code { _ = try fixture.page(since: lateToken) } == .changeTokenExpired)
        #expect(code { _ = try fixture.page(since: oldToken) } == .changeTokenExpired)
        let token = try fixture.page().changeToken
        #expect(try fixture.page(since: token).modifications.isEmpty)
        try fixture.save(note("c"))
        #expect(try fixture.page(since: token).savedNames == ["c"])
    }

    @Test(.holds("H34"))
    func noticesATokenBeyondTheHeadThoughItsZoneIsMissing() throws {
        var fixture = try ServerFixture()
        let databaseToken = try fixture.databasePage().changeToken
        let backup = fixture.server
        try fixture.save(zone: lists)
        let token = try fixture.page(of: lists).changeToken
        fixture.server = backup
        #expect(code { _ = try fixture.page(of: lists, since: token) } == .changeTokenExpired)
        #expect(code { _ = try fixture.databasePage(since: databaseToken) } == .changeTokenExpired)
    }

    @Test(.holds("H39"))
    func refusesTheTokensOfAStorageThatWasWiped() throws {
        var fixture = try ServerFixture()
        try fixture.save(note("a"))
        let token = try fixture.page().changeToken
        var wiped = try ServerFixture()
        wiped.server = Server(storage: MemoryStorage(), configuration: wiped.server.configuration)
        wiped.now.millisecondsSince1970 += 1
        try wiped.server.createAccount("ann", at: wiped.now)
        try wiped.save(zone: notes)
        for name in ["b", "c", "d"] { try wiped.save(note(name)) }
        #expect(code { _ = try wiped.page(since: token) } == .changeTokenExpired)
    }

    @Test func makesTwoRestoresOfOneBackupTwoEpochs() throws {
        var first = try ServerFixture()
        first.now.millisecondsSince1970 += 1000
        var second = first
        try first.server.startNewEpoch(at: first.now)
        second.now.millisecondsSince1970 += 1
        try second.server.startNewEpoch(at: second.now)
        let token = try first.page().changeToken
        #expect(code { _ = try second.page(since: token) } == .changeTokenExpired)
    }

    @Test(.holds("I9"))
    func neverUsesAChangeTagAgainInANewEpoch() throws {
        var fixture = try ServerFixture()
        let backup = fixture.server
        let lost = try fixture.save(note("a"))
        fixture.server = backup
        try fixture.server.startNewEpoch(at: fixture.now)
        #expect(try fixture.save(note("a")).recordChangeTag != lost.recordChangeTag)
    }

    @Test func expiresTheTokensOfOneZone() throws {
        var fixture = try ServerFixture()
        try fixture.save(zone: lists)
        let databaseToken = try fixture.databasePage().changeToken
        let token = try fixture.page().changeToken
        let other = try fixture.page(of: lists).changeToken
        try fixture.server.expireTokens(of: notes, of: phone, at: fixture.now)
        #expect(code { _ = try fixture.page(since: token) } == .changeTokenExpired)
        #expect(code { _ = try fixture.page(of: lists, since: other) } == nil)
        #expect(try fixture.databasePage(since: databaseToken).changedNames == ["notes"])
        #expect(code { _ = try fixture.page(since: try fixture.page().changeToken) } == nil)
    }

    @Test(.holds("H18", "H32"))
    func listsWithDeletionsPageByPageAfterTheTokensExpired() throws {
        var fixture = try ServerFixture()
        try fixture.send([note("a"), note("b"), note("c")])
        try fixture.delete(id("b"))
        try fixture.server.expireTokens(of: notes, of: phone, at: fixture.now)
        #expect(try fixture.listWithDeletions(pageCount: 1) == ["a", "c", "-b"])
    }

    @Test func expiresAListingWithDeletionsWhenSomeAreForgottenMeanwhile() throws {
        var fixture = try ServerFixture()
        try fixture.send([note("a"), note("b"), note("c")])
        try fixture.delete(id("b"))
        let request = ZoneChangesRequest(
            zoneID: notes,
            since: nil,
            resultsLimit: 1,
            includesDeletions: true
        )
        let page = try fixture.server.zoneChanges(request, from: phone, at: fixture.now)
        fixture.pass(days: 31)
        try fixture.server.removeExpired(at: fixture.now)
        #expect(code { _ = try fixture.page(since: page.changeToken) } == .changeTokenExpired)
        // From anew it lists what is remembered.
        #expect(try fixture.listWithDeletions(pageCount: 1) == ["a", "c"])
    }

    @Test func expiresAllTokensOfADatabase() throws {
        var fixture = try ServerFixture()
        let tokens = [notes, .default].map { zone in try? fixture.page(of: zone).changeToken }
        let databaseToken = try fixture.databasePage().changeToken
        try fixture.server.expireAllTokens(of: phone, at: fixture.now)
        #expect(code { _ = try fixture.databasePage(since: databaseToken) } == .changeTokenExpired)
        #expect(code { _ = try fixture.page(since: tokens[0]) } == .changeTokenExpired)
        #expect(
            code { _ = try fixture.page(of: .default, since: tokens[1]) } == .changeTokenExpired
        )
        #expect(code { _ = try fixture.page(since: try fixture.page().changeToken) } == nil)
    }

    private func fixtureError(
        _ fixture: inout ServerFixture,
        databaseToken: ServerChangeToken
    ) -> SyncError? {
        error { _ = try fixture.databasePage(since: databaseToken) }
    }
}

private func error(_ body: () throws -> Void) -> SyncError? {
    do {
        try body()
        return nil
    } catch {
        return error as? SyncError
    }
}

extension ServerFixture {
    /// Lists the zone from the beginning, deletions too, in pages of a size.
    fileprivate mutating func listWithDeletions(pageCount: Int) throws -> [String] {
        var names: [String] = []
        var token: ServerChangeToken?
        while true {
            let request = ZoneChangesRequest(
                zoneID: notes,
                since: token,
                resultsLimit: pageCount,
                includesDeletions: true
            )
            let page = try server.zoneChanges(request, from: phone, at: now)
            names += page.savedNames + page.deletedNames.map { "-" + $0 }
            token = page.changeToken
            guard page.moreComing else { return names }
        }
    }
}
