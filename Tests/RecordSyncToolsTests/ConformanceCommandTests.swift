import RecordSyncTools
import Testing

struct ConformanceCommandTests {
    @Test func listsTheTestsOfThisPackage() async {
        let capture = Capture()
        let status = await run(
            arguments: ["conformance", "--package", packageFolder, "--rules", "H"],
            output: capture.output()
        )
        #expect(status == 0)
        #expect(capture.standardError == "")
        #expect(
            capture.standardOutput.split(separator: "\n").contains(
                "H115  StrictJSONTests.nestsAtMostThirtyTwoDeep "
                    + "(Tests/RecordWireTests/StrictJSONTests.swift)"
            )
        )
    }

    @Test func printsRowsAsJSONForAnotherProgram() async {
        let capture = Capture()
        let status = await run(
            arguments: ["conformance", "--package=\(packageFolder)", "--rules=H", "--json"],
            output: capture.output()
        )
        #expect(status == 0)
        #expect(capture.standardOutput.hasPrefix(#"[{"number":"H"#))
        #expect(
            capture.standardOutput.contains(
                #"{"file":"Tests/RecordWireTests/StrictJSONTests.swift","line":"#
            )
        )
    }

    @Test(arguments: [
        (["--rules", "h"], 2, "--rules is given \"h\"; expected letters with commas between them"),
        (["--rules=H,,P"], 2, "--rules is given \"H,,P\"; expected letters with commas"),
        (
            ["--package=/nowhere"], 1,
            "there is no folder /nowhere/Tests; expected a package's folder"
        ),
        (["--package", packageFolder + "/Tests"], 1, "there is no folder"),
    ])
    func saysWhatItCannotUse(words: [String], status: Int32, message: String) async {
        let capture = Capture()
        #expect(await run(arguments: ["conformance"] + words, output: capture.output()) == status)
        #expect(capture.standardError.hasPrefix("recordsync conformance: \(message)"))
        #expect(capture.standardOutput == "")
    }
}

/// The folder of this package.
private let packageFolder = #filePath.split(separator: "/", omittingEmptySubsequences: false)
    .dropLast(3).joined(separator: "/")
