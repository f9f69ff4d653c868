import SyncSimulation

/// Runs many seeds and adds up what they showed.
struct SimulateRun {
    var seeds: Range<UInt64>
    var options: SimulationOptions
    var isTracing = false
    var reportPath: String?
    var isInProcess = false

    init(seeds: Range<UInt64>, options: SimulationOptions) {
        self.seeds = seeds
        self.options = options
    }

    func perform(_ output: Output) -> SimulateResult {
        let clock = ContinuousClock()
        let start = clock.now
        var result = SimulateResult(seedCount: seeds.count)
        var shown = start
        for seed in seeds {
            result.add(Simulation.run(seed: seed, options: options, isTold: isTracing))
            if isTracing { trace(seed, output) }
            guard clock.now - shown > .seconds(2) else { continue }
            shown = clock.now
            output.showProgress(
                "\(result.runCount) of \(seeds.count) seeds, "
                    + "\(result.failures.count) failures"
            )
        }
        output.clearProgress()
        result.wallSeconds = (clock.now - start) / .seconds(1)
        tellStories(of: &result)
        return result
    }

    private func trace(_ seed: UInt64, _ output: Output) {
        let run = Simulation.run(seed: seed, options: options, isTold: true)
        for line in run.diary.lines { output.print(line.text(isLong: true)) }
    }

    /// Shrinks the first failures and tells them in words.
    private func tellStories(of result: inout SimulateResult) {
        for position in result.failures.indices.prefix(3) {
            let failure = result.failures[position]
            guard failure.verdict.kind != .crash else { continue }
            let plan = Simulation.shrink(
                Plan(seed: failure.seed, options: options),
                options: options,
                keeping: failure.verdict
            )
            let run = Simulation.run(plan, options: options, isTold: true)
            result.failures[position].story = story(of: run, plan)
        }
    }

    private func story(of run: Simulation.Result, _ plan: Plan) -> [String] {
        var lines = plan.steps.map { "\($0.action)" }
        if let verdict = run.verdict { lines.append("then \(verdict.checker): \(verdict.what)") }
        return lines
    }
}

extension Diary.Line {
    /// The line for a person.
    func text(isLong: Bool) -> String {
        let seconds = rounded(time / .seconds(1))
        let name = device.map(deviceName) ?? "-"
        return "\(padded(seconds, to: 12)) \(name) \(padded(kind.rawValue, to: 8)) \(text)"
    }
}
