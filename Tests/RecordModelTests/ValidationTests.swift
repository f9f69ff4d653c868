import RecordModel
import Testing

struct ValidationTests {
    private let zoneID = RecordZone.ID(zoneName: "Notes")

    private func record(_ name: String = "n", type: String = "Note") -> Record {
        Record(recordType: type, recordID: Record.ID(recordName: name, zoneID: zoneID))
    }

    private func refusal(_ record: Record) -> String? {
        do {
            try record.validate()
            return nil
        } catch {
            #expect(error.code == .invalidArguments)
            return error.message
        }
    }

    @Test(arguments: [1, 255]) func takesNamesOf1To255Characters(count: Int) {
        #expect(refusal(record(String(repeating: "a", count: count))) == nil)
    }

    @Test(arguments: [0, 256]) func refusesNamesThatAreEmptyOrTooLong(count: Int) {
        #expect(
            refusal(record(String(repeating: "a", count: count)))
                == "a record name has 1 to 255 characters, not \(count)"
        )
    }

    @Test(arguments: ["ä", "a\n", "a\u{0}", "\u{7F}"]) func refusesNamesThatAreNotPlainASCII(
        name: String
    ) {
        #expect(refusal(record(name))?.contains("is not printable ASCII") == true)
    }

    @Test func refusesABadZoneOrOwnerName() {
        #expect(throws: SyncError.self) { try RecordZone.ID(zoneName: "").validate() }
        #expect(throws: SyncError.self) {
            try RecordZone.ID(zoneName: "Z", ownerName: "ö").validate()
        }
        #expect(throws: Never.self) { try RecordZone.ID(zoneName: "Z").validate() }
    }

    @Test(arguments: ["a", "Z", "a1_b", "a_"]) func takesFieldNamesOfLettersDigitsUnderscores(
        key: String
    ) {
        var record = record()
        record[key] = 1
        #expect(refusal(record) == nil)
    }

    @Test(arguments: ["", "1a", "_a", "a-b", "ä", "a b"]) func refusesOtherFieldNames(
        key: String
    ) {
        var record = record()
        record[key] = 1
        #expect(refusal(record)?.contains("must start with a letter") == true)
    }

    @Test func refusesABadRecordType() {
        #expect(refusal(record(type: "1"))?.contains("record type") == true)
    }

    @Test func refusesALinkThatLeavesTheZone() {
        let elsewhere = Record.ID(recordName: "x", zoneID: RecordZone.ID(zoneName: "Other"))
        var byField = record()
        byField["link"] = Record.Reference(recordID: elsewhere, action: .none)
        #expect(refusal(byField)?.contains("a link cannot leave its zone") == true)
        var byParent = record()
        byParent.setParent(elsewhere)
        #expect(refusal(byParent)?.contains("a link cannot leave its zone") == true)
    }

    @Test func refusesAParentThatWouldDeleteItsChild() {
        var record = record()
        let parentID = Record.ID(recordName: "p", zoneID: zoneID)
        record.parent = Record.Reference(recordID: parentID, action: .deleteSelf)
        #expect(refusal(record)?.contains("must be linked with action .none") == true)
        record.parent = Record.Reference(recordID: parentID, action: .none)
        #expect(refusal(record) == nil)
    }

    @Test func refusesToEncryptLinksAndAssets() {
        let link = Record.Reference(
            recordID: Record.ID(recordName: "x", zoneID: zoneID),
            action: .none
        )
        let values: [RecordValue] = [
            .reference(link), .references([link]), .asset(Asset()), .assets([]),
        ]
        for value in values {
            var record = record()
            record.encryptedValues["field"] = value
            #expect(refusal(record)?.contains("cannot be encrypted") == true)
        }
        var record = record()
        record.encryptedValues["field"] = "text"
        #expect(refusal(record) == nil)
    }
}
