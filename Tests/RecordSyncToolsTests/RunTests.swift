import RecordSyncTools
import Testing

struct RunTests {
    @Test(arguments: [
        Answer(["works"], .done, result: "did it\n"),
        Answer(["fails"], .failed),
        Answer(["breaks"], .failed, errors: "recordsync breaks: the disk is full\n"),
        Answer(["works", "--help"], .done, result: Help.text(of: works) + "\n"),
        Answer(["--help"], .done, result: Help.text(of: all) + "\n"),
        Answer(["-h"], .done, result: Help.text(of: all) + "\n"),
        Answer(["--version"], .done, result: "recordsync \(version)\n"),
        Answer([], .wrongUsage, errors: Help.text(of: all) + "\n"),
        Answer(
            ["wroks"],
            .wrongUsage,
            errors: "recordsync: unknown command \"wroks\"; did you mean \"works\"?\n"
        ),
        Answer(
            ["--vers"],
            .wrongUsage,
            errors: "recordsync: unknown option \"--vers\"; did you mean \"--version\"?\n"
        ),
        Answer(
            ["works", "twice"],
            .wrongUsage,
            errors: "recordsync works: \"twice\" is one argument too many for works\n"
                + "usage: recordsync works\n"
        ),
    ])
    func answersWithStatusResultAndErrors(expected: Answer) async {
        let capture = Capture()
        let status = await run(expected.words, among: Self.all, output: capture.output())
        #expect(
            Answer(
                expected.words,
                status,
                result: capture.standardOutput,
                errors: capture.standardError
            ) == expected
        )
    }

    @Test func theOverallHelpListsTheCommands() {
        #expect(
            Help.text(of: Self.all) == """
                usage: recordsync COMMAND [ARGUMENTS]

                  works      Does it.
                  fails      Checks it.
                  breaks     Cannot.
                  --help     Prints this text, or behind a command that command's.
                  --version  Prints the version.

                exit status: 0 done, 1 the job failed, 2 called in a wrong way
                """
        )
    }

    @Test func theProgramsCommandsHaveNamesAndOptionsOfTheirOwn() {
        #expect(Set(commands.map(\.name)).count == commands.count)
        for command in commands {
            #expect(Set(command.options.map(\.name)).count == command.options.count)
            #expect(command.summary.hasSuffix("."))
        }
    }

    @Test func theNumbersOfTheStatusesAreThePromisedOnes() async {
        let capture = Capture()
        #expect(await run(arguments: ["--version"], output: capture.output()) == 0)
        #expect(
            await run(
                arguments: ["conformance", "--package=/nowhere"],
                output: capture.output()
            ) == 1
        )
        #expect(await run(arguments: ["nothing"], output: capture.output()) == 2)
    }

    private static let works = Command("works", summary: "Does it.") { _, output in
        output.print("did it")
        return .done
    }
    private static let all = [
        works,
        Command("fails", summary: "Checks it.") { _, _ in .failed },
        Command("breaks", summary: "Cannot.") { _, _ in throw JobError("the disk is full") },
    ]
}

/// What the program answers to some words.
struct Answer: Equatable, Sendable {
    let words: [String]
    let status: CommandStatus
    let result: String
    let errors: String

    init(_ words: [String], _ status: CommandStatus, result: String = "", errors: String = "") {
        self.words = words
        self.status = status
        self.result = result
        self.errors = errors
    }
}

struct OutputTests {
    @Test func atATerminalProgressIsRewrittenInPlace() {
        let capture = Capture()
        let output = capture.output(isErrorTerminal: true)
        output.showProgress("1 of 2")
        output.showProgress("2 of 2")
        output.clearProgress()
        #expect(capture.standardError == "\r1 of 2\u{1B}[K\r2 of 2\u{1B}[K\r\u{1B}[K")
        #expect(capture.standardOutput == "")
    }

    @Test func elsewhereProgressIsOneLineAfterTheOther() {
        let capture = Capture()
        let output = capture.output(isErrorTerminal: false)
        output.showProgress("1 of 2")
        output.showProgress("2 of 2")
        output.clearProgress()
        #expect(capture.standardError == "1 of 2\n2 of 2\n")
        #expect(capture.standardOutput == "")
    }

    @Test func jsonIsOneLineWithSortedKeys() throws {
        let capture = Capture()
        try capture.output().print(json: ["b": "a/b", "a": "é\n"])
        #expect(capture.standardOutput == #"{"a":"é\n","b":"a/b"}"# + "\n")
    }
}
