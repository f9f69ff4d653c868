import RecordModel
import RecordSync
import SyncCore
import TestSupport
import Testing

/// A folder with a snapshot of record 1, and a journal of three appends: records 2 and 3, 4, 5.
private struct Sample {
    let folder: TemporaryFolder
    let journal: [UInt8]
    let snapshot: [UInt8]
    /// Where the head and each append ends.
    let ends: [Int]

    init() throws {
        let folder = try TemporaryFolder()
        var ends: [Int] = []
        try with(folder.path) { store in
            try store.compact(FileStateStoreTests.snapshot(1...1))
            ends.append(folder["journal"]?.count ?? 0)
            for numbers in [2...3, 4...4, 5...5] {
                try store.append(entries(numbers))
                ends.append(folder["journal"]?.count ?? 0)
            }
        }
        journal = try #require(folder["journal"])
        snapshot = try #require(folder["snapshot"])
        self.ends = ends
        self.folder = folder
    }

    /// Puts the folder in this state and says what opening it finds.
    func found(
        journal: [UInt8],
        snapshot: [UInt8]
    ) throws -> (numbers: [Int], report: FileStateStore.Report) {
        for name in folder.names { folder[name] = nil }
        folder["journal"] = journal
        folder["snapshot"] = snapshot
        return try FileStateStoreTests.found(folder.path)
    }
}

struct DamageTests {
    private static let appends = [[2, 3], [4], [5]]
    private static let masks: [UInt8] = [0x01, 0x80, 0xFF]

    @Test func cutsATornEndOffAtEveryLength() throws {
        let sample = try Sample()
        for count in sample.ends[0]...sample.journal.count {
            let torn = Array(sample.journal.prefix(count))
            let (numbers, report) = try sample.found(journal: torn, snapshot: sample.snapshot)
            let wholeCount = sample.ends.dropFirst().filter { $0 <= count }.count
            #expect(numbers == [1] + Self.appends.prefix(wholeCount).joined())
            #expect(report.cutByteCount == count - sample.ends[wholeCount], "\(count) bytes")
            #expect(report.isWhole)
            #expect(
                sample.folder["journal"] == Array(sample.journal.prefix(sample.ends[wholeCount]))
            )
        }
    }

    @Test func cutsOffZerosThatAreNoEntries() throws {
        let sample = try Sample()
        for count in [1, 16, 17, 4096] {
            let journal = sample.journal + [UInt8](repeating: 0, count: count)
            let (numbers, report) = try sample.found(journal: journal, snapshot: sample.snapshot)
            #expect(numbers == [1, 2, 3, 4, 5])
            #expect(report.cutByteCount == count)
            #expect(report.isWhole)
        }
    }

    @Test func goesOnBehindATornEnd() throws {
        let sample = try Sample()
        _ = try sample.found(
            journal: Array(sample.journal.dropLast(3)),
            snapshot: sample.snapshot
        )
        try with(sample.folder.path) { try $0.append(entry(6)) }
        let (numbers, report) = try FileStateStoreTests.found(sample.folder.path)
        #expect(numbers == [1, 2, 3, 4, 6])
        #expect(report.isWhole)
    }

    @Test func setsAJournalWithoutAWholeHeadAside() throws {
        let sample = try Sample()
        for count in 0..<sample.ends[0] {
            let journal = Array(sample.journal.prefix(count))
            let (numbers, report) = try sample.found(journal: journal, snapshot: sample.snapshot)
            #expect(numbers == [1])
            #expect(report.setAside.count == 1)
            #expect(sample.folder["journal.damaged-1"] == journal)
        }
    }

    /// Every byte flipped is seen; the file is kept, and every append that is not hit is restored.
    @Test func setsAJournalWithAnyFlippedByteAside() throws {
        let sample = try Sample()
        for position in sample.journal.indices {
            for mask in Self.masks {
                var journal = sample.journal
                journal[position] ^= mask
                let (numbers, report) = try sample.found(
                    journal: journal,
                    snapshot: sample.snapshot
                )
                let hit = sample.ends.firstIndex { position < $0 } ?? 0
                let whole = Self.appends.indices.filter { $0 + 1 != hit }.map { Self.appends[$0] }
                #expect(numbers == [1] + whole.joined(), "byte \(position) with mask \(mask)")
                #expect(report.setAside.first?.damage != nil)
                #expect(sample.folder["journal.damaged-1"] == journal)
                let again = try FileStateStoreTests.found(sample.folder.path)
                #expect(again.numbers == numbers)
                #expect(again.report.setAside.map(\.damage) == [nil])
            }
        }
    }

    @Test(.holds("H33"))
    func keepsTheJournalsEntriesBesideADamagedSnapshot() throws {
        let sample = try Sample()
        var damaged = sample.snapshot.indices.map { Array(sample.snapshot.prefix($0)) }
        for position in sample.snapshot.indices {
            for mask in Self.masks {
                damaged.append(sample.snapshot)
                damaged[damaged.count - 1][position] ^= mask
            }
        }
        for snapshot in damaged {
            let (numbers, report) = try sample.found(journal: sample.journal, snapshot: snapshot)
            #expect(numbers == [2, 3, 4, 5])
            #expect(report.setAside.map(\.path) == ["\(sample.folder.path)/snapshot.damaged-1"])
            #expect(report.setAside.first?.damage != nil)
            #expect(sample.folder["snapshot.damaged-1"] == snapshot)
            #expect(sample.folder["snapshot"] == nil)
        }
    }

    @Test func setsBothAsideUnderNamesThatAreFree() throws {
        let sample = try Sample()
        var (journal, snapshot) = (sample.journal, sample.snapshot)
        journal[sample.ends[1] + 20] ^= 1
        snapshot[9] ^= 1
        _ = try sample.found(journal: journal, snapshot: snapshot)
        sample.folder["journal"] = journal
        sample.folder["snapshot"] = snapshot
        let (numbers, report) = try FileStateStoreTests.found(sample.folder.path)
        #expect(numbers == [2, 3, 5])
        #expect(report.setAside.count == 4)
        #expect(
            sample.folder.names == [
                "journal", "journal.damaged-1", "journal.damaged-2", "snapshot.damaged-1",
                "snapshot.damaged-2",
            ]
        )
    }

    /// The launch that found the damage may die before the app heard of it.
    @Test(.holds("H57"))
    func tellsOfWhatWasSetAsideUntilItIsGone() throws {
        let sample = try Sample()
        _ = try sample.found(journal: sample.journal, snapshot: [1])
        for _ in 1...2 {
            let report = try FileStateStoreTests.found(sample.folder.path).report
            #expect(report.setAside.map(\.damage) == [nil])
            #expect(!report.isWhole)
        }
        sample.folder["snapshot.damaged-1"] = nil
        #expect(try FileStateStoreTests.found(sample.folder.path).report.isWhole)
    }

    @Test(.holds("P39"))
    func knowsWhoseTheEntriesAreWithoutTheSnapshot() throws {
        let folder = try TemporaryFolder()
        let key = IdempotencyKey(writer: WriterID(high: 9, low: 9), number: 1)
        let identified = JournalEntry(id: key, change: .accountIdentified(userRecordName: "alice"))
        try with(folder.path) { store in
            try store.compact(StateSerialization(nil, applying: [identified]))
            try store.append(entry(1))
        }
        folder["snapshot"] = [0]
        let opening = try FileStateStore.open(folder.path)
        #expect(opening.numbers == [1])
        #expect(opening.stateSerialization?.state.account == .signedIn(userRecordName: "alice"))
    }

    @Test func findsDamageThatCameWhileItWasOpen() throws {
        let files = BreakingFiles()
        try with("state", files) { store in
            try store.append(entry(1))
            files.damage("state/journal", at: try #require(files["state/journal"]).count - 10)
            try store.append(entry(2))
            try store.compact(StateSerialization())
        }
        let (numbers, report) = try found("state", files.afterEnd())
        #expect(numbers == [2])
        #expect(report.setAside.map(\.path) == ["state/journal.damaged-1"])
    }
}
