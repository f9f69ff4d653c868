import RecordModel
import SyncCore
import TestSupport
import Testing

/// Intents in two phases, and what a state update carries of the journal.
@Suite struct JournalIntentTests {
    @Test(.holds("J2"))
    func nothingOfAPreparedEntryIsOfferedSentOrStored() {
        var device = CoreFixture()
        let entry = device.core.prepare(.recordChangesAdded([.saveRecord(note("a"))]))
        device.records[note("a")] = record(note("a"))
        device.edit(note("b"))
        device.send()
        #expect(device.asked == [note("b")])
        #expect(device.server.batches.map { $0.recordsToSave.count } == [1])
        #expect(device.stored.allSatisfy { !$0.state.covers(entry) })
        #expect(device.relaunched().pending == [])
        device.handle(.entryApplied(entry, isStored: true))
        #expect(device.pending == [.saveRecord(note("a"))])
        #expect(device.core.serialization.covers(entry))
    }

    @Test(.holds("J2"))
    func applyingTwiceIsApplyingOnce() {
        var device = CoreFixture()
        let entry = device.core.prepare(.recordChangesAdded([.saveRecord(note("a"))]))
        device.records[note("a")] = record(note("a"))
        device.handle(.entryApplied(entry, isStored: true))
        device.send()
        device.handle(.entryApplied(entry, isStored: true))
        #expect(device.pending == [])
    }

    @Test(.holds("J2", "J5"))
    func aDiscardedEntryCountsAsCoveredAndIsNeverMade() {
        var device = CoreFixture()
        device.edit(note("x"))
        let entry = device.core.prepare(.recordChangesAdded([.saveRecord(note("a"))]))
        device.edit(note("y"))
        #expect(device.core.state.writers.last?.covered.ranges.count == 2)
        device.handle(.entryDiscarded(entry))
        #expect(device.core.state.writers.last?.covered.ranges.count == 1)
        #expect(device.core.serialization.covers(entry))
        device.handle(.entryApplied(entry, isStored: true))
        #expect(device.pending.map(\.recordID) == [note("x"), note("y")])
        // One that was applied cannot be given up any more.
        device.handle(.entryDiscarded(entry))
        #expect(device.pending.count == 2)
    }

    @Test(.holds("J2", "J7"))
    func anUpdateBringsTheEntriesThatTheAppHasNotStored() throws {
        var device = CoreFixture()
        let stored = device.core.prepare(.recordChangesAdded([.saveRecord(note("a"))]))
        device.handle(.entryApplied(stored, isStored: true))
        device.edit(note("b"))
        device.wake()
        let update = try #require(device.update)
        #expect(update.entries.map(\.change) == [.recordChangesAdded([.saveRecord(note("b"))])])
        #expect(update.stateSerialization.covers(stored))
        #expect(update.entries.allSatisfy(update.stateSerialization.covers))
    }

    @Test(.holds("J7", "H102"))
    func anUpdateThatWasNotHandledLeavesItsEntriesToTheNext() throws {
        var device = CoreFixture()
        device.edit(note("a"))
        device.wake()
        let first = try #require(device.update)
        device.edit(note("b"))
        device.handleEvent(throwing: true)
        device.send()
        let entries = device.updates.flatMap { Array($0.entries) }
        #expect(entries.count == Set(entries.map(\.id)).count)
        #expect(entries.first == first.entries.first { _ in true })
        #expect(
            entries.prefix(2).map(\.change) == [
                .recordChangesAdded([.saveRecord(note("a"))]),
                .recordChangesAdded([.saveRecord(note("b"))]),
            ]
        )
    }

    @Test(.holds("J7"))
    func entriesMadeWhileAnUpdateIsHandledComeWithTheNext() throws {
        var device = CoreFixture()
        device.edit(note("a"))
        device.wake()
        device.edit(note("b"))
        device.handleEvent()
        device.wake()
        let update = try #require(device.update)
        #expect(update.entries.map(\.change) == [.recordChangesAdded([.saveRecord(note("b"))])])
    }

    @Test(.holds("J7", "I30"))
    func compactingIsAdvisedWhenThereAreMoreEntriesThanAStateIsLarge() {
        var device = CoreFixture()
        var advised: [Int] = []
        for count in 1...2500 {
            device.edit(note("a"))
            device.wake()
            device.handleEvent()
            if device.updates.last?.isCompactingAdvised == true { advised.append(count) }
        }
        // One pending change raises the bar by one.
        #expect(advised.count == 2)
        #expect(advised.allSatisfy { $0 % 1002 <= 1 || $0 % 1002 >= 1000 }, "\(advised)")
    }
}

extension CoreFixture {
    /// The state update in the delegate's hands.
    fileprivate var update: SyncEvent.StateUpdate? {
        guard case .event(_, .stateUpdate(let update)) = hand else { return nil }
        return update
    }

    /// Every state update that was handled.
    fileprivate var updates: [SyncEvent.StateUpdate] {
        events.compactMap { event in
            if case .stateUpdate(let update) = event { update } else { nil }
        }
    }
}
