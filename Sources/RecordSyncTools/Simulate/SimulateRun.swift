import SyncSimulation

/// Runs many seeds on both halves of a range at once, and adds up what they showed.
struct SimulateRun {
    var seeds: Range<UInt64>
    var options: SimulationOptions
    var isTracing = false
    var reportPath: String?

    init(seeds: Range<UInt64>, options: SimulationOptions) {
        self.seeds = seeds
        self.options = options
    }

    /// Seeds that one task runs before it says how far it is.
    private static let chunkSize: UInt64 = 25
    private static let taskCount = 2

    func perform(_ output: Output) async throws -> SimulateResult {
        let clock = ContinuousClock()
        let start = clock.now
        var result = SimulateResult(seedCount: seeds.count)
        if isTracing { trace(seeds.lowerBound, output) }
        await withTaskGroup(of: SimulateResult.self) { group in
            var next = seeds.lowerBound
            func addChunk() {
                guard next < seeds.upperBound else { return }
                let chunk = next..<min(next + Self.chunkSize, seeds.upperBound)
                next = chunk.upperBound
                let options = options
                group.addTask { SimulateRun.run(chunk, options) }
            }
            for _ in 0..<Self.taskCount { addChunk() }
            var shown = start
            while let part = await group.next() {
                result.add(part)
                addChunk()
                guard clock.now - shown > .seconds(2) else { continue }
                shown = clock.now
                output.showProgress(
                    "\(result.runCount) of \(seeds.count) seeds, "
                        + "\(result.failures.count) failures"
                )
            }
        }
        output.clearProgress()
        result.wallSeconds = (clock.now - start) / .seconds(1)
        result.failures.sort { $0.seed < $1.seed }
        tellStories(of: &result)
        if let reportPath { try writeReport(to: reportPath, of: result) }
        return result
    }

    private static func run(
        _ seeds: Range<UInt64>,
        _ options: SimulationOptions
    ) -> SimulateResult {
        var result = SimulateResult(seedCount: seeds.count)
        for seed in seeds { result.add(Simulation.run(seed: seed, options: options)) }
        return result
    }

    private func trace(_ seed: UInt64, _ output: Output) {
        let run = Simulation.run(seed: seed, options: options, isTold: true)
        for line in run.diary.lines { output.print(line.line) }
    }

    /// Shrinks the first failures and tells them in words.
    private func tellStories(of result: inout SimulateResult) {
        for position in result.failures.indices.prefix(3) {
            let failure = result.failures[position]
            let plan = Simulation.shrink(
                Plan(seed: failure.seed, options: options),
                options: options,
                keeping: failure.verdict
            )
            let run = Simulation.run(plan, options: options)
            result.failures[position].story = plan.steps.map { "\($0.action)" }
            guard let verdict = run.verdict else { continue }
            result.failures[position].story.append("then \(verdict.checker): \(verdict.what)")
        }
    }

    /// Shows the first seed that failed, or the first of all.
    private func writeReport(to path: String, of result: SimulateResult) throws {
        let seed = result.failures.first?.seed ?? seeds.lowerBound
        let run = Simulation.run(seed: seed, options: options, isTold: true)
        try write(SimulationPage(run: run, options: options).html, to: path)
    }
}

extension Diary.Line {
    /// The line for a person.
    var line: String {
        let name = device.map(deviceName) ?? "-"
        return "\(padded(rounded(time / .seconds(1)), to: 12)) \(name) "
            + "\(padded(kind.rawValue, to: 8)) \(text)"
    }
}
