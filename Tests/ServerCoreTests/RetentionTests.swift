import RecordModel
import ServerCore
import TestSupport
import Testing

struct RetentionTests {
    @Test(.holds("H18"))
    func expiresTokensFromBeforeAForgottenDeletion() throws {
        var fixture = try ServerFixture()
        try fixture.send([note("a"), note("b")])
        let before = try fixture.page().changeToken
        fixture.now.millisecondsSince1970 += 10
        try fixture.delete(id("a"))
        let after = try fixture.page().changeToken
        fixture.pass(days: 30)
        try fixture.server.removeExpired(at: fixture.now)
        #expect(try fixture.page(since: before).deletedNames == ["a"])
        fixture.now.millisecondsSince1970 += 1
        try fixture.server.removeExpired(at: fixture.now)
        #expect(code { _ = try fixture.page(since: before) } == .changeTokenExpired)
        #expect(try fixture.page(since: after).deletions.isEmpty)
        #expect(try fixture.page().savedNames == ["b"])
    }

    @Test func expiresATokenInTheMiddleOfACommitOfForgottenDeletions() throws {
        var fixture = try ServerFixture()
        try fixture.send([note("a"), note("b")])
        let before = try fixture.page().changeToken
        try fixture.send(deleting: deletions("a", "b"))
        let middle = try fixture.page(since: before, limit: 1)
        #expect(middle.deletedNames == ["a"])
        fixture.pass(days: 31)
        try fixture.server.removeExpired(at: fixture.now)
        #expect(code { _ = try fixture.page(since: middle.changeToken) } == .changeTokenExpired)
    }

    @Test func letsAListingGoOnThatBeganAfterTheForgottenDeletions() throws {
        var fixture = try ServerFixture()
        try fixture.send([note("a"), note("b"), note("c")])
        try fixture.delete(id("c"))
        let page = try fixture.page(limit: 1)
        fixture.pass(days: 31)
        try fixture.server.removeExpired(at: fixture.now)
        #expect(try fixture.page(since: page.changeToken).savedNames == ["b"])
    }

    @Test func forgetsADeletedZoneAndExpiresOlderTokensOfTheDatabase() throws {
        var fixture = try ServerFixture()
        let before = try fixture.databasePage().changeToken
        try fixture.delete(zone: notes)
        let after = try fixture.databasePage().changeToken
        fixture.pass(days: 30)
        try fixture.server.removeExpired(at: fixture.now)
        #expect(try fixture.databasePage(since: before).deletions.count == 1)
        fixture.now.millisecondsSince1970 += 1
        try fixture.server.removeExpired(at: fixture.now)
        #expect(code { _ = try fixture.databasePage(since: before) } == .changeTokenExpired)
        #expect(code { _ = try fixture.databasePage(since: after) } == nil)
    }

    @Test func forgetsMoreTombstonesThanOneStepTakes() throws {
        var fixture = try ServerFixture()
        for batch in 0..<9 {
            try fixture.send((0..<250).map { note("\(batch)-\($0)") })
            let deletions = (0..<250).map { RecordDeletion(recordID: id("\(batch)-\($0)")) }
            try fixture.send(deleting: deletions)
        }
        let zone = ZoneKey(
            database: .init(account: "ann", scope: .private),
            zoneName: "notes",
            generation: 1
        )
        fixture.pass(days: 31)
        try fixture.server.removeExpired(at: fixture.now)
        let page = fixture.server.storage.records(
            in: zone,
            after: .start,
            hidingTombstonesThrough: 0,
            limit: PageLimit(countMax: 1)
        )
        #expect(page.rows.isEmpty)
    }

    @Test func forgetsTheDeletionsOfEveryAccount() throws {
        var fixture = try ServerFixture()
        let callers = (0..<3).map { ServerCaller(account: "user\($0)", deviceID: "phone") }
        var tokens: [ServerChangeToken] = []
        for caller in callers {
            try fixture.server.createAccount(caller.account, at: fixture.now)
            try fixture.save(note("a", in: .default), from: caller)
            tokens.append(try fixture.page(of: .default, from: caller).changeToken)
            try fixture.delete(id("a", in: .default), from: caller)
        }
        fixture.pass(days: 31)
        try fixture.server.removeExpired(at: fixture.now)
        for (caller, token) in zip(callers, tokens) {
            #expect(
                code { _ = try fixture.page(of: .default, since: token, from: caller) }
                    == .changeTokenExpired
            )
        }
    }

    @Test func forgetsHistoryAndWithItTheAncestor() throws {
        var fixture = try ServerFixture()
        let first = try fixture.save(note("a", "one"))
        fixture.pass(days: 31)
        var second = first
        second["text"] = "two"
        try fixture.save(second)
        try fixture.server.removeExpired(at: fixture.now)
        #expect(try fixture.server.history(of: id("a"), of: phone).count == 1)
        let result = try fixture.send([first]).saveResults[0]
        guard case .failure(let error) = result else {
            Issue.record("a stale save was taken")
            return
        }
        #expect(error.code == .serverRecordChanged)
        #expect(error.ancestorRecord == nil)
    }

    @Test func remembersKeysFor90Days() throws {
        var fixture = try ServerFixture()
        let request = SendOutcomeRequest(idempotencyKey: key(1))
        let reply = try fixture.send([note("a")], key: key(1))
        fixture.pass(days: 90)
        try fixture.server.removeExpired(at: fixture.now)
        #expect(
            try fixture.server.outcome(of: request, from: phone, at: fixture.now) == .known(reply)
        )
        fixture.now.millisecondsSince1970 += 1
        try fixture.server.removeExpired(at: fixture.now)
        #expect(
            try fixture.server.outcome(of: request, from: phone, at: fixture.now) == .closed
        )
    }
}
