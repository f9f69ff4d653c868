import RecordModel
import ServerCore
import TestSupport
import Testing

struct KeyTests {
    @Test(.holds("I11", "H109"))
    func answersTheSameSendAsTheFirstTimeWithoutAnotherEffect() throws {
        var fixture = try ServerFixture()
        let first = try fixture.send([note("a", "one")], key: key(1))
        let token = try fixture.page().changeToken
        fixture.now.millisecondsSince1970 += 5000
        for _ in 0..<3 {
            #expect(try fixture.send([note("a", "one")], key: key(1)) == first)
        }
        #expect(try fixture.page(since: token).modifications.isEmpty)
    }

    @Test(.holds("H109"))
    func answersARepeatedSendAsTheFirstTimeThoughSomebodyEditedSince() throws {
        var fixture = try ServerFixture()
        let first = try fixture.send([note("a", "one")], key: key(1))
        var edit = try first.saveResults[0].get()
        edit["text"] = "theirs"
        let theirs = try fixture.save(edit, from: laptop)
        #expect(try fixture.send([note("a", "one")], key: key(1)) == first)
        #expect(try fixture.lookUp(id("a")) == theirs)
        #expect(code { try fixture.save(note("a", "one"), key: key(2)) } == .serverRecordChanged)
    }

    @Test(.holds("I11"))
    func repeatsARefusalToo() throws {
        var fixture = try ServerFixture()
        try fixture.save(note("a"))
        let first = try fixture.send([note("a")], key: key(1))
        try fixture.delete(id("a"))
        #expect(first.saveCodes == [.serverRecordChanged])
        #expect(try fixture.send([note("a")], key: key(1)) == first)
    }

    @Test func refusesAnotherRequestUnderAUsedKey() throws {
        var fixture = try ServerFixture()
        try fixture.send([note("a", "one")], key: key(1))
        #expect(
            code { try fixture.send([note("a", "two")], key: key(1)) } == .constraintViolation
        )
        #expect(
            code { try fixture.send([note("a", "one")], isAtomic: true, key: key(1)) }
                == .constraintViolation
        )
        #expect(try fixture.lookUp(id("a"))["text"] == "one")
    }

    @Test func keepsTheKeysOfAccountsApart() throws {
        var fixture = try ServerFixture()
        try fixture.server.createAccount("bob", at: fixture.now)
        let bob = ServerCaller(account: "bob", deviceID: "phone")
        try fixture.send([note("a", "ann's")], key: key(1))
        let reply = try fixture.send([note("b", in: .default)], from: bob, key: key(1))
        #expect(reply.saveCodes == [nil])
    }

    @Test func tellsTheOutcomeOfASendThatArrived() throws {
        var fixture = try ServerFixture()
        let reply = try fixture.send([note("a")], key: key(1))
        let request = SendOutcomeRequest(idempotencyKey: key(1))
        let outcome = try fixture.server.outcome(of: request, from: laptop, at: fixture.now)
        #expect(outcome == .known(reply))
    }

    @Test(.holds("I11"))
    func closesTheKeyOfASendThatDidNotArriveAndRefusesItLater() throws {
        var fixture = try ServerFixture()
        let request = SendOutcomeRequest(idempotencyKey: key(1))
        for _ in 0..<2 {
            let outcome = try fixture.server.outcome(of: request, from: phone, at: fixture.now)
            #expect(outcome == .closed)
        }
        #expect(code { try fixture.send([note("a")], key: key(1)) } == .serverRejectedRequest)
        #expect(code { _ = try fixture.lookUp(id("a")) } == .unknownItem)
        #expect(code { try fixture.send([note("a")], key: key(2)) } == nil)
    }

    @Test func keepsNoKeyOfARequestThatWasRefusedAsAWhole() throws {
        var fixture = try ServerFixture { $0.limits.batchCountMax = 1 }
        let both = [note("a"), note("b")]
        #expect(code { try fixture.send(both, key: key(1)) } == .limitExceeded)
        #expect(try fixture.send([note("a")], key: key(1)).saveCodes == [nil])
    }

    @Test(.holds("I11"))
    func deletesAZoneOnceHoweverOftenItIsSent() throws {
        var fixture = try ServerFixture()
        let request = ModifyZonesRequest(zoneIDsToDelete: [notes], idempotencyKey: key(1))
        let first = try fixture.server.modifyZones(request, from: phone, at: fixture.now)
        try fixture.save(zone: notes, from: laptop)
        try fixture.save(note("a"), from: laptop)
        #expect(try fixture.server.modifyZones(request, from: phone, at: fixture.now) == first)
        #expect(try fixture.page().savedNames == ["a"])
        let other = ModifyZonesRequest(zoneIDsToDelete: [lists], idempotencyKey: key(1))
        let now = fixture.now
        #expect(
            code { _ = try fixture.server.modifyZones(other, from: phone, at: now) }
                == .constraintViolation
        )
        let outcome = SendOutcomeRequest(idempotencyKey: key(1))
        #expect(
            code { _ = try fixture.server.outcome(of: outcome, from: phone, at: now) }
                == .invalidArguments
        )
    }
}
