import SyncSimulation

/// What many seeds showed.
struct SimulateResult {
    struct Failure {
        var seed: UInt64
        var verdict: Verdict
        /// A few steps that show it too.
        var story: [String] = []
    }

    var seedCount: Int
    var runCount = 0
    var failures: [Failure] = []
    var counts = Counts()
    /// The same for the same seeds in any order.
    var digest: UInt64 = 0
    var wallSeconds = 0.0

    init(seedCount: Int) { self.seedCount = seedCount }

    mutating func add(_ run: Simulation.Result) {
        add(seed: run.seed, run.verdict, run.counts, digest: run.digest)
    }

    mutating func add(_ other: SimulateResult) {
        runCount += other.runCount
        counts += other.counts
        digest &+= other.digest
        failures += other.failures
    }

    mutating func add(seed: UInt64, _ verdict: Verdict?, _ counts: Counts, digest: UInt64) {
        runCount += 1
        self.counts += counts
        var own = Digest()
        own.fold(seed)
        own.fold(digest)
        self.digest &+= own.value
        if let verdict { failures.append(Failure(seed: seed, verdict: verdict)) }
    }
}

extension SimulateResult {
    /// The result for a person.
    func lines(_ options: SimulationOptions) -> [String] {
        var lines: [String] = []
        for failure in failures.prefix(20) {
            lines.append(
                "FAILED seed \(failure.seed), \(failure.verdict.kind.rawValue), "
                    + "\(failure.verdict.checker): \(failure.verdict.what)"
            )
            lines.append(
                "  again: swift run -c release recordsync simulate --seed \(failure.seed) "
                    + "\(options.arguments)"
            )
            lines += failure.story.map { "    \($0)" }
        }
        if failures.count > 20 { lines.append("and \(failures.count - 20) more failures") }
        lines.append(
            "\(runCount) runs, \(counts.steps) steps, \(counts.inputs) inputs of engines, "
                + "\(rounded(counts.virtualSeconds / 3600)) virtual hours in "
                + "\(rounded(wallSeconds)) seconds"
        )
        lines.append(
            "\(counts.edits) edits, \(counts.relaunches) relaunches, \(counts.conflicts) conflicts"
        )
        let fired = Fault.allCases.map { "\($0.name) \(counts.faults[$0.rawValue])" }
        lines.append("faults: \(fired.joined(separator: ", "))")
        lines.append("digest \(Digest.text(digest)), \(failures.count) failures")
        return lines
    }

    /// The result for a program.
    var data: Data {
        Data(
            seeds: runCount,
            failures: failures.map {
                .init(seed: $0.seed, kind: $0.verdict.kind.rawValue, checker: $0.verdict.checker)
            },
            inputs: counts.inputs,
            edits: counts.edits,
            relaunches: counts.relaunches,
            conflicts: counts.conflicts,
            virtualSeconds: counts.virtualSeconds,
            wallSeconds: wallSeconds,
            faults: Dictionary(
                uniqueKeysWithValues: Fault.allCases.map { ($0.name, counts.faults[$0.rawValue]) }
            ),
            digest: Digest.text(digest)
        )
    }

    struct Data: Encodable {
        struct Failure: Encodable {
            var seed: UInt64
            var kind: String
            var checker: String
        }

        var seeds: Int
        var failures: [Failure]
        var inputs: Int
        var edits: Int
        var relaunches: Int
        var conflicts: Int
        var virtualSeconds: Double
        var wallSeconds: Double
        var faults: [String: Int]
        var digest: String
    }
}
