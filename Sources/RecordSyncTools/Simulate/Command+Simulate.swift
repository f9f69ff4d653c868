import SyncSimulation

extension Command {
    /// Runs devices against a server on virtual time, with faults.
    static let simulate = Command(
        "simulate",
        summary: "Runs devices and a server on virtual time, with every fault, and checks all.",
        options: simulateOptions,
        body: simulate
    )

    private static var simulateOptions: [CommandOption] {
        let options = [
            seed.option, seeds.option, devices.option, zones.option, steps.option, faults.option,
            json.option, trace.option, report.option,
        ]
        #if PLANTED_BUGS
            return options + [planted.option]
        #else
            return options
        #endif
    }

    private static let seed = ValueOption<UInt64>(
        "seed",
        "N",
        in: 0...UInt64.max,
        help: "Runs one seed."
    )
    private static let seeds = ValueOption<Range<UInt64>>(
        "seeds",
        "A..<B",
        help: "Runs a range of seeds; 0..<1000 unless a seed is given.",
        expecting: "a range such as 0..<1000",
        parse: seedRange
    )
    private static let devices = ValueOption<Int>(
        "devices",
        "N",
        in: 1...26,
        help: "Devices in each run; 3 unless given."
    )
    private static let zones = ValueOption<Int>(
        "zones",
        "N",
        in: 1...20,
        help: "Zones in each run; 2 unless given."
    )
    private static let steps = ValueOption<Int>(
        "steps",
        "N",
        in: 0...10_000,
        help: "Steps of the plan in each run; 150 unless given."
    )
    private static let faults = ValueOption<FaultSet>(
        "faults",
        "LIST",
        help: "Faults that may happen: all, none, or a list such as F8,F15.",
        expecting: "all, none, or a list such as F8,F15"
    ) { FaultSet($0) }
    private static let json = Flag("json", help: "Prints the result as JSON on the last line.")
    private static let trace = Flag("trace", help: "Prints everything that happens in one seed.")
    private static let report = ValueOption<String>(
        "report",
        "FILE.html",
        help: "Writes a page that shows what happened in the seed, or in the first that failed."
    )
    #if PLANTED_BUGS
        static let planted = Flag(
            "planted",
            help: "Plants one mistake after the other, and says which checker sees it, and when."
        )
    #endif

    @Sendable private static func simulate(
        _ arguments: Arguments,
        _ output: Output
    ) async throws -> CommandStatus {
        if arguments.value(of: seed) != nil, arguments.value(of: seeds) != nil {
            throw UsageError("--seed and --seeds are given; expected one of them")
        }
        var options = SimulationOptions()
        options.deviceCount = arguments.value(of: devices) ?? options.deviceCount
        options.zoneCount = arguments.value(of: zones) ?? options.zoneCount
        options.stepCount = arguments.value(of: steps) ?? options.stepCount
        options.faults = arguments.value(of: faults) ?? options.faults
        var run = SimulateRun(
            seeds: arguments.value(of: seed).map { $0..<($0 &+ 1) }
                ?? arguments.value(of: seeds) ?? 0..<1000,
            options: options
        )
        run.isTracing = arguments.has(trace)
        run.reportPath = arguments.value(of: report)
        #if PLANTED_BUGS
            if arguments.has(planted) { return PlantedBugTable(run).perform(output) }
        #endif
        let result = try await run.perform(output)
        for line in result.lines(options) { output.print(line) }
        if arguments.has(json) { try output.print(json: result.data) }
        return result.failures.isEmpty ? .done : .failed
    }
}

/// Reads `A..<B`.
private func seedRange(_ text: String) -> Range<UInt64>? {
    guard let mark = text.firstRange(of: "..<"), let first = UInt64(text[..<mark.lowerBound]),
        let end = UInt64(text[mark.upperBound...]), first < end
    else { return nil }
    return first..<end
}
