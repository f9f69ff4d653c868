#if PLANTED_BUGS
    import RecordModel
    import SyncSimulation
    import Testing

    /// The checkers see what they are there for.
    @Suite struct PlantedBugTests {
        /// Mistakes that show within a few seeds; `recordsync simulate --planted` tries all.
        private static let quick: [PlantedBug] = [
            .sendBeforeMark, .batchLimitIgnored, .zoneNotAnnounced, .callEndsTwice,
            .anyVersionTaken, .failedChangesForgotten,
        ]

        @Test(arguments: quick)
        func aMistakeIsSeen(bug: PlantedBug) {
            var options = SimulationOptions()
            options.plantedBug = bug
            let verdict = (UInt64(0)..<40).lazy.compactMap {
                Simulation.run(seed: $0, options: options).verdict
            }.first
            #expect(verdict != nil)
        }

        @Test func aFailureShrinksToAFewStepsThatShowItToo() throws {
            var options = SimulationOptions()
            options.plantedBug = .callEndsTwice
            let seed = try #require(
                (UInt64(0)..<40).first { Simulation.run(seed: $0, options: options).verdict != nil }
            )
            let verdict = try #require(Simulation.run(seed: seed, options: options).verdict)
            let plan = Plan(seed: seed, options: options)
            let small = Simulation.shrink(plan, options: options, keeping: verdict, runCountMax: 60)
            #expect(small.steps.count < plan.steps.count)
            #expect(Simulation.run(small, options: options).verdict?.checker == verdict.checker)
        }
    }
#endif
