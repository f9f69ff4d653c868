import RecordModel
import ServerCore
import TestSupport
import Testing

struct ReferenceRuleTests {
    @Test(.holds("H89", "H90"))
    func takesAChildBeforeItsParentInOneRequest() throws {
        var fixture = try ServerFixture()
        let reply = try fixture.send([note("child", parent: "parent"), note("parent")])
        #expect(reply.saveCodes == [nil, nil])
        let first = try fixture.page(limit: 1)
        let second = try fixture.page(since: first.changeToken, limit: 1)
        #expect(first.savedNames + second.savedNames == ["child", "parent"])
        #expect(!second.moreComing)
    }

    @Test(.holds("H90"))
    func refusesAChildWhoseParentIsMissing() throws {
        var fixture = try ServerFixture()
        let reply = try fixture.send([note("child", parent: "parent"), note("other")])
        #expect(reply.saveCodes == [.referenceViolation, nil])
        try fixture.save(note("parent"))
        #expect(try fixture.send([note("child", parent: "parent")]).saveCodes == [nil])
    }

    @Test(.holds("S82")) func refusesTheDescendantsOfAParentThatWasRefused() throws {
        var fixture = try ServerFixture { $0.limits.recordByteCountMax = 500 }
        let reply = try fixture.send([
            note("grandchild", parent: "child"),
            note("child", parent: "parent"),
            note("parent", String(repeating: "x", count: 600)),
            note("other"),
        ])
        #expect(
            reply.saveCodes == [.referenceViolation, .referenceViolation, .limitExceeded, nil]
        )
    }

    @Test func takesAChildThoughTheSaveOfItsExistingParentIsRefused() throws {
        var fixture = try ServerFixture()
        try fixture.save(note("parent"))
        let reply = try fixture.send([note("parent", "stale"), note("child", parent: "parent")])
        #expect(reply.saveCodes == [.serverRecordChanged, nil])
    }

    @Test func takesAnEditOfAChildWhoseParentWasDeletedLater() throws {
        var fixture = try ServerFixture()
        try fixture.save(note("parent"))
        var child = try fixture.save(note("child", parent: "parent"))
        try fixture.delete(id("parent"))
        child["text"] = "still editable"
        #expect(try fixture.save(child).parent?.recordID == id("parent"))
    }

    @Test func refusesALinkThatLeavesItsZone() throws {
        var fixture = try ServerFixture()
        var record = note("a")
        record["link"] = Record.Reference(recordID: id("b", in: lists), action: .none)
        #expect(code { try fixture.save(record) } == .invalidArguments)
    }

    @Test func deletesWhatLinksWithDeleteSelfInTheSameCommit() throws {
        var fixture = try ServerFixture()
        try fixture.send([
            note("list"), note("b", deletedWith: "list"), note("a", deletedWith: "list"),
            note("leaf", deletedWith: "a"), note("other"),
        ])
        let token = try fixture.page().changeToken
        #expect(try fixture.send(deleting: deletions("list"), key: key(1)).deleteCodes == [nil])
        let page = try fixture.page(since: token)
        #expect(page.deletedNames == ["list", "a", "b", "leaf"])
        #expect(page.deletions.allSatisfy { $0.origin == key(1) })
        #expect(page.modifications.isEmpty)
        #expect(try fixture.page().savedNames == ["other"])
    }

    @Test func leavesOneTombstoneEachWhereDeletionsOverlap() throws {
        var fixture = try ServerFixture()
        try fixture.send([note("list"), note("a", deletedWith: "list")])
        let token = try fixture.page().changeToken
        let reply = try fixture.send(deleting: deletions("list", "a"))
        #expect(reply.deleteCodes == [nil, nil])
        #expect(try fixture.page(since: token).deletedNames == ["list", "a"])
        #expect(try fixture.server.usedByteCount(of: "ann") == 0)
    }

    @Test func deletesACircleOfLinksOnce() throws {
        var fixture = try ServerFixture()
        try fixture.send([note("a", deletedWith: "b"), note("b", deletedWith: "a")])
        let token = try fixture.page().changeToken
        try fixture.delete(id("a"))
        #expect(try fixture.page(since: token).deletedNames == ["a", "b"])
    }

    @Test func followsTheLinksAsTheSameRequestSavesThem() throws {
        var fixture = try ServerFixture()
        let stored = try fixture.send([note("list"), note("freed", deletedWith: "list")])
        var freed = try stored.saveResults[1].get()
        freed["link"] = nil as Record.Reference?
        let reply = try fixture.send(
            [freed, note("bound", deletedWith: "list")],
            deleting: deletions("list")
        )
        #expect(reply.saveCodes == [nil, nil])
        #expect(try fixture.page().savedNames == ["freed"])
    }

    @Test func leavesAPlainLinkDangling() throws {
        var fixture = try ServerFixture()
        var record = note("a")
        record["link"] = Record.Reference(recordID: id("list"), action: .none)
        try fixture.send([note("list"), record])
        try fixture.delete(id("list"))
        #expect(try fixture.page().savedNames == ["a"])
    }

    @Test func allows750RecordsToBeDeletedWithOneAndNotOneMore() throws {
        var fixture = try ServerFixture()
        try fixture.save(note("list"))
        for batch in 0..<3 {
            try fixture.send((0..<250).map { note("\(batch)-\($0)", deletedWith: "list") })
        }
        let reply = try fixture.send([note("one-more", deletedWith: "list"), note("free")])
        #expect(reply.saveCodes == [.limitExceeded, nil])
        let token = try fixture.page(limit: 1).changeToken
        #expect(try fixture.send(deleting: deletions("list")).deleteCodes == [nil])
        #expect(try fixture.lookUp(id("free")).recordID == id("free"))
        #expect(code { _ = try fixture.lookUp(id("2-249")) } == .unknownItem)
        #expect(try fixture.page(since: token, limit: 1).moreComing)
    }

    @Test func countsTheLinksThatOneRequestAdds() throws {
        var fixture = try ServerFixture()
        try fixture.save(note("list"))
        for batch in 0..<2 {
            try fixture.send((0..<250).map { note("\(batch)-\($0)", deletedWith: "list") })
        }
        try fixture.send((0..<249).map { note("2-\($0)", deletedWith: "list") })
        let reply = try fixture.send([
            note("last", deletedWith: "list"), note("one-more", deletedWith: "list"),
        ])
        #expect(reply.saveCodes == [nil, .limitExceeded])
    }

    @Test func refusesADeletionThatWouldTakeMoreThan750Along() throws {
        var fixture = try ServerFixture()
        try fixture.send([note("root"), note("middle", deletedWith: "root")])
        for batch in 0..<3 {
            try fixture.send((0..<250).map { note("\(batch)-\($0)", deletedWith: "middle") })
        }
        #expect(code { try fixture.delete(id("root")) } == .limitExceeded)
        #expect(code { try fixture.delete(id("middle")) } == nil)
        #expect(code { try fixture.delete(id("root")) } == nil)
    }
}
