import RecordSync
import SyncCore
import TestSupport
import Testing

/// A story of writes, stopped before each call of the file system.
private struct CrashStory {
    let files = BreakingFiles()
    /// The records whose entries are acknowledged.
    private(set) var acknowledged = 0
    /// The records whose entries may be there, since a call that stores them began.
    private(set) var begun = 0

    /// Tells the story until the machine stops.
    mutating func run() {
        do {
            let opening = try FileStateStore.open("state", files)
            try append(1...2, opening.store)
            try append(3...3, opening.store)
            try opening.store.compact(snapshot(1...2))
            try append(4...6, opening.store)
            try opening.store.compact(snapshot(1...6))
            try append(7...7, opening.store)
            try withExtendedLifetime(opening.store) { try $0.compact(snapshot(1...6)) }
            try append(8...8, opening.store)
        } catch {
            return
        }
    }

    private mutating func append(_ numbers: ClosedRange<Int>, _ store: FileStateStore) throws {
        begun = numbers.upperBound
        try store.append(entries(numbers))
        acknowledged = begun
    }

    /// What may be found: everything acknowledged, and all of the append under way or none of it.
    func allows(_ numbers: [Int]) -> Bool {
        [acknowledged, begun].contains { numbers == Array(1...max(1, $0)).prefix($0).map { $0 } }
    }
}

struct CrashTests {
    private static var callCount: Int {
        var story = CrashStory()
        story.run()
        return story.files.callCount
    }

    @Test(.holds("H57"))
    func losesNothingWhenTheProcessEndsAtAnyCall() throws {
        for call in 1...Self.callCount {
            var story = CrashStory()
            story.files.inject(.stops, at: call)
            story.run()
            let (numbers, report) = try found("state", story.files.afterEnd())
            #expect(story.allows(numbers), "call \(call): \(numbers)")
            #expect(report.isWhole)
        }
    }

    @Test func losesNothingWhenThePowerFailsAtAnyCall() throws {
        var count = 0
        for call in 1...Self.callCount {
            var story = CrashStory()
            story.files.inject(.stops, at: call)
            story.run()
            for loss in BreakingFiles.Loss.allCases {
                for names in BreakingFiles.NameLoss.allCases {
                    let disk = story.files.afterLoss(of: loss, names: names)
                    let (numbers, _) = try found("state", disk)
                    #expect(story.allows(numbers), "call \(call), \(loss), \(names): \(numbers)")
                    count += 1
                }
            }
        }
        #expect(count > 500)
    }

    /// A second stop, while the opening that follows the first one mends the folder.
    @Test func losesNothingWhenTheOpeningStopsToo() throws {
        for call in 1...Self.callCount {
            var story = CrashStory()
            story.files.inject(.stops, at: call)
            story.run()
            for second in 1...12 {
                let disk = story.files.afterLoss(of: .half, names: .none)
                disk.inject(.stops, at: second)
                _ = try? found("state", disk)
                let (numbers, _) = try found("state", disk.afterLoss(of: .zeros, names: .all))
                #expect(story.allows(numbers), "calls \(call) and \(second): \(numbers)")
            }
        }
    }

    /// Damage is mended in an order of its own: the journal is never without its whole entries.
    @Test func losesNothingWhenMendingStops() throws {
        let files = BreakingFiles()
        try with("state", files) { store in
            try store.append(entries(1...1))
            try store.append(entries(2...3))
        }
        let journal = try #require(files["state/journal"])
        for call in 1...20 {
            let disk = files.afterEnd()
            disk.damage("state/journal", at: journal.count - 1)
            disk.damage("state/journal", at: 3)
            disk.inject(.stops, at: call)
            _ = try? found("state", disk)
            let after = disk.afterLoss(of: .everything, names: .none)
            let (numbers, report) = try found("state", after)
            #expect(numbers == [1], "call \(call)")
            #expect(!report.isWhole)
            #expect(after["state/journal.damaged-1"]?.count == journal.count)
        }
    }
}
