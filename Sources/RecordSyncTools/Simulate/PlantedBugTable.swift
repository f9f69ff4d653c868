#if PLANTED_BUGS
    import RecordModel
    import SyncSimulation

    /// Which checker sees which planted mistake, and after how many seeds.
    struct PlantedBugTable {
        private let run: SimulateRun

        init(_ run: SimulateRun) { self.run = run }

        func perform(_ output: Output) -> CommandStatus {
            output.print("| mistake | seen by | seeds |")
            output.print("| --- | --- | --- |")
            var isComplete = true
            for bug in PlantedBug.allCases {
                guard let (verdict, count) = find(bug) else {
                    output.print("| `\(bug.rawValue)` | nobody | \(run.seeds.count) |")
                    isComplete = false
                    continue
                }
                let name = "\(verdict.kind.rawValue): \(verdict.checker)"
                output.print("| `\(bug.rawValue)` | \(name) | \(count) |")
            }
            return isComplete ? .done : .failed
        }

        private func find(_ bug: PlantedBug) -> (Verdict, Int)? {
            var options = run.options
            options.plantedBug = bug
            for (count, seed) in run.seeds.enumerated() {
                if let verdict = Simulation.run(seed: seed, options: options).verdict {
                    return (verdict, count + 1)
                }
            }
            return nil
        }
    }
#endif
