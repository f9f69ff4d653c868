import RecordModel
import ServerCore
import TestSupport
import Testing

struct FeedTests {
    @Test(.holds("I12"))
    func givesEachRecordOnceAtItsLastChange() throws {
        var fixture = try ServerFixture()
        var first = try fixture.save(note("a", "one"))
        try fixture.save(note("b"))
        first["text"] = "two"
        first = try fixture.save(first)
        let page = try fixture.page()
        #expect(page.savedNames == ["b", "a"])
        #expect(page.modifications.last?.record == first)
    }

    @Test(.holds("I12"), arguments: [0, 1, 2, 3, 4, 5, 6, 7])
    func pagesToTheHeadAndSaysSoExactlyThere(count: Int) throws {
        var fixture = try ServerFixture()
        for number in 0..<count { try fixture.save(note("\(number)")) }
        var names: [String] = []
        var pageCount = 1
        var page = try fixture.page(limit: 3)
        names += page.savedNames
        while page.moreComing {
            page = try fixture.page(since: page.changeToken, limit: 3)
            #expect(!page.modifications.isEmpty)
            names += page.savedNames
            pageCount += 1
        }
        #expect(names == (0..<count).map { "\($0)" })
        #expect(pageCount == max(1, (count + 2) / 3))
    }

    @Test func givesAtMostWhatThePageMayHold() throws {
        var fixture = try ServerFixture { $0.pageCountMax = 2 }
        try fixture.send((0..<3).map { note("\($0)") })
        #expect(try fixture.page(limit: .max).savedNames.count == 2)
        #expect(try fixture.page(limit: 0).savedNames.count == 1)
        #expect(try fixture.page(limit: .min).savedNames.count == 1)
    }

    @Test func endsAPageBeforeItHasTooManyBytes() throws {
        var fixture = try ServerFixture { $0.pageByteCountMax = 500 }
        try fixture.send((0..<3).map { note("\($0)", String(repeating: "x", count: 300)) })
        let page = try fixture.page()
        #expect(page.savedNames == ["0"])
        #expect(page.moreComing)
    }

    @Test(.holds("H28"))
    func movesTheTokenOnThoughThePageIsEmpty() throws {
        var fixture = try ServerFixture()
        try fixture.save(zone: lists)
        let token = try fixture.page(of: lists).changeToken
        try fixture.save(note("a"))
        let page = try fixture.page(of: lists, since: token)
        #expect(page.modifications.isEmpty && !page.moreComing)
        #expect(page.changeToken != token)
        let next = try fixture.page(of: lists, since: page.changeToken)
        #expect(next.changeToken == page.changeToken)
    }

    @Test(.holds("H31"))
    func takesATokenOfAPlaceAtWhichTheZoneHasNoEntry() throws {
        var fixture = try ServerFixture()
        try fixture.save(zone: lists)
        try fixture.save(note("a"))
        let token = try fixture.page(of: lists).changeToken
        #expect(try fixture.page(of: lists, since: token).modifications.isEmpty)
        try fixture.save(note("b", in: lists))
        #expect(try fixture.page(of: lists, since: token).savedNames == ["b"])
    }

    @Test(.holds("H36"))
    func ordersByCommitWhateverTheClocksSay() throws {
        var fixture = try ServerFixture()
        try fixture.save(note("a"))
        let token = try fixture.page(from: laptop).changeToken
        fixture.now.millisecondsSince1970 -= 10_000
        try fixture.save(note("b"))
        #expect(try fixture.page(since: token, from: laptop).savedNames == ["b"])
    }

    @Test(.holds("H52"))
    func givesEachZoneItsPartOfACommit() throws {
        var fixture = try ServerFixture()
        try fixture.save(zone: lists)
        let databaseToken = try fixture.databasePage().changeToken
        let tokens = [notes, lists].map { zone in try? fixture.page(of: zone).changeToken }
        try fixture.send([note("a"), note("b", in: lists)])
        let changed = try fixture.databasePage(since: databaseToken)
        #expect(changed.changedNames == ["notes", "lists"])
        #expect(try fixture.page(since: tokens[0]).savedNames == ["a"])
        #expect(try fixture.page(of: lists, since: tokens[1]).savedNames == ["b"])
    }

    @Test func listsNoOldDeletionsFromTheBeginning() throws {
        var fixture = try ServerFixture()
        try fixture.send([note("a"), note("b"), note("c")])
        try fixture.delete(id("a"))
        let first = try fixture.page(limit: 1)
        #expect(first.savedNames == ["b"])
        let second = try fixture.page(since: first.changeToken, limit: 1)
        #expect(second.savedNames == ["c"])
        #expect(second.deletions.isEmpty && !second.moreComing)
    }

    @Test(.holds("I12"))
    func listsADeletionThatHappensWhileAListingGoesOn() throws {
        var fixture = try ServerFixture()
        try fixture.send([note("a"), note("b"), note("c")])
        try fixture.delete(id("c"))
        let first = try fixture.page(limit: 1)
        #expect(first.savedNames == ["a"])
        try fixture.delete(id("a"))
        let second = try fixture.page(since: first.changeToken)
        #expect(second.savedNames == ["b"])
        #expect(second.deletedNames == ["a"])
    }

    @Test func givesTheWantedFieldsAndTheSend() throws {
        var fixture = try ServerFixture()
        var record = note("a", "one")
        record["extra"] = "x"
        try fixture.save(record, key: key(5))
        let modification = try fixture.page(desiredKeys: ["extra"]).modifications[0]
        #expect(modification.record.allKeys() == ["extra"])
        #expect(modification.origin == key(5))
    }

    @Test func givesEachZoneOnceWithItsLastChangeOwnWritesToo() throws {
        var fixture = try ServerFixture()
        try fixture.save(zone: lists)
        try fixture.save(note("a"))
        try fixture.save(note("b"))
        let all = try fixture.databasePage()
        #expect(all.changedNames == ["lists", "notes"])
        try fixture.save(note("c"))
        #expect(try fixture.databasePage(since: all.changeToken).changedNames == ["notes"])
    }

    @Test func pagesZonesToTheHead() throws {
        var fixture = try ServerFixture()
        for name in ["b", "c", "d"] { try fixture.save(zone: RecordZone.ID(zoneName: name)) }
        let first = try fixture.databasePage(limit: 2)
        #expect(first.changedNames == ["notes", "b"])
        #expect(first.moreComing)
        let second = try fixture.databasePage(since: first.changeToken, limit: 2)
        #expect(second.changedNames == ["c", "d"])
        #expect(!second.moreComing)
        let third = try fixture.databasePage(since: second.changeToken, limit: 2)
        #expect(third.changedNames.isEmpty && !third.moreComing)
    }

    @Test func listsNoOldZoneDeletionsFromTheBeginning() throws {
        var fixture = try ServerFixture()
        try fixture.save(zone: lists)
        try fixture.delete(zone: notes)
        let page = try fixture.databasePage()
        #expect(page.changedNames == ["lists"])
        #expect(page.deletions.isEmpty)
    }

    @Test func givesAZoneMadeAnewOnceAsChanged() throws {
        var fixture = try ServerFixture()
        let token = try fixture.databasePage().changeToken
        try fixture.delete(zone: notes)
        try fixture.save(zone: notes)
        let page = try fixture.databasePage(since: token)
        #expect(page.changedNames == ["notes"])
        #expect(page.deletions.isEmpty)
    }

    @Test func answersBadDatabaseForThePublicDatabase() throws {
        var fixture = try ServerFixture()
        let caller = ServerCaller(account: "ann", deviceID: "phone", scope: .public)
        #expect(code { _ = try fixture.databasePage(from: caller) } == .badDatabase)
        #expect(code { _ = try fixture.page(of: .default, from: caller) } == .badDatabase)
    }

    @Test func hasNothingInTheSharedDatabase() throws {
        var fixture = try ServerFixture()
        let caller = ServerCaller(account: "ann", deviceID: "phone", scope: .shared)
        #expect(try fixture.databasePage(from: caller).modifications.isEmpty)
        #expect(code { _ = try fixture.page(of: .default, from: caller) } == .zoneNotFound)
        #expect(code { try fixture.save(zone: notes, from: caller) } == .zoneNotFound)
    }
}
