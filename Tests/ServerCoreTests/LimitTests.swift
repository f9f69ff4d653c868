import RecordModel
import ServerCore
import TestSupport
import Testing

struct LimitTests {
    @Test(.holds("H46", "H47"))
    func countsSavesAndDeletionsTogether() throws {
        var fixture = try ServerFixture()
        let saves = (0..<100).map { note("\($0)") }
        let doomed = (0..<151).map { RecordDeletion(recordID: id("d\($0)")) }
        #expect(code { try fixture.send(saves, deleting: doomed) } == .limitExceeded)
        #expect(code { _ = try fixture.lookUp(id("0")) } == .unknownItem)
        #expect(code { try fixture.send(saves, deleting: Array(doomed.dropLast())) } == nil)
    }

    @Test func countsTheBytesOfABatch() throws {
        let batch = [note("a", "one"), note("b", "two")]
        let byteCount = ModifyRecordsRequest(recordsToSave: batch).byteCount
        var exact = try ServerFixture { $0.limits.batchByteCountMax = byteCount }
        #expect(code { try exact.send(batch) } == nil)
        var tight = try ServerFixture { $0.limits.batchByteCountMax = byteCount - 1 }
        #expect(code { try tight.send(batch) } == .limitExceeded)
    }

    @Test func alwaysTakesASingleRecordOfALegalSize() throws {
        var fixture = try ServerFixture { $0.limits.batchByteCountMax = 10 }
        #expect(code { try fixture.save(note("a", "longer than ten bytes")) } == nil)
    }

    @Test(.holds("H101"))
    func refusesOneRecordThatIsTooLargeAlone() throws {
        let byteCount = note("a", "one").byteCount
        var fixture = try ServerFixture { $0.limits.recordByteCountMax = byteCount }
        let reply = try fixture.send([note("b", "four"), note("a", "one")])
        #expect(reply.saveCodes == [.limitExceeded, nil])
    }

    @Test func measuresARecordWithTheKeysItKeeps() throws {
        let byteCount = note("a", "one").byteCount
        var fixture = try ServerFixture { $0.limits.recordByteCountMax = byteCount + 5 }
        let stored = try fixture.save(note("a", "one"))
        var added = Record(systemFields: stored.systemFields)
        added["extra"] = "x"
        #expect(code { try fixture.save(added) } == .limitExceeded)
    }

    @Test func refusesWhatTheQuotaDoesNotHold() throws {
        let byteCount = note("a", "one").byteCount
        var fixture = try ServerFixture { $0.quotaByteCount = 2 * byteCount }
        let reply = try fixture.send([note("a", "one"), note("b", "two"), note("c", "x")])
        #expect(reply.saveCodes == [nil, nil, .quotaExceeded])
        #expect(try fixture.server.usedByteCount(of: "ann") == 2 * byteCount)
    }

    @Test func alwaysTakesADeletionAndASaveThatShrinks() throws {
        let byteCount = note("a", "one").byteCount
        var fixture = try ServerFixture { $0.quotaByteCount = byteCount }
        var record = try fixture.save(note("a", "one"))
        record["text"] = "o"
        record = try fixture.save(record)
        record["text"] = "four"
        #expect(code { try fixture.save(record) } == .quotaExceeded)
        #expect(code { try fixture.delete(id("a")) } == nil)
        #expect(try fixture.server.usedByteCount(of: "ann") == 0)
        #expect(code { try fixture.save(note("b", "two")) } == nil)
    }

    @Test func takesASaveThatShrinksThoughTheQuotaIsExceededAlready() throws {
        var fixture = try ServerFixture()
        var record = try fixture.save(note("a", "a long text"))
        var configuration = fixture.server.configuration
        configuration.quotaByteCount = 1
        fixture.server = Server(storage: fixture.server.storage, configuration: configuration)
        record["text"] = "a longer text"
        #expect(code { try fixture.save(record) } == .quotaExceeded)
        record["text"] = "short"
        #expect(code { try fixture.save(record) } == nil)
    }

    @Test func givesTheRoomOfADeletedZoneBack() throws {
        var fixture = try ServerFixture()
        try fixture.send([note("a", "one"), note("b", in: .default)])
        try fixture.delete(zone: notes)
        let left = note("b", in: .default).byteCount
        #expect(try fixture.server.usedByteCount(of: "ann") == left)
    }

    @Test(.holds("S82")) func tellsOfAMissingParentEvenWhenTheQuotaIsUsedUp() throws {
        var fixture = try ServerFixture { $0.quotaByteCount = 1 }
        let alone = try fixture.send([note("child", parent: "parent")])
        #expect(alone.saveCodes == [.referenceViolation])
        let together = try fixture.send([note("parent"), note("child", parent: "parent")])
        #expect(together.saveCodes == [.quotaExceeded, .quotaExceeded])
    }

    @Test func refusesARequestInWhichAnItemStandsTwice() throws {
        var fixture = try ServerFixture()
        let spelled = note("a", in: RecordZone.ID(zoneName: "notes", ownerName: "ann"))
        #expect(code { try fixture.send([note("a"), spelled]) } == .invalidArguments)
        #expect(
            code { try fixture.send([note("a")], deleting: deletions("a")) } == .invalidArguments
        )
        #expect(code { try fixture.send(deleting: deletions("a", "a")) } == .invalidArguments)
    }

    @Test func refusesBadNamesEachAlone() throws {
        var fixture = try ServerFixture()
        let long = String(repeating: "x", count: 256)
        let reply = try fixture.send(
            [note(""), note(long), note("ü"), note(String(long.dropLast()))],
            deleting: deletions("ä", long + "x")
        )
        let bad = SyncError.Code.invalidArguments
        #expect(reply.saveCodes == [bad, bad, bad, nil])
        #expect(reply.deleteCodes == [bad, bad])
        #expect(
            code { try fixture.save(zone: RecordZone.ID(zoneName: long)) } == .invalidArguments
        )
    }

    @Test func limitsALookUp() throws {
        var fixture = try ServerFixture { $0.limits.batchCountMax = 2 }
        let now = fixture.now
        let ids = [id("a"), id("b"), id("c")]
        let all = LookUpRecordsRequest(recordIDs: ids)
        #expect(
            code { _ = try fixture.server.lookUpRecords(all, from: phone, at: now) }
                == .limitExceeded
        )
        let some = LookUpRecordsRequest(recordIDs: Array(ids.dropLast()))
        #expect(code { _ = try fixture.server.lookUpRecords(some, from: phone, at: now) } == nil)
    }
}
