extension Command {
    /// Prints what a stored state of an engine holds, or in what two of them differ.
    static let inspect = Command(
        "inspect",
        summary: "Prints what an engine's stored state holds, or how two of them differ.",
        operands: [
            Operand(
                "STATE",
                help: "The file: a state's bytes, or their base64 text, also as JSON."
            ),
            Operand(
                "OTHER",
                help: "A later state: what changed since the first is printed.",
                isRequired: false
            ),
        ],
        options: [verbose.option, json.option],
        body: printState
    )

    private static let verbose = Flag(
        "verbose",
        help: "Names the first records of each zone, and shows every difference."
    )
    private static let json = Flag("json", help: "Prints the same as JSON.")

    @Sendable private static func printState(
        _ arguments: Arguments,
        _ output: Output
    ) throws -> CommandStatus {
        let states = try arguments.operands.map(StoredState.init)
        let isVerbose = arguments.has(verbose)
        if states.count == 2 {
            let difference = StateDifference(from: states[0], to: states[1])
            if arguments.has(json) {
                try output.print(json: difference)
            } else {
                for line in difference.lines(isVerbose: isVerbose) { output.print(line) }
            }
        } else {
            let report = StateReport(states[0])
            if arguments.has(json) {
                try output.print(json: report)
            } else {
                for line in report.lines(isVerbose: isVerbose) { output.print(line) }
            }
        }
        return .done
    }
}
