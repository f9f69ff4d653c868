import SyncCore
import TestSupport
import Testing

@Suite struct CoveredNumbersTests {
    @Test(.holds("J5"), arguments: UInt64(0)..<60)
    func holdsWhatASetHolds(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var covered = CoveredNumbers()
        var model: Set<UInt64> = []
        let most = [8, 40, 400][Int(seed % 3)] as UInt64
        for _ in 0..<200 {
            let number = UInt64.random(in: 1...most, using: &random)
            covered.insert(number)
            model.insert(number)
            #expect(covered.highest == model.max())
            #expect((0...most + 1).allSatisfy { covered.contains($0) == model.contains($0) })
        }
        // As few ranges as there are gaps, and they come back from storage.
        let starts = model.filter { !model.contains($0 - 1) }
        #expect(covered.ranges.map(\.lowerBound) == starts.sorted())
        #expect(CoveredNumbers(ranges: covered.ranges) == covered)
    }

    @Test(.holds("J5"))
    func numbersInARowAreOneRange() {
        var covered = CoveredNumbers()
        #expect(covered.isEmpty)
        for number in 1...1000 as ClosedRange<UInt64> { covered.insert(number) }
        #expect(covered.ranges == [1...1000])
    }

    @Test func refusesRangesThatAreOutOfOrderOrTouch() {
        let refused: [[ClosedRange<UInt64>]] = [
            [0...3], [1...2, 0...0], [5...6, 1...2], [1...2, 3...4], [1...5, 5...6],
            [1...2, 4...5, 0...9],
        ]
        for ranges in refused { #expect(CoveredNumbers(ranges: ranges) == nil, "\(ranges)") }
        #expect(CoveredNumbers(ranges: [1...2, 4...4]) != nil)
    }
}
