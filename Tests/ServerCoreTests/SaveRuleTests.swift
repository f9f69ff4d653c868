import RecordModel
import ServerCore
import TestSupport
import Testing

struct SaveRuleTests {
    @Test func createsARecordWithATagAndStamps() throws {
        var fixture = try ServerFixture()
        let stored = try fixture.save(note("a", "one"))
        let stamp = Record.Stamp(
            timestamp: fixture.now,
            userRecordName: "ann",
            deviceID: "phone"
        )
        #expect(stored.recordChangeTag != nil)
        #expect(stored.creation == stamp)
        #expect(stored.modification == stamp)
        #expect(stored.changedKeys().isEmpty)
        #expect(try fixture.lookUp(id("a")) == stored)
    }

    @Test(.holds("I9"))
    func takesASaveOverTheVersionItWasBuiltOn() throws {
        var fixture = try ServerFixture()
        var record = try fixture.save(note("a", "one"))
        let creation = record.creation
        record["text"] = "two"
        let stored = try fixture.save(record, from: laptop)
        #expect(stored["text"] == "two")
        #expect(stored.recordChangeTag != record.recordChangeTag)
        #expect(stored.creation == creation)
        #expect(stored.modification?.deviceID == "laptop")
    }

    @Test(.holds("S115", "I9"))
    func refusesASaveOverAnotherVersionWithServerRecordAndAncestor() throws {
        var fixture = try ServerFixture()
        let first = try fixture.save(note("a", "one"))
        var mine = first
        mine["text"] = "mine"
        var theirs = first
        theirs["text"] = "theirs"
        let server = try fixture.save(theirs, from: laptop)
        let result = try fixture.send([mine]).saveResults[0]
        let conflict = SyncError.serverRecordChanged(
            client: nil,
            server: server,
            ancestor: first,
            "notes/a was not built on the server's version"
        )
        #expect(result == .failure(conflict))
        #expect(try fixture.lookUp(id("a")) == server)
        var merged = server
        merged["text"] = "merged"
        #expect(try fixture.save(merged)["text"] == "merged")
    }

    @Test func refusesATaglessSaveOverAnExistingRecord() throws {
        var fixture = try ServerFixture()
        let stored = try fixture.save(note("a", "one"))
        let result = try fixture.send([note("a", "two")]).saveResults[0]
        #expect(
            result
                == .failure(
                    .serverRecordChanged(
                        client: nil,
                        server: stored,
                        ancestor: nil,
                        "notes/a was not built on the server's version"
                    )
                )
        )
    }

    @Test(
        .holds("H19"),
        arguments: [RecordSavePolicy.ifServerRecordUnchanged, .changedKeys, .allKeys]
    )
    func neverCreatesFromASaveThatCarriesATag(policy: RecordSavePolicy) throws {
        var fixture = try ServerFixture()
        var record = try fixture.save(note("a", "one"))
        try fixture.delete(id("a"), from: laptop)
        record["text"] = "two"
        #expect(code { try fixture.save(record, policy: policy) } == .unknownItem)
        #expect(code { _ = try fixture.lookUp(id("a")) } == .unknownItem)
    }

    @Test(.holds("H20"))
    func takesATombstoneForNoRecord() throws {
        var fixture = try ServerFixture()
        try fixture.save(note("a", "one"))
        try fixture.delete(id("a"))
        var record = try fixture.save(note("a", "two"))
        for text in ["three", "four", "five"] {
            record["text"] = text
            record = try fixture.save(record)
        }
        #expect(try fixture.lookUp(id("a"))["text"] == "five")
    }

    @Test(.holds("I7", "H106"))
    func keepsTheKeysThatASaveDoesNotName() throws {
        var fixture = try ServerFixture()
        var newer = note("a", "one")
        newer["image"] = RecordValue.bytes([1, 2, 3])
        newer.encryptedValues["secret"] = "hidden"
        let stored = try fixture.save(newer)
        var older = Record(systemFields: stored.systemFields)
        older["text"] = "two"
        let saved = try fixture.save(older, from: laptop)
        #expect(saved["image"] == RecordValue.bytes([1, 2, 3]))
        #expect(saved.encryptedValues["secret"] == "hidden")
        #expect(saved["text"] == "two")
    }

    @Test func removesAKeyThatASaveClears() throws {
        var fixture = try ServerFixture()
        var record = note("a", "one")
        record["extra"] = "x"
        record = try fixture.save(record)
        record["extra"] = nil as String?
        #expect(try fixture.save(record).allKeys() == ["text"])
    }

    @Test func storesChangedKeysOverAnyVersionIfToldTo() throws {
        var fixture = try ServerFixture()
        var stale = try fixture.save(note("a", "one"))
        var other = stale
        other["extra"] = "x"
        try fixture.save(other, from: laptop)
        stale["text"] = "two"
        let saved = try fixture.save(stale, policy: .changedKeys)
        #expect(saved["text"] == "two")
        #expect(saved["extra"] == "x")
    }

    @Test func storesAllKeysAndDropsTheOthersIfToldTo() throws {
        var fixture = try ServerFixture()
        var record = note("a", "one")
        record["extra"] = "x"
        try fixture.save(record)
        let saved = try fixture.save(note("a", "two"), policy: .allKeys)
        #expect(saved.allKeys() == ["text"])
    }

    @Test func neverChangesTheTypeOfARecord() throws {
        var fixture = try ServerFixture()
        try fixture.save(note("a", "one"))
        let other = Record(recordType: "List", recordID: id("a"))
        #expect(code { try fixture.save(other, policy: .allKeys) } == .invalidArguments)
    }

    @Test(.holds("H105", "I9"))
    func movesTheModificationDateOnThoughTheClockStepsBack() throws {
        var fixture = try ServerFixture()
        var record = try fixture.save(note("a", "0"))
        var dates: [Int64] = []
        var tags: Set<String> = []
        for step in 1...4 {
            fixture.now.millisecondsSince1970 -= step == 2 ? 3_600_000 : 0
            record["text"] = "\(step)"
            record = try fixture.save(record)
            dates.append(try #require(record.modification).timestamp.millisecondsSince1970)
            tags.insert(try #require(record.recordChangeTag))
        }
        #expect(dates == [1_000_001, 1_000_002, 1_000_003, 1_000_004])
        #expect(tags.count == 4)
    }

    @Test(.holds("I9"))
    func neverUsesATagAgainForARecordMadeAnew() throws {
        var fixture = try ServerFixture()
        let first = try fixture.save(note("a", "one"))
        try fixture.delete(id("a"))
        let second = try fixture.save(note("a", "one"))
        #expect(second.recordChangeTag != first.recordChangeTag)
        let dates = [first, second].compactMap { $0.modification?.timestamp }
        #expect(dates[0] < dates[1])
    }

    @Test func looksUpWantedFieldsInTheOrderOfTheRequest() throws {
        var fixture = try ServerFixture()
        var record = note("a", "one")
        record["extra"] = "x"
        try fixture.save(record)
        let request = LookUpRecordsRequest(
            recordIDs: [id("b"), id("a"), id("a", in: lists)],
            desiredKeys: ["extra"]
        )
        let results = try fixture.server.lookUpRecords(request, from: phone, at: fixture.now)
            .results
        #expect(code { _ = try results[0].get() } == .unknownItem)
        #expect(try results[1].get().allKeys() == ["extra"])
        #expect(code { _ = try results[2].get() } == .zoneNotFound)
    }
}
