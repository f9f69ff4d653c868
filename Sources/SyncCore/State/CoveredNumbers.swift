/// Numbers of journal entries, as few ranges: mostly one that begins at 1.
package struct CoveredNumbers: Hashable, Sendable {
    /// In ascending order, none touching the next.
    package private(set) var ranges: [ClosedRange<UInt64>] = []

    package init() {}

    /// Takes ranges as they were stored; nil unless they are in order, apart, and of numbers that
    /// an entry can have.
    package init?(ranges: [ClosedRange<UInt64>]) {
        var next: UInt64 = 1
        for range in ranges {
            guard range.lowerBound >= next, range.upperBound < 1 << 48 else { return nil }
            next = range.upperBound + 2
        }
        self.ranges = ranges
    }

    package var isEmpty: Bool { ranges.isEmpty }

    /// The highest number in it; 0 if there is none.
    package var highest: UInt64 { ranges.last?.upperBound ?? 0 }

    package func contains(_ number: UInt64) -> Bool {
        let index = firstRange(endingAtOrAfter: number)
        return index < ranges.count && ranges[index].contains(number)
    }

    /// Puts a number in: at the end of the last range at no cost, elsewhere by joining ranges.
    package mutating func insert(_ number: UInt64) {
        if let last = ranges.last, number == last.upperBound + 1 {
            ranges[ranges.count - 1] = last.lowerBound...number
            return
        }
        guard !contains(number) else { return }
        let index = firstRange(endingAtOrAfter: number)
        ranges.insert(number...number, at: index)
        join(index)
        if index > 0 { join(index - 1) }
    }

    /// Takes a number out.
    package mutating func remove(_ number: UInt64) {
        let index = firstRange(endingAtOrAfter: number)
        guard index < ranges.count, ranges[index].contains(number) else { return }
        let range = ranges[index]
        var rest: [ClosedRange<UInt64>] = []
        if range.lowerBound < number { rest.append(range.lowerBound...number - 1) }
        if number < range.upperBound { rest.append(number + 1...range.upperBound) }
        ranges.replaceSubrange(index...index, with: rest)
    }

    /// Joins a range with the next, if they touch.
    private mutating func join(_ index: Int) {
        guard index + 1 < ranges.count,
            ranges[index].upperBound + 1 == ranges[index + 1].lowerBound
        else { return }
        ranges[index] = ranges[index].lowerBound...ranges[index + 1].upperBound
        ranges.remove(at: index + 1)
    }

    private func firstRange(endingAtOrAfter number: UInt64) -> Int {
        var low = 0
        var high = ranges.count
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound < number { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
