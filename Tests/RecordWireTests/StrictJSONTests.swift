import RecordModel
import RecordWire
import TestSupport
import Testing

/// Everything that some JSON readers let through and this one refuses.
struct StrictJSONTests {
    @Test(arguments: [
        ("01", #"column 7: found "1"; expected "," or "}""#),
        ("-", #"column 7: found "}"; expected a digit"#),
        ("1.", #"column 8: found "}"; expected a digit"#),
        ("1e", #"column 8: found "}"; expected a digit"#),
        ("+1", #"column 6: found "+"; expected a value"#),
        (".5", #"column 6: found "."; expected a value"#),
        ("NaN", #"column 6: found "N"; expected a value"#),
        ("0x1F", #"column 7: found "x"; expected "," or "}""#),
        ("tru", #"column 6: found "t"; expected true"#),
        ("nul", #"column 6: found "n"; expected null"#),
        ("'a'", #"column 6: found "'"; expected a value"#),
        ("[1,]", #"column 9: found "]"; expected a value"#),
        ("[1 2]", #"column 9: found "2"; expected "," or "]""#),
        ("[,]", #"column 7: found ","; expected a value"#),
        (#"{"a":1,}"#, #"column 13: found "}"; expected a key in quotes"#),
        (#"{a:1}"#, #"column 7: found "a"; expected a key in quotes"#),
        (#"{"a" 1}"#, #"column 11: found "1"; expected ":""#),
        (#"{"a":1 "b":2}"#, #"column 13: found "\""; expected "," or "}""#),
        (#"{"a":1]"#, #"column 12: found "]"; expected "," or "}""#),
        ("/*c*/1", #"column 6: found "/"; expected a value"#),
        ("\u{7F}", #"column 6: found the byte 0x7F; expected a value"#),
    ])
    func refusesWhatIsNoJSON(value: String, message: String) {
        #expect(fault(#"{"x":\#(value)}"#) == message)
    }

    @Test(arguments: [
        (#""\x""#, #"column 8: found "x"; expected one of " \ / b f n r t u behind a \"#),
        (#""\u12G4""#, #"column 11: found "G"; expected four hexadecimal digits behind \u"#),
        (#""\ud800""#, #"column 7: \uD800 is half a character; expected both halves"#),
        (#""\ud800x""#, #"column 7: \uD800 is half a character; expected both halves"#),
        (#""\ud800\u0041""#, #"column 7: \uD800 is half a character; expected both halves"#),
        (#""\udc00\ud800""#, #"column 7: \uDC00 is half a character; expected both halves"#),
        ("\"\t\"", #"column 7: the byte 0x09 stands in a text; expected an escape such as \n"#),
    ])
    func refusesBadText(value: String, message: String) {
        #expect(fault(#"{"x":\#(value)}"#) == message)
    }

    @Test(
        arguments: [
            [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xC3], [0xC3, 0x28], [0xE0, 0x9F, 0xBF],
            [0xED, 0xA0, 0x80], [0xE2, 0x82], [0xF0, 0x8F, 0xBF, 0xBF], [0xF4, 0x90, 0x80, 0x80],
            [0xF5, 0x80, 0x80, 0x80], [0xFF], [0xF0, 0x9F, 0x87, 0x22],
        ] as [[UInt8]]
    )
    func refusesWhatIsNotUTF8(bytes: [UInt8]) {
        let line = Array(#"{"x":""#.utf8) + bytes + Array(#""}"#.utf8)
        #expect(fault(line) == "column 7: the bytes of a text are not UTF-8; expected UTF-8")
    }

    @Test(arguments: [
        "\u{80}", "\u{7FF}", "\u{800}", "\u{D7FF}", "\u{E000}", "\u{10000}", "\u{10FFFF}",
    ])
    func takesTheFirstAndLastCharacterOfEachLength(text: String) throws {
        let record = try record(Sample.line(field: #"{"value":"\#(text)"}"#))
        #expect(record["f"] as String? == text)
    }

    @Test(
        .holds("H111"),
        arguments: [
            (
                #"{"recordName":"a","recordName":"b"}"#,
                #"column 19: the key "recordName" stands twice; expected it once"#
            ),
            (
                #"{"x":{"a":1,"\u0061":2}}"#,
                #"column 13: the key "a" stands twice; expected it once"#
            ),
            (
                #"{"fields":{"a":{"value":1},"a":{"value":1}}}"#,
                #"column 28: the key "a" stands twice; expected it once"#
            ),
            (
                #"{"fields":{"a":{"value":1,"value":1}}}"#,
                #"column 27: field "a": the key "value" stands twice; expected it once"#
            ),
        ]
    )
    func refusesAKeyThatStandsTwice(line: String, message: String) {
        #expect(fault(line) == message)
    }

    @Test(arguments: [1, 15, 16, 17, 40])
    func findsAKeyThatStandsTwiceAmongMany(count: Int) {
        let keys = (0..<count).map { #""k\#($0)":0"# }.joined(separator: ",")
        #expect(
            fault("{\"x\":{\(keys)}}").hasSuffix(#"no "recordName"; expected the record's name"#)
        )
        #expect(
            fault("{\"x\":{\(keys),\"k0\":0}}").hasSuffix(
                #"the key "k0" stands twice; expected it once"#
            )
        )
    }

    @Test func theSameKeyMayStandInTwoObjects() throws {
        let line = #"{"x":{"a":{"a":1},"b":{"a":1}},"recordName":"r","recordType":"T"}"#
        #expect(try record(line).recordID.recordName == "r")
    }

    @Test(
        .holds("H115"),
        arguments: [
            (31, #"no "recordName"; expected the record's name"#),
            (32, "nested too deep; expected at most 32 levels"),
            (200, "nested too deep; expected at most 32 levels"),
            (100_000, "nested too deep; expected at most 32 levels"),
        ]
    )
    func nestsAtMostThirtyTwoDeep(lists: Int, message: String) {
        let open = String(repeating: "[", count: lists)
        let close = String(repeating: "]", count: lists)
        #expect(fault("{\"x\":\(open)\(close)}").hasSuffix(message))
    }

    @Test(arguments: [
        (64, #"no "recordName"; expected the record's name"#),
        (65, "a number of 65 characters; expected at most 64"),
    ])
    func numbersHaveAtMostSixtyFourCharacters(count: Int, message: String) {
        let number = String(repeating: "1", count: count)
        #expect(fault("{\"x\":\(number)}").hasSuffix(message))
    }

    @Test(arguments: [
        (2_000_000, #"no "recordName"; expected the record's name"#),
        (2_000_001, "column 6: a text of 2000001 bytes; expected at most 2000000"),
    ])
    func textsHaveAtMostTwoMillionBytes(count: Int, message: String) {
        let text = String(repeating: "a", count: count)
        #expect(fault("{\"x\":\"\(text)\"}").hasSuffix(message))
    }

    @Test(arguments: [
        (8_000_000, "column 8000001: the line ends too early; expected a value"),
        (8_000_001, "column 1: a line of 8000001 bytes; expected at most 8000000"),
    ])
    func linesHaveAtMostEightMillionBytes(count: Int, message: String) {
        #expect(fault([UInt8](repeating: 0x20, count: count)) == message)
    }

    @Test(arguments: ["x", "{}", ",", "\0"])
    func refusesAnythingBehindTheRecord(rest: String) {
        #expect(fault(Sample.country + " " + rest).hasSuffix("; expected the end of the line"))
    }

    @Test(arguments: Sample.all)
    func refusesALineThatEndsTooEarly(sample: String) {
        let bytes = Array(sample.utf8)
        for count in 0..<bytes.count {
            #expect(fault(bytes[..<count]) != "no error", "cut after \(count) bytes")
        }
    }
}
