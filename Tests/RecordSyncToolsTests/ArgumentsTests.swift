import RecordSyncTools
import Testing

struct ArgumentsTests {
    private static let json = Flag("json", help: "Prints JSON.")
    private static let input = ValueOption<String>("input", "FILE", help: "The records.")
    private static let seed = ValueOption<UInt8>("seed", "N", in: 1...9, help: "The seed.")
    private static let command = Command(
        "demo",
        summary: "Shows it.",
        operands: [
            Operand("KIND", help: "What.", choices: ["pending", "engine"]),
            Operand("OTHER", help: "More.", isRequired: false),
        ],
        options: [json.option, input.option, seed.option]
    ) { _, _ in .done }

    @Test func readsFlagsValuesAndOperandsInAnyOrder() throws {
        let arguments = try parse(["--input", "a.ndjson", "engine", "--json", "--seed=9", "b"])
        #expect(arguments.operands == ["engine", "b"])
        #expect(arguments.has(Self.json))
        #expect(arguments.value(of: Self.input) == "a.ndjson")
        #expect(arguments.value(of: Self.seed) == 9)
    }

    @Test func whatIsNotGivenIsNotThere() throws {
        let arguments = try parse(["engine"])
        #expect(!arguments.has(Self.json))
        #expect(arguments.value(of: Self.input) == nil)
        #expect(!arguments.asksForHelp)
    }

    @Test(arguments: [
        (["--input=", "engine"], ""),
        (["--input=a=b", "engine"], "a=b"),
        (["--input=--json", "engine"], "--json"),
        (["--input", "-", "engine"], "-"),
        (["--input", "-1", "engine"], "-1"),
    ])
    func takesEveryTextForAValue(words: [String], value: String) throws {
        #expect(try parse(words).value(of: Self.input) == value)
    }

    @Test func behindTwoDashesEverythingIsAnOperand() throws {
        #expect(try parse(["--", "engine", "--json"]).operands == ["engine", "--json"])
    }

    @Test func oneDashAloneIsAnOperand() throws {
        #expect(try parse(["engine", "-"]).operands == ["engine", "-"])
    }

    @Test(arguments: [["--help"], ["-h"], ["engine", "--help", "--unknown"]])
    func helpIsAskedForWhateverStandsBehind(words: [String]) throws {
        #expect(try parse(words).asksForHelp)
    }

    @Test func helpBehindTwoDashesIsAnOperand() throws {
        #expect(try !parse(["engine", "--", "--help"]).asksForHelp)
    }

    @Test(arguments: [
        (["--jsn"], #"unknown option "--jsn"; did you mean "--json"?"#),
        (["--see=1"], #"unknown option "--see"; did you mean "--seed"?"#),
        (["-x"], #"unknown option "-x"; did you mean "--json"?"#),
        (["--hlp"], #"unknown option "--hlp"; did you mean "--help"?"#),
        (["--json=yes"], "--json takes no value"),
        (["--json", "--json"], "--json is given twice; expected it once"),
        (["--input", "a", "--input=b"], "--input is given twice; expected it once"),
        (["--input"], "--input needs a value: FILE"),
        (["--input", "--json"], "--input needs a value: FILE"),
        (["--seed", "0"], #"--seed is given "0"; expected a whole number from 1 to 9"#),
        (["--seed", "10"], #"--seed is given "10"; expected a whole number from 1 to 9"#),
        (["--seed", "x"], #"--seed is given "x"; expected a whole number from 1 to 9"#),
        ([], "no pending|engine is given"),
        (["engin"], #"unknown KIND "engin"; did you mean "engine"?"#),
        (["engine", "b", "c"], #""c" is one argument too many for demo"#),
    ])
    func refusesWrongUsage(words: [String], message: String) {
        #expect(throws: UsageError(message)) { try parse(words) }
    }

    @Test func theHelpTextIsMadeFromTheDeclaration() {
        #expect(
            Help.text(of: Self.command) == """
                usage: recordsync demo [--json] [--input FILE] [--seed N] pending|engine [OTHER]

                Shows it.

                  pending|engine  What.
                  [OTHER]         More.
                  --json          Prints JSON.
                  --input FILE    The records.
                  --seed N        The seed.
                  --help          Prints this text.
                """
        )
    }

    private func parse(_ words: [String]) throws(UsageError) -> Arguments {
        try Arguments(words, of: Self.command)
    }
}
