import RecordModel
import SyncCore

/// Runs one seed: devices, a server, faults and checks, from the seed alone.
package enum Simulation {
    /// What became of a run.
    package struct Result: Sendable {
        package var seed: UInt64
        /// The first rule that was broken; nil if none was.
        package var verdict: Verdict?
        package var counts: Counts
        package var digest: UInt64
        package var diary: Diary
    }

    /// Runs a seed.
    ///
    /// - Parameter isTold: Whether the result's diary tells what happened.
    package static func run(
        seed: UInt64,
        options: SimulationOptions,
        isTold: Bool = false
    ) -> Result {
        run(Plan(seed: seed, options: options), options: options, isTold: isTold)
    }

    /// Runs a plan.
    package static func run(_ plan: Plan, options: SimulationOptions, isTold: Bool = false)
        -> Result
    {
        var world = World(plan: plan, options: options, isTold: isTold)
        world.runPlan()
        world.finish()
        world.counts.virtualSeconds = world.clock.inSeconds
        return Result(
            seed: plan.seed,
            verdict: world.checkers.verdict,
            counts: world.counts,
            digest: world.digest.value,
            diary: world.diary
        )
    }

    /// Takes steps out of a failing plan as long as the same checker sees the same.
    ///
    /// - Parameter runCountMax: Runs that the search may take.
    package static func shrink(
        _ plan: Plan,
        options: SimulationOptions,
        keeping verdict: Verdict,
        runCountMax: Int = 600
    ) -> Plan {
        var best = plan
        var runCount = 0
        var size = max(1, best.steps.count / 2)
        while size >= 1, runCount < runCountMax {
            var start = 0
            var hasShrunk = false
            while start < best.steps.count, runCount < runCountMax {
                var candidate = best
                let end = min(start + size, best.steps.count)
                let gap = best.steps[start..<end].reduce(Duration.zero) { $0 + $1.gap }
                candidate.steps.removeSubrange(start..<end)
                // What comes behind keeps its time.
                if start < candidate.steps.count { candidate.steps[start].gap += gap }
                runCount += 1
                let found = run(candidate, options: options).verdict
                if found?.checker == verdict.checker, found?.kind == verdict.kind {
                    best = candidate
                    hasShrunk = true
                } else {
                    start += size
                }
            }
            if size == 1, !hasShrunk { break }
            size = size == 1 ? 1 : size / 2
        }
        return best
    }
}
