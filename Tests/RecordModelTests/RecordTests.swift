import RecordModel
import TestSupport
import Testing

struct RecordTests {
    private let id = Record.ID(recordName: "n", zoneID: RecordZone.ID(zoneName: "Notes"))

    private func note() -> Record { Record(recordType: "Note", recordID: id) }

    private func stored(_ record: Record) -> Record {
        let stamp = Record.Stamp(
            timestamp: Timestamp(millisecondsSince1970: 5),
            userRecordName: "alice",
            deviceID: "A"
        )
        return record.stored(changeTag: "t1", creation: stamp, modification: stamp)
    }

    // MARK: Fields

    @Test func readsEachTypeAsItself() {
        var record = note()
        record["string"] = "text"
        record["int"] = 7
        record["int64"] = Int64(8)
        record["bool"] = true
        record["double"] = 1.5
        record["date"] = Timestamp(millisecondsSince1970: 9)
        record["asset"] = Asset(byteCount: 3)
        record["location"] = Location(latitude: 1, longitude: 2)
        record["reference"] = Record.Reference(recordID: id, action: .deleteSelf)
        record["bytes"] = RecordValue.bytes([1, 2])
        #expect(record["string"] == "text")
        #expect(record["int"] == 7)
        #expect(record["int64"] == Int64(8))
        #expect(record["bool"] == true)
        #expect(record["double"] == 1.5)
        #expect(record["date"] == Timestamp(millisecondsSince1970: 9))
        #expect(record["asset"] == Asset(byteCount: 3))
        #expect(record["location"] == Location(latitude: 1, longitude: 2))
        #expect(record["reference"] == Record.Reference(recordID: id, action: .deleteSelf))
        #expect(record["bytes"] == RecordValue.bytes([1, 2]))
    }

    @Test func readsEachListAsItself() {
        var record = note()
        record["strings"] = ["a", "b"]
        record["int64s"] = [Int64(1), 2]
        record["doubles"] = [1.5, 2.5]
        record["dates"] = [Timestamp(millisecondsSince1970: 1)]
        record["assets"] = [Asset(byteCount: 1)]
        record["locations"] = [Location(latitude: 1, longitude: 2)]
        record["references"] = [Record.Reference(recordID: id, action: .none)]
        record["bytesList"] = RecordValue.bytesList([[1], []])
        #expect(record["strings"] == ["a", "b"])
        #expect(record["int64s"] == [Int64(1), 2])
        #expect(record["doubles"] == [1.5, 2.5])
        #expect(record["dates"] == [Timestamp(millisecondsSince1970: 1)])
        #expect(record["assets"] == [Asset(byteCount: 1)])
        #expect(record["locations"] == [Location(latitude: 1, longitude: 2)])
        #expect(record["references"] == [Record.Reference(recordID: id, action: .none)])
        #expect(record["bytesList"] == RecordValue.bytesList([[1], []]))
        #expect(record.allKeys().count == 8)
    }

    @Test func givesNothingForAFieldOfAnotherType() {
        var record = note()
        record["text"] = "1"
        record["big"] = Int64.max
        #expect(record["text"] as Int? == nil)
        #expect(record["text"] as [String]? == nil)
        #expect(record["big"] as Int64? == .max)
        #expect(record["missing"] as String? == nil)
    }

    @Test func coversEveryType() {
        let values: [RecordValue] = [
            .string(""), .int64(0), .double(0), .date(.init(millisecondsSince1970: 0)),
            .bytes([]), .asset(Asset()), .location(Location(latitude: 0, longitude: 0)),
            .reference(.init(recordID: id, action: .none)), .strings([]), .int64s([]),
            .doubles([]), .dates([]), .bytesList([]), .assets([]), .locations([]),
            .references([]),
        ]
        #expect(Set(values.map(\.type)) == Set(RecordValue.ValueType.allCases))
    }

    // MARK: Changed keys

    @Test func aNewRecordHasChangedAllItsKeys() {
        var record = note()
        record["b"] = 1
        record["a"] = 2
        #expect(record.changedKeys() == ["a", "b"])
    }

    @Test func aStoredRecordHasChangedNone() {
        var record = note()
        record["a"] = 1
        #expect(stored(record).changedKeys() == [])
        #expect(stored(record).recordChangeTag == "t1")
    }

    @Test func settingAnEqualValueChangesNothing() {
        var record = note()
        record["a"] = 1
        var saved = stored(record)
        saved["a"] = 1
        #expect(saved.changedKeys() == [])
        saved["a"] = 2
        #expect(saved.changedKeys() == ["a"])
    }

    @Test func removingAKeyIsAChange() {
        var record = note()
        record["a"] = 1
        var saved = stored(record)
        saved["a"] = nil
        #expect(saved.allKeys() == [])
        #expect(saved.changedKeys() == ["a"])
        #expect(stored(saved).changedKeys() == [])
    }

    @Test func removingAMissingKeyIsNoChange() {
        var record = note()
        record["a"] = nil
        #expect(record.changedKeys() == [])
    }

    @Test(.holds("I7", "H106")) func aSaveLeavesKeysItDoesNotNameAsTheyAre() {
        var onServer = note()
        onServer["image"] = "kept"
        onServer["title"] = "old"
        onServer = stored(onServer)
        // An older app version knows no image: its record has the title only.
        var save = Record(systemFields: onServer.systemFields)
        save["title"] = "new"
        let merged = onServer.merging(changesOf: save)
        #expect(merged["image"] == "kept")
        #expect(merged["title"] == "new")
    }

    @Test func rebasingKeepsUnsentChangesAndTakesTheRest() {
        var base = note()
        base["a"] = 1
        base["b"] = 1
        base = stored(base)
        var mine = base
        mine["a"] = 2
        var theirs = base
        theirs["b"] = 3
        let rebased = mine.rebased(on: stored(theirs))
        #expect(rebased["a"] == 2)
        #expect(rebased["b"] == 3)
        #expect(rebased.changedKeys() == ["a"])
    }

    @Test(.holds("H01")) func rebasingOnTheOwnSaveLeavesOnlyWhatWasEditedMeanwhile() {
        var sent = note()
        sent["title"] = "sent"
        var edited = sent
        edited["body"] = "edited meanwhile"
        let rebased = edited.rebased(on: stored(sent))
        #expect(rebased.changedKeys() == ["body"])
        #expect(rebased.recordChangeTag == "t1")
    }

    @Test(.holds("H06")) func anUnsentEditOfADeletedRecordIsANewRecord() {
        var base = note()
        base["a"] = 1
        base["b"] = 2
        base = stored(base)
        #expect(base.rebased(onLatest: nil) == nil)
        var edited = base
        edited["a"] = 3
        let new = edited.rebased(onLatest: nil)
        #expect(new?.recordChangeTag == nil)
        #expect(new?.changedKeys() == ["a", "b"])
        #expect(new?["a"] == 3)
        #expect(edited.rebased(onLatest: base) == edited.rebased(on: base))
    }

    @Test func aPlaceTakesTheServersVersionAndKeepsEdits() {
        let theirs = stored(note())
        var records: [Record.ID: Record] = [:]
        records[id].rebase(onLatest: theirs)
        #expect(records[id] == theirs)
        records[id]?["a"] = 1
        records[id].rebase(onLatest: theirs)
        #expect(records[id]?.changedKeys() == ["a"])
        records[id] = theirs
        records[id].rebase(onLatest: nil)
        #expect(records[id] == nil)
        records[id].rebase(onLatest: nil)
        #expect(records.isEmpty)
    }

    // MARK: Encrypted values

    @Test func keepsEncryptedAndPlainFieldsApart() {
        var record = note()
        record.encryptedValues["secret"] = "s"
        record["plain"] = "p"
        #expect(record["secret"] as String? == nil)
        #expect(record.encryptedValues["secret"] == "s")
        #expect(record.encryptedValues["plain"] as String? == nil)
        #expect(record.encryptedValues.allKeys() == ["secret"])
        #expect(record.encryptedValues.changedKeys() == ["secret"])
        #expect(record.allKeys() == ["plain", "secret"])
    }

    @Test(.holds("I32")) func showsNoFieldInItsDescription() {
        var record = note()
        record["text"] = "canary"
        record.encryptedValues["secret"] = "canary"
        #expect(!"\(record)".contains("canary"))
        #expect("\(record)" == "Note Notes/n")
    }

    // MARK: System fields

    @Test func systemFieldsRestoreTheVersionWithoutFields() throws {
        var record = note()
        record["text"] = "x"
        record.setParent(Record.ID(recordName: "p", zoneID: id.zoneID))
        let saved = stored(record)
        let restored = Record(systemFields: saved.systemFields)
        #expect(restored.recordChangeTag == "t1")
        #expect(restored.creatorUserRecordID == Record.ID(recordName: "alice"))
        #expect(restored.lastModifiedUserRecordID == Record.ID(recordName: "alice"))
        #expect(restored.parent == saved.parent)
        #expect(restored.allKeys() == [])
        #expect(restored.changedKeys() == [])
    }

    @Test func aParentThatIsNotTouchedIsNotSent() {
        var record = note()
        record.setParent(Record.ID(recordName: "p", zoneID: id.zoneID))
        let saved = stored(record)
        var moved = saved
        moved.setParent(nil as Record.ID?)
        var save = Record(systemFields: saved.systemFields)
        save["text"] = "x"
        #expect(moved.merging(changesOf: save).parent == nil)
        save.setParent(Record.ID(recordName: "q", zoneID: id.zoneID))
        #expect(saved.merging(changesOf: save).parent?.recordID.recordName == "q")
    }

    // MARK: Sizes and digests

    @Test func theSizeCountsNamesAndValuesButNoAssets() {
        var record = note()
        let empty = record.byteCount
        record["text"] = "12345"
        let withText = record.byteCount
        #expect(withText > empty + 5)
        record["file"] = Asset(filePath: "/a", byteCount: 50_000_000)
        #expect(record.byteCount < withText + 50)
    }

    @Test func theSizeIsWhatTheCanonicalBytesTake() {
        var record = note()
        record.setParent(Record.ID(recordName: "p", zoneID: id.zoneID))
        let place = Location(
            latitude: 1,
            longitude: 2,
            altitude: 3,
            timestamp: .init(millisecondsSince1970: -5)
        )
        let asset = Asset(byteCount: 300, checksum: [UInt8](repeating: 7, count: 32))
        let link = Record.Reference(recordID: id, action: .deleteSelf)
        let date = Timestamp(millisecondsSince1970: 1_700_000_000_000)
        let values: [RecordValue] = [
            .string(String(repeating: "ö", count: 100)), .int64(-1), .int64(.max), .double(1.5),
            .date(date), .bytes([UInt8](repeating: 0, count: 200)), .asset(asset),
            .location(place), .reference(link), .strings(["", "abc"]), .int64s([0, 64, .min]),
            .doubles([1, 2]), .dates([date]), .bytesList([[], [1]]), .assets([asset, Asset()]),
            .locations([place]), .references([link, link]),
        ]
        for (number, value) in values.enumerated() {
            record["field\(number)"] = value
            record.encryptedValues["secret\(number)"] = value
            var writer = BinaryWriter()
            writer.write(contentOf: record)
            #expect(record.byteCount == writer.bytes.count)
        }
        var saved = stored(record)
        saved["field0"] = nil
        var writer = BinaryWriter()
        writer.write(contentOf: saved)
        #expect(saved.byteCount == writer.bytes.count)
    }

    @Test func equalIdentitiesHaveEqualHashes() {
        let own = Record.ID(recordName: "a", zoneID: RecordZone.ID(zoneName: "Z"))
        let others = Record.ID(
            recordName: "a",
            zoneID: RecordZone.ID(zoneName: "Z", ownerName: "bob")
        )
        #expect(own.hashValue == Record.ID(recordName: "a", zoneID: own.zoneID).hashValue)
        #expect(own != others)
        #expect(own.hashValue != others.hashValue)
    }

    @Test func theDigestIsOfTheContentAlone() {
        var record = note()
        record["text"] = "x"
        #expect(record.contentDigest == stored(record).contentDigest)
        var other = record
        other["text"] = "y"
        #expect(record.contentDigest != other.contentDigest)
        var encrypted = note()
        encrypted.encryptedValues["text"] = "x"
        #expect(record.contentDigest != encrypted.contentDigest)
    }
}
