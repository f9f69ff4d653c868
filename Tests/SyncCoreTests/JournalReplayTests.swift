import RecordModel
import SyncCore
import TestSupport
import Testing

/// Entries as an app may have stored them, put onto a snapshot at the next launch.
struct JournalReplayTests {
    private func key(_ number: UInt64) -> IdempotencyKey {
        IdempotencyKey(writer: writer, number: number)
    }

    private func entry(_ number: UInt64, _ change: StateChange) -> JournalEntry {
        JournalEntry(id: key(number), change: change)
    }

    /// An edit that is sent and confirmed, and a second one made while the first was in flight.
    private var story: [JournalEntry] {
        let save = PendingRecordZoneChange.saveRecord(note("a"))
        return [
            entry(1, .recordChangesAdded([save])),
            entry(2, .sendOpened([.init(change: save, recordType: "Note", entry: key(1))])),
            entry(3, .recordChangesAdded([save])),
            entry(4, .sendClosed(key(2), [.confirmed(changeTag: "t")])),
        ]
    }

    private func pending(_ entries: [JournalEntry]) -> [PendingRecordZoneChange] {
        StateSerialization(nil, applying: entries).restoredState().records.slots.all()
            .map(\.change)
    }

    @Test(.holds("J3", "J4", "J6"), arguments: [[0, 1, 2, 3], [0, 2, 1, 3]])
    func anEditOfTheTimeInFlightOutlivesTheEndOfTheOlderOne(order: [Int]) {
        let entries = order.map { story[$0] }
        #expect(pending(entries) == [.saveRecord(note("a"))])
        #expect(pending(entries + entries) == [.saveRecord(note("a"))])
    }

    @Test(.holds("J4")) func aRemovalEndsOnlyWhatItNames() {
        let save = PendingRecordZoneChange.saveRecord(note("a"))
        let removal = entry(4, .recordChangesRemoved([.init(change: save, entry: key(1))]))
        let added = entry(1, .recordChangesAdded([save]))
        #expect(pending([added, removal]) == [])
        // The second one was prepared before the removal and applied after it.
        let awaiting = JournalEntry(
            id: removal.id,
            change: removal.change,
            context: EntryContext(awaited: [2])
        )
        let second = entry(2, .recordChangesAdded([save]))
        #expect(pending([added, second, awaiting]) == [save])
        #expect(pending([second, added, awaiting]) == [save])
        #expect(pending([added, second, removal]) == [])
    }

    @Test(.holds("J12")) func anotherProcessAddsEntriesUnderItsOwnWriter() {
        var journal = JournalWriter(writer: WriterID(high: 9, low: 9))
        let save = PendingRecordZoneChange.saveRecord(note("b"))
        let entries = [
            journal.entry(pendingRecordZoneChanges: [save]),
            journal.entry(pendingDatabaseChanges: [.deleteZone(tasks)]),
        ]
        let state = StateSerialization(nil, applying: story + entries)
        #expect(entries.map(\.id.number) == [1, 2])
        #expect(state.restoredState().databaseChanges.changes == [.deleteZone(tasks)])
        #expect(pending(story + entries) == [.saveRecord(note("a")), save])
        #expect(entries.allSatisfy(state.covers))
    }
}

extension EntryContext {
    fileprivate init(awaited numbers: [UInt64]) {
        self.init()
        for number in numbers { awaited.insert(number) }
    }
}
