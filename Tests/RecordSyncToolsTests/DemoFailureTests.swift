import RecordSync
import Testing

struct DemoFailureTests {
    @Test func aRecordOverTheServersLimitIsToldAndTheRestConverges() async throws {
        let demo = try await Demo.run(
            "--json",
            input: [
                Demo.line("ok"), Demo.line("big", text: String(repeating: "x", count: 1_000_000)),
                Demo.line("child", parent: "big"),
            ]
        )
        #expect(demo.status == 1)
        #expect(
            demo.errors.hasSuffix(
                """
                FILE:2: the server refused _defaultZone/big: limitExceeded: \
                _defaultZone/big has 1000049 bytes, a record has at most 1000000
                FILE:3: the server refused _defaultZone/child: referenceViolation: \
                _defaultZone/child needs _defaultZone/big, which is missing
                not done: the server refused 2 records

                """
            )
        )
        let json = try demo.json
        #expect(json.converged)
        #expect(json.counts == [1, 1, 0, 2, 1, 1])
    }

    @Test func aRecordWithoutRoomForAnEditIsNotTheOneThatIsEdited() async throws {
        let text = String(repeating: "x", count: 999_900)
        let demo = try await Demo.run("--json", input: [Demo.line("full", text: text)])
        #expect(demo.status == 0)
        #expect(try demo.json.conflicts == 1)
        #expect(demo.errors.contains("\n  _defaultZone/demo-1: B met an edit of A;"))
    }

    @Test func aConflictAndARelaunchComeEvenIfEverythingWasRefused() async throws {
        let text = String(repeating: "x", count: 1_000_000)
        let demo = try await Demo.run("--json", input: [Demo.line("big", text: text)])
        #expect(demo.status == 1)
        let json = try demo.json
        #expect(json.counts == [0, 1, 0, 1, 1, 1])
    }
}

struct DemoKeepTests {
    @Test func eachDevicesLastStateAndThoseOfRelaunchesAreKept() async throws {
        let folder = try TemporaryFolder()
        let demo = await Demo.run("--keep", folder.path)
        #expect(demo.status == 0)
        #expect(
            try folder.names == [
                "A.state", "B-relaunch.state", "B.state", "C-relaunch.state", "C.state",
            ]
        )
        for name in try folder.names {
            #expect(throws: Never.self) {
                try StateSerialization(bytes: folder.bytes(name))
            }
        }
    }

    @Test func aFolderThatCannotBeMadeIsToldBeforeAnythingIsDone() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("taken", "x")
        let demo = await Demo.run("--keep", file + "/states")
        #expect(
            demo
                == Demo(
                    status: 1,
                    errors: "recordsync demo: cannot make the folder \(file)/states; "
                        + "expected one to write states to\n"
                )
        )
    }
}
