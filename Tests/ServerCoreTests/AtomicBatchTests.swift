import RecordModel
import ServerCore
import TestSupport
import Testing

struct AtomicBatchTests {
    @Test(.holds("I10", "S71"))
    func storesNothingOfAZoneInWhichOneItemFails() throws {
        var fixture = try ServerFixture()
        try fixture.send([note("old", "one"), note("doomed")])
        let token = try fixture.page().changeToken
        let reply = try fixture.send(
            [note("new"), note("old", "tagless")],
            deleting: deletions("doomed"),
            isAtomic: true
        )
        #expect(reply.saveCodes == [.batchRequestFailed, .serverRecordChanged])
        #expect(reply.deleteCodes == [.batchRequestFailed])
        let page = try fixture.page(since: token)
        #expect(page.modifications.isEmpty && page.deletions.isEmpty)
        #expect(page.changeToken == token)
    }

    @Test(.holds("S71", "S74"))
    func storesTheOtherZonesOfAnAtomicBatch() throws {
        var fixture = try ServerFixture()
        try fixture.save(zone: lists)
        try fixture.save(note("a"))
        let reply = try fixture.send(
            [note("a"), note("b"), note("c", in: lists)],
            isAtomic: true
        )
        #expect(reply.saveCodes == [.serverRecordChanged, .batchRequestFailed, nil])
        #expect(try fixture.page(of: lists).savedNames == ["c"])
    }

    @Test(.holds("S71"))
    func letsItemsSucceedAloneUnlessTheBatchIsAtomic() throws {
        var fixture = try ServerFixture()
        try fixture.save(note("a"))
        let reply = try fixture.send([note("a"), note("b")])
        #expect(reply.saveCodes == [.serverRecordChanged, nil])
    }

    @Test(.holds("I10"))
    func showsABatchAtOnePlaceInTheLog() throws {
        var fixture = try ServerFixture()
        let token = try fixture.page().changeToken
        try fixture.send([note("a"), note("b"), note("c")], isAtomic: true)
        #expect(try fixture.page(since: token).savedNames == ["a", "b", "c"])
        let tags = Set(try fixture.page(since: token).modifications.map(\.record.recordChangeTag))
        #expect(tags.count == 1)
    }

    @Test func failsADeletionsSiblingsToo() throws {
        var fixture = try ServerFixture()
        try fixture.save(note("a"))
        let deletion = RecordDeletion(recordID: id("a"), expectedChangeTag: "other")
        let reply = try fixture.send([note("b")], deleting: [deletion], isAtomic: true)
        #expect(reply.saveCodes == [.batchRequestFailed])
        #expect(reply.deleteCodes == [.serverRecordChanged])
    }

    @Test func leavesTheTrueCodeToTheParentOfAnAtomicBatch() throws {
        var fixture = try ServerFixture { $0.limits.recordByteCountMax = 500 }
        let reply = try fixture.send(
            [note("child", parent: "parent"), note("parent", String(repeating: "x", count: 600))],
            isAtomic: true
        )
        #expect(reply.saveCodes == [.batchRequestFailed, .limitExceeded])
    }

    @Test func tellsEachItemThatItsZoneIsMissing() throws {
        var fixture = try ServerFixture()
        let reply = try fixture.send(
            [note("a", in: lists), note("b")],
            deleting: [RecordDeletion(recordID: id("c", in: lists))],
            isAtomic: true
        )
        #expect(reply.saveCodes == [.zoneNotFound, nil])
        #expect(reply.deleteCodes == [.zoneNotFound])
    }
}
