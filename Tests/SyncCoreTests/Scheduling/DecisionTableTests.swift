import SyncCore
import TestSupport
import Testing

@Suite struct DecisionTableTests {
    @Test(.holds("P80", "S85"))
    func decidesAsTheTableSays() throws {
        let rows = try readDecisionTable()
        #expect(rows.count >= 200)
        #expect(Set(rows.map(\.text)).count == rows.count)
        for row in rows {
            let decision = row.decision()
            #expect(decision.send == row.send, "\(row)")
            #expect(decision.fetch == row.fetch, "\(row)")
        }
    }

    #if PLANTED_BUGS
        /// Prints, for each comparison turned around, the first row that breaks.
        @Test(.holds("P80"))
        func everyComparisonTurnedAroundBreaksARow() throws {
            let rows = try readDecisionTable().filter { $0.holds() }
            for comparison in Comparison.allCases {
                for flip in comparison.flips {
                    let bug = Comparisons(flipping: comparison, flip)
                    let broken = rows.filter { !$0.holds(bug) }
                    let first = broken.first.map { row in
                        let said = row.decision(bug)
                        return "\(row)\n    it says: \(said.send) | \(said.fetch)"
                    }
                    let count = "\(broken.count) of \(rows.count) rows"
                    print("\(comparison.rawValue), \(flip.rawValue): \(count)")
                    print("    \(first ?? "NO ROW BREAKS")")
                    #expect(!broken.isEmpty, "\(comparison.rawValue), \(flip.rawValue)")
                }
            }
        }
    #endif
}
