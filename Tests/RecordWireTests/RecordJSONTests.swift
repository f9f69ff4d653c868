import RecordModel
import RecordWire
import Testing

struct RecordJSONTests {
    @Test(arguments: Sample.all)
    func writesALineAsItWasRead(sample: String) throws {
        #expect(line(try record(sample)) == sample)
    }

    @Test func readsASubdivisionWithItsParentAndItsLinkInItsOwnZone() throws {
        let zoneID = RecordZone.ID(zoneName: "Places")
        let countryID = Record.ID(recordName: "AF", zoneID: zoneID)
        var expected = Record(
            recordType: "Subdivision",
            recordID: Record.ID(recordName: "AF-JOW", zoneID: zoneID)
        )
        expected.setParent(countryID)
        expected["country"] = Record.Reference(recordID: countryID, action: .none)
        expected["kind"] = "Province"
        expected["name"] = "Jowzjān"
        #expect(try record(Sample.subdivision) == expected)
    }

    @Test func linksAreTheSameWhereTheZoneStandsBehindThem() throws {
        let late =
            #"{"fields":{"country":{"type":"REFERENCE","value":{"action":"NONE","#
            + #""recordName":"AF"}}},"#
            + #""parent":{"recordName":"AF"},"zoneID":{"zoneName":"Places"},"recordType":"S","#
            + #""recordName":"AF-JOW"}"#
        let early =
            #"{"recordName":"AF-JOW","recordType":"S","zoneID":{"zoneName":"Places"},"#
            + #""parent":{"recordName":"AF"},"fields":{"country":{"value":{"recordName":"AF","#
            + #""action":"NONE"},"type":"REFERENCE"}}}"#
        #expect(try record(late) == record(early))
    }

    @Test func aRecordWithoutATagHasEverythingToSend() throws {
        let record = try record(Sample.subdivision)
        #expect(record.changedKeys() == ["country", "kind", "name"])
        #expect(record.isParentChanged)
    }

    @Test func aRecordWithATagHasOnlyItsRemovalsToSend() throws {
        let record = try record(Sample.stored)
        #expect(record.changedKeys() == ["title"])
        #expect(!record.isParentChanged)
    }

    @Test func readsTagStampsAndOwner() throws {
        let record = try record(Sample.stored)
        let zoneID = RecordZone.ID(zoneName: "Notes", ownerName: "_ada")
        #expect(
            record.systemFields
                == Record.SystemFields(
                    recordType: "Note",
                    recordID: Record.ID(recordName: "n1", zoneID: zoneID),
                    recordChangeTag: "7f",
                    creation: Record.Stamp(
                        timestamp: Timestamp(millisecondsSince1970: 1_700_000_000_000),
                        userRecordName: "_ada",
                        deviceID: "desk"
                    ),
                    modification: Record.Stamp(
                        timestamp: Timestamp(millisecondsSince1970: 1_700_000_000_001),
                        userRecordName: "_bo"
                    ),
                    parent: Record.Reference(
                        recordID: Record.ID(recordName: "n0", zoneID: zoneID),
                        action: .none
                    )
                )
        )
    }

    @Test func anEncryptedFieldIsFoundAmongTheEncryptedOnly() throws {
        let record = try record(Sample.stored)
        let plain: String? = record["text"]
        let encrypted: String? = record.encryptedValues["text"]
        #expect(plain == nil)
        #expect(encrypted == "a \"quoted\" \\ line\nand \u{7} more")
    }

    @Test func writesFieldsInTheOrderOfTheirNames() throws {
        let unsorted = Sample.line(field: #"{"value":1},"b":{"value":2},"a":{"value":3}"#)
        #expect(
            line(try record(unsorted))
                == #"{"recordName":"r","recordType":"T","zoneID":{"zoneName":"_defaultZone"},"#
                + #""fields":{"a":{"value":3,"type":"INT64"},"b":{"value":2,"type":"INT64"},"#
                + #""f":{"value":1,"type":"INT64"}}}"#
        )
    }

    @Test func ignoresKeysItDoesNotKnow() throws {
        let more =
            #" { "pluginFields" : {"a":[1,{"b":null}]}, "deleted":false, "recordName":"r" ,"#
            + #""recordType":"T","zoneID":{"zoneType":"REGULAR_CUSTOM_ZONE","zoneName":"Z"},"#
            + #""created":{"timestamp":1,"userRecordName":"u","x":true},"fields":{"f":{"#
            + #""x":-0.5e-3,"#
            + #""value":"v"}}} "#
        let less =
            #"{"recordName":"r","recordType":"T","zoneID":{"zoneName":"Z"},"#
            + #""created":{"timestamp":1,"userRecordName":"u"},"#
            + #""fields":{"f":{"value":"v","type":"STRING"}}}"#
        #expect(line(try record(more)) == less)
    }

    @Test func theFilesPathStaysOnTheDevice() throws {
        var record = Record(recordType: "T", recordID: Record.ID(recordName: "r"))
        record["f"] = Asset(filePath: "/home/ada/photo", byteCount: 3)
        #expect(
            line(record)
                == #"{"recordName":"r","recordType":"T","zoneID":{"zoneName":"_defaultZone"},"#
                + #""fields":{"f":{"value":{"size":3},"type":"ASSETID"}}}"#
        )
    }
}

struct FieldValueTests {
    @Test(arguments: [
        (#"{"value":"a"}"#, RecordValue.string("a")),
        (#"{"value":"2024"}"#, .string("2024")),
        (#"{"value":3}"#, .int64(3)),
        (#"{"value":-0}"#, .int64(0)),
        (#"{"value":3.0}"#, .double(3)),
        (#"{"value":3e2}"#, .double(300)),
        (#"{"value":3E+2}"#, .double(300)),
    ])
    func infersTextAndNumbersWithoutAType(field: String, expected: RecordValue) throws {
        #expect(try value(field) == expected)
    }

    @Test(arguments: [
        (#"{"value":-9223372036854775808,"type":"INT64"}"#, RecordValue.int64(.min)),
        (#"{"value":9223372036854775807,"type":"INT64"}"#, .int64(.max)),
        (#"{"value":9007199254740993,"type":"INT64"}"#, .int64(9_007_199_254_740_993)),
        (#"{"value":3,"type":"DOUBLE"}"#, .double(3)),
        (#"{"value":1.7976931348623157e308,"type":"DOUBLE"}"#, .double(.greatestFiniteMagnitude)),
        (#"{"value":5e-324,"type":"DOUBLE"}"#, .double(.leastNonzeroMagnitude)),
        (#"{"value":1e-400,"type":"DOUBLE"}"#, .double(0)),
        (#"{"value":"-Infinity","type":"DOUBLE"}"#, .double(-.infinity)),
        (#"{"value":"\/\/\/\/","type":"BYTES"}"#, .bytes([0xFF, 0xFF, 0xFF])),
        (#"{"value":"","type":"BYTES"}"#, .bytes([])),
        (#"{"type":"ASSET","value":{"size":0}}"#, .asset(Asset(byteCount: 0))),
        (#"{"value":"\ud83c\uddfa\u00e9\u0000","type":"STRING"}"#, .string("🇺é\0")),
        (#"{"value":"\b\f\n\r\t\"\\\/","type":"STRING"}"#, .string("\u{8}\u{C}\n\r\t\"\\/")),
    ])
    func readsTheEdgesOfEachType(field: String, expected: RecordValue) throws {
        #expect(try value(field) == expected)
    }

    @Test func minusZeroKeepsItsSign() throws {
        let written = line(try record(Sample.line(field: #"{"value":-0.0}"#)))
        #expect(written.contains(#""f":{"value":-0.0,"type":"DOUBLE"}"#))
    }

    @Test func writesEveryControlCharacterAsAnEscape() throws {
        var record = Record(recordType: "T", recordID: Record.ID(recordName: "r"))
        record["f"] = String(String.UnicodeScalarView((0...0x20).map { UnicodeScalar(UInt8($0)) }))
        #expect(
            line(record).contains(
                #""\u0000\u0001\u0002\u0003\u0004\u0005\u0006\u0007\b\t\n\u000B\f\r\u000E\u000F"#
                    + #"\u0010\u0011\u0012\u0013\u0014\u0015\u0016\u0017\u0018\u0019\u001A"#
                    + #"\u001B\u001C\u001D\u001E\u001F ""#
            )
        )
        #expect(try RecordJSON.record(from: RecordJSON.line(for: record)) == record)
    }

    @Test func takesOldEncryptedBytesForAnEncryptedField() throws {
        let record = try record(Sample.line(field: #"{"value":"AQ==","type":"ENCRYPTED_BYTES"}"#))
        #expect(record.encryptedValues["f"] as RecordValue? == .bytes([1]))
    }

    @Test func nullRemovesTheField() throws {
        let record = try record(Sample.line(field: #"{"value":null,"type":"INT64"}"#))
        #expect(record.allKeys() == [])
        #expect(record.changedKeys() == ["f"])
    }

    @Test(arguments: 0...7)
    func bytesOfEveryLengthComeBack(count: Int) throws {
        let bytes = (0..<UInt8(count)).map { $0 &* 83 &+ 131 }
        var sent = Record(recordType: "T", recordID: Record.ID(recordName: "r"))
        sent["f"] = RecordValue.bytes(bytes)
        #expect(try RecordJSON.record(from: RecordJSON.line(for: sent)) == sent)
    }

    private func value(_ field: String) throws -> RecordValue? {
        try record(Sample.line(field: field))["f"]
    }
}
