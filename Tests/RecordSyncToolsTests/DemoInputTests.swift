import Testing

struct DemoInputTests {
    @Test(arguments: [
        ("hello", "column 1: found \"h\"; expected a value"),
        ("[]", "column 1: the record is a list; expected an object"),
        (#"{"recordName":"a""#, "column 18: the line ends too early; expected \",\" or \"}\""),
        (
            #"{"recordName":"a","recordType":"T","fields":{"f":{"value":1,"type":"NUMBER"}}}"#,
            """
            column 68: field "f": unknown type "NUMBER"; expected one of STRING, INT64, DOUBLE, \
            TIMESTAMP, BYTES, ASSETID, LOCATION, REFERENCE, STRING_LIST, INT64_LIST, DOUBLE_LIST, \
            TIMESTAMP_LIST, BYTES_LIST, ASSETID_LIST, LOCATION_LIST, REFERENCE_LIST
            """
        ),
        (#"{"recordType":"T"}"#, "column 19: no \"recordName\"; expected the record's name"),
        (
            #"{"recordName":"a","recordType":"T","fields":{"f":{"value":"x","type":"INT64"}}}"#,
            "column 59: field \"f\": the value \"x\" is not an INT64; expected a whole number"
        ),
        (
            #"{"recordName":"a","recordType":"T","parent":{"recordName":"b"}}"#,
            """
            parent "b" is not in the file; expected a record of that name in zone "_defaultZone"
            """
        ),
        (
            #"{"recordName":"a","recordType":"T","parent":{"recordName":"a"}}"#,
            """
            the parents of "a" lead back to it; expected parents that end at a record without one
            """
        ),
        (
            #"{"recordName":"a","recordType":"T","zoneID":{"ownerRecordName":"bob"}}"#,
            """
            zone "_defaultZone" belongs to "bob"; expected a zone of the account itself, \
            without "ownerRecordName"
            """
        ),
        ("", "the file holds no record; expected one record a line"),
        (
            #"{"recordName":"a","recordType":"T","feilds":{}}"#,
            """
            column 45: unknown key "feilds"; expected recordName, recordType, zoneID, parent, \
            fields, recordChangeTag, created or modified
            """
        ),
        (
            #"{"recordName":"a","recordType":"T","zoneID":{"zone":"Z"}}"#,
            #"column 53: unknown key "zone"; expected zoneName or ownerRecordName"#
        ),
        (
            #"{"recordName":"a","recordType":"T","fields":{"f":{"value":1,"kind":"INT64"}}}"#,
            #"column 68: field "f": unknown key "kind"; expected value, type or isEncrypted"#
        ),
        (
            #"{"recordName":"a","recordType":"T","parent":{"recordName":"b","zone":"Z"}}"#,
            #"column 70: unknown key "zone"; expected recordName, zoneID or action"#
        ),
    ])
    func saysOfABadLineWhatWasExpected(line: String, message: String) async throws {
        let demo = try await Demo.run(input: [line])
        #expect(
            demo == Demo(status: 1, errors: "FILE:1: \(message)\nnothing was imported\n")
        )
    }

    @Test func aNameThatStandsTwiceIsToldWithItsFirstLine() async throws {
        let demo = try await Demo.run(input: [Demo.line("a"), "", Demo.line("a")])
        let message = "FILE:3: duplicate recordName a, first on line 1\nnothing was imported\n"
        #expect(demo == Demo(status: 1, errors: message))
    }

    @Test func aParentInAnotherZoneIsRefused() async throws {
        let line =
            #"{"recordName":"b","recordType":"T","zoneID":{"zoneName":"Z"},"#
            + #""parent":{"recordName":"a","zoneID":{}}}"#
        let demo = try await Demo.run(input: [Demo.line("a"), line])
        #expect(demo.status == 1)
        #expect(demo.errors.hasPrefix("FILE:2: Z/b links to _defaultZone/a: a link cannot leave"))
    }

    @Test func everyRecordOfACircleOfParentsIsToldAndNoneBelowIt() async throws {
        let demo = try await Demo.run(
            input: [
                Demo.line("below", parent: "a"), Demo.line("a", parent: "b"),
                Demo.line("b", parent: "a"),
            ]
        )
        let lines = demo.errors.split(separator: "\n")
        #expect(lines.count == 3)
        #expect(lines[0].hasPrefix("FILE:2: the parents of \"a\" lead back to it"))
        #expect(lines[1].hasPrefix("FILE:3: the parents of \"b\" lead back to it"))
    }

    @Test func faultsOfAllKindsAreToldInTheOrderOfTheLines() async throws {
        let demo = try await Demo.run(
            input: [Demo.line("a", parent: "x"), "no", Demo.line("b", parent: "y"), "{}"]
        )
        let lines = demo.errors.split(separator: "\n").map { $0.prefix(7) }
        #expect(lines == ["FILE:1:", "FILE:2:", "FILE:3:", "FILE:4:", "nothing"])
    }

    @Test func twentyBadLinesAreToldOneByOne() async throws {
        let demo = try await Demo.run(input: Array(repeating: "no", count: 20))
        let lines = demo.errors.split(separator: "\n")
        #expect(lines.count == 21)
        #expect(lines[19].hasPrefix("FILE:20: "))
        #expect(lines[20] == "nothing was imported")
    }

    @Test func badLinesBeyondTheTwentiethAreCounted() async throws {
        let demo = try await Demo.run(input: Array(repeating: "no", count: 23))
        let lines = demo.errors.split(separator: "\n")
        #expect(lines.count == 22)
        #expect(lines[19].hasPrefix("FILE:20: "))
        #expect(lines[20] == "and 3 more bad lines")
    }

    @Test(arguments: [
        ("/nowhere/a.ndjson", "there is no such file"), ("/", "this is a folder"),
    ])
    func saysWhyAFileCannotBeRead(path: String, reason: String) async {
        let demo = await Demo.run("--input", path)
        let message = "\(path):1: \(reason); expected a file with one record a line\n"
        #expect(demo == Demo(status: 1, errors: message))
    }
}
