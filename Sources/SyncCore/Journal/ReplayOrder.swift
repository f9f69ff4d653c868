import RecordModel

/// Stored entries in the order in which they took effect.
///
/// An app may store an entry long before it applies it. If the engine sent something in between,
/// the intent came after: put before it, it would be taken for what was sent, and be lost.
struct ReplayOrder {
    /// An entry that ends intents, and where it stands.
    fileprivate struct Ending {
        var position: Int
        var entry: JournalEntry
    }

    /// The entries of one launch.
    fileprivate struct Launch {
        var writer: WriterID
        var firstPosition: Int
        var endings: [Ending] = []
    }

    private let stored: [JournalEntry]
    private var launches: [Launch] = []

    init(_ stored: [JournalEntry]) {
        self.stored = stored
        var numbers: [WriterID: Int] = [:]
        for (position, entry) in stored.enumerated() {
            let writer = entry.id.writer
            let number = numbers[writer] ?? launches.count
            if number == launches.count {
                numbers[writer] = number
                launches.append(Launch(writer: writer, firstPosition: position))
            }
            guard entry.change.endsIntents else { continue }
            // In its place: taken out first, it would be copied for each entry.
            launches[number].endings.append(Ending(position: position, entry: entry))
        }
    }

    var entries: [JournalEntry] {
        var ordered: [JournalEntry] = []
        ordered.reserveCapacity(stored.count)
        var later: [Int: [JournalEntry]] = [:]
        for (position, entry) in stored.enumerated() {
            if let end = lastEndingUnaware(of: entry, at: position) {
                later[end, default: []].append(entry)
            } else {
                ordered.append(entry)
            }
            if let intents = later.removeValue(forKey: position) { ordered += intents }
        }
        return ordered
    }

    /// Where the last entry stands behind which an intent belongs; nil if it may stay.
    private func lastEndingUnaware(of entry: JournalEntry, at position: Int) -> Int? {
        guard entry.change.isIntent else { return nil }
        var last: Int?
        for launch in launches where !launch.endings.isEmpty {
            guard let end = launch.lastEndingUnaware(of: entry, at: position) else { continue }
            last = max(last ?? end, end)
        }
        return last
    }
}

extension ReplayOrder.Launch {
    fileprivate func lastEndingUnaware(of entry: JournalEntry, at position: Int) -> Int? {
        let first = endings.partitioningIndex { $0.position > position }
        let number = entry.id.number
        let isUnaware: (ReplayOrder.Ending) -> Bool
        if entry.id.writer == writer {
            isUnaware = { $0.entry.context.awaited.contains(number) }
        } else {
            // What was stored before it began, the launch has read.
            guard position > firstPosition else { return nil }
            isUnaware = { ending in
                !ending.entry.context.applied.contains {
                    $0.writer == entry.id.writer && $0.covered.contains(number)
                }
            }
        }
        // Once a launch has applied an intent, none of its entries is unaware of it any more.
        let rest = endings[first...]
        let aware = rest.partitioningIndex { !isUnaware($0) }
        return aware > first ? endings[aware - 1].position : nil
    }
}

extension RandomAccessCollection {
    /// The first place from which on all elements are as asked for; those before it are not.
    fileprivate func partitioningIndex(where belongs: (Element) -> Bool) -> Index {
        var low = startIndex
        var count = count
        while count > 0 {
            let middle = index(low, offsetBy: count / 2)
            if belongs(self[middle]) {
                count /= 2
            } else {
                low = index(after: middle)
                count -= count / 2 + 1
            }
        }
        return low
    }
}
