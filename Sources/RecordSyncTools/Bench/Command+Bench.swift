import RecordSync

extension Command {
    /// Measures the engine.
    static let bench = Command(
        "bench",
        summary:
            "Measures what the engine costs: its steps, beside a bare loop, and storing its state.",
        operands: [
            Operand(
                "WHAT",
                help: "pending: steps with 1,000 to 1,000,000 pending changes; "
                    + "engine: 100,000 records sent and fetched, beside a bare loop; "
                    + "state: every state update of 100,000 changes stored, beside snapshots; "
                    + "latency: 40 edits on their way to another device, through a server that "
                    + "is 100 ms away.",
                choices: ["pending", "engine", "state", "latency"]
            )
        ],
        options: [most.option, json.option, check.option],
        body: measure
    )

    private static let most = ValueOption<Int>(
        "most",
        "N",
        in: 1...10_000_000,
        help: "The largest number of pending changes, of records, or of edits."
    )
    private static let json = Flag("json", help: "Prints the figures as JSON on the last line.")
    private static let check = Flag("check", help: "Exits with 1 if a figure is over its limit.")

    @Sendable private static func measure(
        _ arguments: Arguments,
        _ output: Output
    ) async throws -> CommandStatus {
        let verdict: BenchVerdict
        let isOfEdits = arguments.operands[0] == "latency"
        if let most = arguments.value(of: most), most < 1_000, !isOfEdits {
            throw UsageError("--most is given \"\(most)\"; expected 1000 at least")
        }
        switch arguments.operands[0] {
        case "pending":
            let report = PendingReport(most: arguments.value(of: most) ?? 1_000_000, output)
            verdict = report.verdict
            report.lines.forEach(output.print)
            if arguments.has(json) { try output.print(json: report.data) }
        case "state":
            let report = try StateBenchReport(
                changeCount: arguments.value(of: most) ?? 100_000,
                output
            )
            verdict = report.verdict
            report.lines.forEach(output.print)
            if arguments.has(json) { output.print(report.json) }
        case "latency":
            let report = try await LatencyReport(
                editCount: arguments.value(of: most) ?? 40,
                output
            )
            verdict = report.verdict
            report.lines.forEach(output.print)
            if arguments.has(json) { try output.print(json: report.data) }
        case _:
            let report = try await EngineReport(
                recordCount: arguments.value(of: most) ?? 100_000,
                output
            )
            verdict = report.verdict
            report.lines.forEach(output.print)
            if arguments.has(json) { try output.print(json: report.data) }
        }
        return verdict.isHeld || !arguments.has(check) ? .done : .failed
    }
}

/// Whether figures keep within their limits.
struct BenchVerdict: Sendable {
    /// A limit, the figure that is held against it, and what it is about.
    struct Row: Sendable {
        var what: String
        var figure: Double
        var limit: Double

        var isHeld: Bool { figure <= limit }

        var line: String {
            "\(isHeld ? "held" : "OVER")  \(what): \(rounded(figure)) of at most \(rounded(limit))"
        }
    }

    var rows: [Row] = []

    var isHeld: Bool { rows.allSatisfy(\.isHeld) }

    mutating func add(_ what: String, _ figure: Double, atMost limit: Double) {
        rows.append(Row(what: what, figure: figure, limit: limit))
    }
}

/// A figure with two decimals.
func rounded(_ figure: Double) -> String {
    let hundredths = (figure * 100).rounded()
    let whole = Int(hundredths) / 100
    let rest = Int(hundredths.magnitude) % 100
    return "\(whole).\(rest < 10 ? "0" : "")\(rest)"
}
