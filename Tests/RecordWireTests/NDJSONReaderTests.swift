import RecordModel
import RecordWire
import Testing

struct NDJSONReaderTests {
    @Test(arguments: [
        ("A\nB", [1, 2]),
        ("A\nB\n", [1, 2]),
        ("A\r\nB\r\n", [1, 2]),
        ("\n \t\r\nA\n\n\nB\n\n", [3, 6]),
        ("\u{FEFF}A\nB", [1, 2]),
        ("A", [1]),
        ("", []),
        ("\n", []),
        ("\u{FEFF}", []),
    ])
    func splitsBytesIntoLines(shape: String, lines: [Int]) throws {
        let text = shape.replacing("A", with: record("a")).replacing("B", with: record("b"))
        var reader = NDJSONReader(text.utf8)
        var found: [Int] = []
        var names: [String] = []
        while let (lineNumber, record) = try reader.next() {
            found.append(lineNumber)
            names.append(record.recordID.recordName)
        }
        #expect(found == lines)
        #expect(names == Array(["a", "b"].prefix(lines.count)))
    }

    @Test func refusesASecondRecordOfTheSameName() {
        #expect(
            outcomes([record("a"), record("b"), record("a")])
                == ["a", "b", "3: duplicate recordName a, first on line 1"]
        )
    }

    @Test func takesTheSameNameInAnotherZone() {
        #expect(outcomes([record("a"), record("a", zone: "Y")]) == ["a", "a"])
    }

    @Test func goesOnBehindALineItRefused() {
        #expect(
            outcomes([record("a"), "{}", "oops", record("b")])
                == [
                    "a", #"2: column 3: no "recordName"; expected the record's name"#,
                    #"3: column 1: found "o"; expected a value"#, "b",
                ]
        )
    }

    @Test func aByteOrderMarkIsRefusedAnywhereElse() {
        #expect(
            outcomes([record("a"), "\u{FEFF}" + record("b")])
                == ["a", "2: column 1: found the byte 0xEF; expected a value"]
        )
    }

    @Test(arguments: [
        (#"{"recordName":"","recordType":"T"}"#, "1: a record name has 1 to 255 characters, not 0"),
        (
            #"{"recordName":"é","recordType":"T"}"#,
            #"1: the record name "é" is not printable ASCII, as names must be"#
        ),
        (
            #"{"recordName":"r","recordType":"T","parent":{"recordName":"p","#
                + #""zoneID":{"zoneName":"Y"}}}"#,
            "1: _defaultZone/r links to Y/p: a link cannot leave its zone"
        ),
    ])
    func refusesWhatTheModelRefuses(line: String, message: String) {
        #expect(outcomes([line]) == [message])
    }

    private func record(_ name: String, zone: String = "Z") -> String {
        #"{"recordName":"\#(name)","recordType":"T","zoneID":{"zoneName":"\#(zone)"}}"#
    }

    /// For each line the record's name, or what is wrong with it.
    private func outcomes(_ lines: [String]) -> [String] {
        var reader = NDJSONReader(lines.joined(separator: "\n").utf8)
        var outcomes: [String] = []
        while true {
            do {
                guard let next = try reader.next() else { return outcomes }
                outcomes.append(next.record.recordID.recordName)
            } catch {
                outcomes.append(error.description)
            }
        }
    }
}
