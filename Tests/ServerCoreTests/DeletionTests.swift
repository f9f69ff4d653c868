import RecordModel
import ServerCore
import TestSupport
import Testing

struct DeletionTests {
    @Test func deletesWhateverVersionIsThere() throws {
        var fixture = try ServerFixture()
        try fixture.save(note("a", "one"))
        try fixture.delete(id("a"), from: laptop)
        #expect(code { _ = try fixture.lookUp(id("a")) } == .unknownItem)
    }

    @Test func takesAMissingRecordForDeletedAndChangesNothing() throws {
        var fixture = try ServerFixture()
        let token = try fixture.page().changeToken
        try fixture.delete(id("a"))
        let page = try fixture.page(since: token)
        #expect(page.deletions.isEmpty)
        #expect(page.changeToken == token)
    }

    @Test func deletesTheVersionThatIsExpected() throws {
        var fixture = try ServerFixture()
        let stored = try fixture.save(note("a", "one"))
        try fixture.delete(id("a"), expectedChangeTag: stored.recordChangeTag)
        #expect(code { _ = try fixture.lookUp(id("a")) } == .unknownItem)
    }

    @Test func refusesToDeleteAnotherVersionThanExpected() throws {
        var fixture = try ServerFixture()
        let first = try fixture.save(note("a", "one"))
        var second = first
        second["text"] = "two"
        let server = try fixture.save(second, from: laptop)
        let deletion = RecordDeletion(
            recordID: id("a"),
            expectedChangeTag: first.recordChangeTag
        )
        let error = try fixture.send(deleting: [deletion]).deleteErrors[0]
        #expect(error?.code == .serverRecordChanged)
        #expect(error?.serverRecord == server)
        #expect(error?.ancestorRecord == first)
        #expect(try fixture.lookUp(id("a")) == server)
    }

    @Test func tellsWhoExpectsAVersionThatNothingIsThere() throws {
        var fixture = try ServerFixture()
        #expect(code { try fixture.delete(id("a"), expectedChangeTag: "1") } == .unknownItem)
    }

    @Test(.holds("H13"))
    func givesARecordMadeAnewToTheOtherDevice() throws {
        var fixture = try ServerFixture()
        let first = try fixture.save(note("a", "one"))
        var token = try fixture.page(from: laptop).changeToken
        try fixture.delete(id("a"))
        let deleted = try fixture.page(since: token, from: laptop)
        #expect(deleted.deletedNames == ["a"])
        token = deleted.changeToken
        let second = try fixture.save(note("a", "two"))
        let page = try fixture.page(since: token, from: laptop)
        #expect(page.modifications.map(\.record) == [second])
        #expect(page.deletions.isEmpty)
        #expect(second.recordChangeTag != first.recordChangeTag)
    }

    @Test(.holds("H23"))
    func keepsSavesAndDeletionsInOneSequence() throws {
        var fixture = try ServerFixture()
        for name in ["a", "b", "c", "d"] { try fixture.save(note(name)) }
        var token = try fixture.page().changeToken
        try fixture.delete(id("a"))
        try fixture.save(note("e"))
        try fixture.save(note("f"))
        try fixture.delete(id("b"))
        var changes: [[String]] = []
        var isLast = false
        while !isLast {
            let page = try fixture.page(since: token, limit: 1)
            changes.append(page.savedNames.map { "+\($0)" } + page.deletedNames.map { "-\($0)" })
            token = page.changeToken
            isLast = !page.moreComing
        }
        #expect(changes == [["-a"], ["+e"], ["+f"], ["-b"]])
    }

    @Test func namesTheTypeAndTheSendOfADeletion() throws {
        var fixture = try ServerFixture()
        try fixture.save(note("a"))
        let token = try fixture.page().changeToken
        try fixture.send(deleting: deletions("a"), key: key(1))
        let deletion = try fixture.page(since: token).deletions
        #expect(deletion == [.init(recordID: id("a"), recordType: "Note", origin: key(1))])
    }
}
