import RecordWire
import Testing

/// What a line must be beyond strict JSON, and what its writer is told.
struct RefusalTests {
    @Test(arguments: [
        ("", #"column 1: the line ends too early; expected a value"#),
        ("[]", #"column 1: the record is a list; expected an object"#),
        ("7", #"column 1: the record is a number; expected an object"#),
        ("{}", #"column 3: no "recordName"; expected the record's name"#),
        (#"{"recordName":"r"}"#, #"column 19: no "recordType"; expected what the record is"#),
        (#"{"recordName":1}"#, #"column 15: "recordName" is a number; expected text"#),
        (#"{"recordType":null}"#, #"column 15: "recordType" is null; expected text"#),
        (#"{"zoneID":"Z"}"#, #"column 11: "zoneID" is text; expected an object"#),
        (#"{"zoneID":{"zoneName":[]}}"#, #"column 23: "zoneName" is a list; expected text"#),
        (#"{"fields":[]}"#, #"column 11: "fields" is a list; expected an object"#),
        (
            #"{"parent":{}}"#,
            #"column 13: no "recordName" in "parent"; expected the name of the record linked to"#
        ),
        (
            #"{"created":{}}"#,
            #"column 14: no "timestamp" in "created"; expected whole milliseconds since 1970"#
        ),
        (
            #"{"created":{"timestamp":1}}"#,
            #"column 27: no "userRecordName" in "created"; expected the user's record name"#
        ),
        (
            #"{"modified":{"timestamp":1.5}}"#,
            #"column 26: "timestamp" is not a TIMESTAMP; expected whole milliseconds since 1970"#
        ),
        (
            #"{"deleted":true}"#,
            #"column 16: the record is marked as deleted; expected one that exists"#
        ),
    ])
    func refusesWhatIsNoRecord(line: String, message: String) {
        #expect(fault(line) == message)
    }

    @Test(arguments: [
        (#"7"#, #"it is a number; expected an object"#),
        (#"{}"#, #"no "value"; expected a value, or null"#),
        (#"{"value":true}"#, #"no "type" beside true or false; expected the value's type"#),
        (#"{"value":[1]}"#, #"no "type" beside a list; expected the value's type"#),
        (#"{"value":1,"type":7}"#, #""type" is a number; expected text"#),
        (#"{"value":1,"isEncrypted":1}"#, #""isEncrypted" is a number; expected true or false"#),
        (
            #"{"value":1,"type":"INT"}"#,
            #"unknown type "INT"; expected one of STRING, INT64, DOUBLE, "#
                + "TIMESTAMP, BYTES, ASSETID, LOCATION, REFERENCE, STRING_LIST, INT64_LIST, "
                + "DOUBLE_LIST, "
                + "TIMESTAMP_LIST, BYTES_LIST, ASSETID_LIST, LOCATION_LIST, REFERENCE_LIST"
        ),
    ])
    func refusesWhatIsNoField(field: String, message: String) {
        #expect(messageWithoutColumn(field) == #"field "f": "# + message)
    }

    @Test(arguments: [
        (#"{"value":1,"type":"STRING"}"#, "the value 1 is not a STRING; expected text in quotes"),
        (
            #"{"value":"abc","type":"INT64"}"#,
            #"the value "abc" is not an INT64; expected a whole number"#
        ),
        (
            #"{"value":1.0,"type":"INT64"}"#,
            "the value 1.0 is not an INT64; expected a whole number"
        ),
        (
            #"{"value":9223372036854775808}"#,
            "the value 9223372036854775808 is not an INT64; "
                + "expected a whole number from -9223372036854775808 to 9223372036854775807"
        ),
        (
            #"{"value":-9223372036854775809}"#,
            "the value -9223372036854775809 is not an INT64; "
                + "expected a whole number from -9223372036854775808 to 9223372036854775807"
        ),
        (
            #"{"value":1e400}"#,
            "the value 1e400 is not a DOUBLE; expected a number that fits into 64 bits"
        ),
        (
            #"{"value":"nan","type":"DOUBLE"}"#,
            #"the value "nan" is not a DOUBLE; expected a number"#
        ),
        (
            #"{"value":1.5,"type":"TIMESTAMP"}"#,
            "the value 1.5 is not a TIMESTAMP; expected whole milliseconds since 1970"
        ),
        (
            #"{"value":"AAA","type":"BYTES"}"#,
            #"the value "AAA" is not a BYTES; expected base64 in quotes"#
        ),
        (
            #"{"value":"AAB=","type":"BYTES"}"#,
            #"the value "AAB=" is not a BYTES; expected base64 in quotes"#
        ),
        (
            #"{"value":"A===","type":"BYTES"}"#,
            #"the value "A===" is not a BYTES; expected base64 in quotes"#
        ),
        (
            #"{"value":"A-_A","type":"BYTES"}"#,
            #"the value "A-_A" is not a BYTES; expected base64 in quotes"#
        ),
        (
            #"{"value":"x","type":"ASSETID"}"#,
            #"the value "x" is not an ASSETID; expected an object with "fileChecksum" and "size""#
        ),
        (
            #"{"value":1,"type":"LOCATION"}"#,
            #"the value 1 is not a LOCATION; expected an object with "latitude" and "longitude""#
        ),
        (
            #"{"value":"CO","type":"REFERENCE"}"#,
            #"the value "CO" is not a REFERENCE; expected an object with "recordName" and "action""#
        ),
        (
            #"{"value":"a","type":"STRING_LIST"}"#,
            #"the value "a" is not a STRING_LIST; expected a list"#
        ),
        (
            #"{"value":["a",2],"type":"STRING_LIST"}"#,
            "element 2 of the list 2 is not a STRING_LIST; expected text in quotes"
        ),
        (
            #"{"value":[null],"type":"INT64_LIST"}"#,
            "element 1 of the list null is not an INT64_LIST; expected a whole number"
        ),
        (
            #"{"value":"0123456789012345678901234567890123456789","type":"INT64"}"#,
            #"the value "012345678901234567890123456789012345678… is not an INT64; "#
                + "expected a whole number"
        ),
    ])
    func refusesAValueOfAnotherType(field: String, message: String) {
        #expect(messageWithoutColumn(field) == #"field "f": "# + message)
    }

    @Test(arguments: [
        (
            #"{"value":{"fileChecksum":"AAAA"},"type":"ASSETID"}"#,
            #""fileChecksum" is not a SHA-256; expected 32 bytes in base64"#
        ),
        (
            #"{"value":{"size":-1},"type":"ASSETID"}"#,
            #""size" is not a length; expected a whole number of bytes, 0 or more"#
        ),
        (#"{"value":{"latitude":1},"type":"LOCATION"}"#, #"no "longitude"; expected degrees east"#),
        (
            #"{"value":{"longitude":1},"type":"LOCATION"}"#,
            #"no "latitude"; expected degrees north"#
        ),
        (
            #"{"value":{"latitude":"N"},"type":"LOCATION"}"#,
            #""latitude" is text; expected a number"#
        ),
        (
            #"{"value":{"latitude":1e999},"type":"LOCATION"}"#,
            #""latitude" is too large; expected a number of 64 bits"#
        ),
        (
            #"{"value":{"timestamp":0.5},"type":"LOCATION"}"#,
            #""timestamp" is not a TIMESTAMP; expected whole milliseconds since 1970"#
        ),
        (
            #"{"value":{"action":"NONE"},"type":"REFERENCE"}"#,
            #"no "recordName" in the value; expected the name of the record linked to"#
        ),
        (
            #"{"value":{"recordName":"x"},"type":"REFERENCE"}"#,
            #"no "action"; expected "NONE" or "DELETE_SELF""#
        ),
        (
            #"{"value":{"action":"VALIDATE"},"type":"REFERENCE"}"#,
            #"unknown action "VALIDATE"; expected "NONE" or "DELETE_SELF""#
        ),
    ])
    func refusesABadPartOfAValue(field: String, message: String) {
        #expect(messageWithoutColumn(field) == #"field "f": "# + message)
    }

    @Test func namesTheColumnOfTheValue() {
        let line = Sample.line(field: #"{ "value": "abc", "type": "INT64" }"#)
        #expect(
            fault(line)
                == #"column 61: field "f": the value "abc" is not an INT64; "#
                + "expected a whole number"
        )
    }

    @Test func anEncryptedValueIsNeverShown() {
        let field = #"{"value":"secret","type":"INT64","isEncrypted":true}"#
        #expect(
            messageWithoutColumn(field)
                == #"field "f": the value is not an INT64; expected a whole number"#
        )
    }

    @Test func aKeyCannotForgeALineOfALog() {
        let line = #"{"recordName":"r","recordType":"T","fields":{"a\nb":7}}"#
        #expect(fault(line) == #"column 53: field "a\nb": it is a number; expected an object"#)
    }

    private func messageWithoutColumn(_ field: String) -> Substring {
        fault(Sample.line(field: field)).split(separator: ": ", maxSplits: 1).last ?? ""
    }
}
