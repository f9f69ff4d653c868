import RecordModel
import SyncCore
import TestSupport
import Testing

/// From snapshot and entries to the state that they stand for.
@Suite struct JournalRestoreTests {
    /// What an app stores beside its rows, in the order in which it does.
    private struct Journal {
        var device = CoreFixture()
        var entries: [JournalEntry] = []
        private var updateCount = 0

        /// Lets everything come to its end, and stores the entries of the state updates.
        mutating func store() {
            device.wake()
            device.run()
            storeUpdates()
        }

        /// Stores the entries of the state updates that came since.
        mutating func storeUpdates() {
            let updates = device.newestUpdates
            for update in updates.dropFirst(updateCount) { entries += update.entries }
            updateCount = updates.count
        }

        /// Makes an intent and stores its entry; it is applied later.
        mutating func prepare(_ name: String) -> JournalEntry {
            let entry = device.core.prepare(.recordChangesAdded([.saveRecord(note(name))]))
            if device.records[note(name)] == nil {
                device.records[note(name)] = record(note(name))
            }
            entries.append(entry)
            return entry
        }

        func restored(from snapshot: StateSerialization? = nil) -> EngineState {
            StateSerialization(snapshot, applying: entries).restoredState()
        }
    }

    private func pending(_ state: EngineState) -> [PendingRecordZoneChange] {
        state.records.slots.all().map(\.change)
    }

    /// A device whose journal holds everything, the sign-in included.
    private func journal() -> Journal {
        var journal = Journal()
        journal.device = CoreFixture(isSignedIn: false)
        journal.device.send()
        journal.store()
        return journal
    }

    // MARK: An add that was stored before the end of an older one (J4)

    /// How the older change comes to its end, and what begins that before.
    private enum End: CaseIterable {
        case confirmed, returned, parked, surfaced, removed, dropped, abandoned, replaced

        func begin(_ device: inout CoreFixture) {
            switch self {
            case .returned: device.server.recordErrors[note("a")] = SyncError(.zoneBusy)
            case .parked: device.server.recordErrors[note("a")] = SyncError(.quotaExceeded)
            case .surfaced: device.server.recordErrors[note("a")] = SyncError(.invalidArguments)
            case .confirmed, .removed: break
            case .dropped: device.answers[note("a")] = .gone
            case .abandoned, .replaced: return
            }
            device.callSend()
            if self == .dropped { device.runUntilAsked() } else { device.runUntilSent() }
        }

        func finish(_ device: inout CoreFixture) {
            switch self {
            case .abandoned:
                device.server.deleteZoneElsewhere(notes, .deleted)
                device.fetch()
            case .replaced: device.accountBecomes(bob)
            case .removed: device.handle(.recordZoneChangesRemoved([.saveRecord(note("a"))]))
            case .confirmed, .returned, .parked, .surfaced, .dropped: break
            }
            device.run()
            device.answers = [:]
            device.server.recordErrors = [:]
        }
    }

    /// The intent is stored before the other one, or behind it: before that is sent, while it is,
    /// or afterwards.
    @Test(.holds("J2", "J3", "J4", "J6"), arguments: 0..<8, 0...3)
    func anAddThatIsAppliedAfterTheEndOfAnotherOneSurvives(end: Int, place: Int) throws {
        let end = End.allCases[end]
        let (journal, entry) = tell(end, preparingAt: place)
        var device = journal.device
        device.handle(.entryApplied(try #require(entry), isStored: true))
        let live = Set(pending(device.core.state))
        #expect(live.contains(.saveRecord(note("a"))))
        #expect(Set(pending(journal.restored())) == live)
    }

    private func tell(_ end: End, preparingAt place: Int) -> (Journal, JournalEntry?) {
        var journal = journal()
        journal.device.server.saveElsewhere(record(note("z")))
        journal.device.fetch()
        journal.store()
        var entry: JournalEntry?
        for step in 0..<4 {
            journal.storeUpdates()
            if step == place { entry = journal.prepare("a") }
            switch step {
            case 0:
                let first = journal.prepare("a")
                journal.device.handle(.entryApplied(first, isStored: true))
            case 1: end.begin(&journal.device)
            case 2: end.finish(&journal.device)
            case _: journal.device.edit(note("c"))
            }
        }
        journal.store()
        return (journal, entry)
    }

    // MARK: Order, gaps, repeats, unions (J3, J6)

    @Test(.holds("J3"), arguments: UInt64(0)..<12)
    func repeatsChangeNothing(seed: UInt64) {
        var run = RandomRun(seed: seed, isAutomatic: false)
        for _ in 0..<200 { run.step() }
        let entries = run.device.newestEntries
        let once = StateSerialization(nil, applying: entries)
        #expect(StateSerialization(nil, applying: entries + entries).bytes == once.bytes)
        #expect(StateSerialization(once, applying: entries).bytes == once.bytes)
    }

    @Test(.holds("J3"), arguments: UInt64(0)..<12)
    func gapsDoNoHarm(seed: UInt64) {
        var run = RandomRun(seed: seed, isAutomatic: false)
        for _ in 0..<200 { run.step() }
        let entries = run.device.newestEntries
        for gap in entries.indices {
            var some = entries
            some.remove(at: gap)
            let state = StateSerialization(nil, applying: some)
            var device = CoreFixture(state: state, writer: WriterID(high: 9, low: 9))
            device.send()
            #expect(device.core.state.openSends.isEmpty)
        }
    }

    /// The bytes of a state without the coverage of former launches, which the engine drops as soon
    /// as none of their entries can come again, and a replay does not.
    private func comparable(_ serialization: StateSerialization) -> [UInt8] {
        var state = serialization.restoredState()
        state.dropCoverage(but: [])
        return StateSerialization(snapshotOf: state).bytes
    }

    @Test(.holds("J6", "J7"), arguments: UInt64(0)..<24)
    func afterAnyPrefixSnapshotAndEntriesMakeTheLiveState(seed: UInt64) {
        var run = RandomRun(seed: seed, isAutomatic: seed % 2 == 0)
        for _ in 0..<300 { run.step() }
        let updates = run.device.newestUpdates
        for first in stride(from: 0, to: updates.count, by: 3) {
            var entries: [JournalEntry] = []
            for update in updates[first...].dropFirst() {
                entries += update.entries
                let restored = StateSerialization(
                    updates[first].stateSerialization,
                    applying: entries
                )
                #expect(comparable(restored) == comparable(update.stateSerialization))
            }
        }
    }

    // MARK: Writers (J5, J12)

    @Test(.holds("J12", "J6"))
    func whatAnotherProcessStoredIsPendingAtTheNextLaunch() {
        var journal = journal()
        var other = JournalWriter(writer: WriterID(high: 50, low: 1))
        journal.entries.append(
            other.entry(pendingRecordZoneChanges: [.saveRecord(note("theirs"))])
        )
        journal.device.edit(note("ours"))
        journal.store()
        journal.entries.append(
            other.entry(pendingDatabaseChanges: [.saveZone(RecordZone(zoneID: tasks))])
        )
        let state = journal.restored(from: journal.device.core.serialization)
        #expect(
            Set(pending(state)) == [.saveRecord(note("ours")), .saveRecord(note("theirs"))]
        )
        #expect(state.databaseChanges.changes.map(\.zoneID) == [tasks])
    }

    @Test(.holds("J12", "J1"))
    func theEntriesOfAnotherProcessHaveNumbersOfTheirOwn() {
        var writers = [1, 2].map { JournalWriter(writer: WriterID(high: 50, low: $0)) }
        let ids = (0..<4).map { number in
            writers[number % 2].entry(pendingRecordZoneChanges: [.saveRecord(note("a"))]).id
        }
        #expect(Set(ids).count == 4)
        #expect(ids.map(\.number) == [1, 1, 2, 2])
    }

    @Test(.holds("J5", "I30"))
    func theCoverageOfALaunchThatGaveNoEntriesIsDroppedByTheFirstSnapshot() {
        var first = CoreFixture()
        first.edit(note("a"))
        first.wake()
        first.run()
        #expect(first.core.state.writers.count == 1)
        var second = first.relaunched()
        second.edit(note("b"))
        let former = second.core.state.writers.first { $0.writer == writer }
        #expect(former?.covered.isEmpty == false)
        second.wake()
        second.run()
        #expect(second.core.state.writers.first { $0.writer == writer }?.covered.isEmpty == true)
        // Once nothing names the launch, not even its name is stored.
        second.send()
        #expect(
            second.core.serialization.restoredState().writers.map(\.writer)
                == [second.configuration.writer]
        )
    }

    @Test(.holds("J5"))
    func theCoverageOfALaunchWhoseEntriesWereReplayedStays() {
        var journal = journal()
        journal.device.edit(note("a"))
        journal.store()
        let state = StateSerialization(nil, applying: journal.entries)
        var second = EngineCore(
            state: state.restoredState(),
            replayedWriters: state.replayedWriters,
            configuration: EngineConfiguration(
                databaseName: "memory/private",
                writer: WriterID(high: 8, low: 8)
            ),
            now: .start
        )
        _ = second.handle(.recordZoneChangesAdded([.saveRecord(note("b"))]), at: .start)
        let later = EngineInstant.start.advanced(by: .seconds(1))
        for effect in second.handle(.woke, at: later) {
            guard case .deliver(let id, .stateUpdate) = effect else { continue }
            _ = second.handle(.eventHandled(id, didThrow: false), at: later)
        }
        #expect(journal.entries.allSatisfy(second.serialization.covers))
    }

    // MARK: Zones that are gone

    @Test(.holds("J2", "J4", "P7"))
    func anIntentThatIsAppliedWhileItsZoneIsGivenUpStaysPending() {
        var journal = journal()
        journal.device.server.saveElsewhere(record(note("z")))
        journal.device.fetch()
        journal.device.edit(note("b"))
        let entry = journal.prepare("a")
        journal.device.server.deleteZoneElsewhere(notes, .deleted)
        journal.device.onEvent = { device, event in
            if case .abandonedChanges = event {
                device.handle(.entryApplied(entry, isStored: true))
            }
            return false
        }
        journal.device.fetch()
        #expect(
            journal.device.abandoned.map(\.recordZoneChanges) == [[.saveRecord(note("b"))]]
        )
        #expect(journal.device.pending == [.saveRecord(note("a"))])
    }
}

extension CoreFixture {
    /// Every state update that was handled since the last launch.
    fileprivate var newestUpdates: [SyncEvent.StateUpdate] {
        events.compactMap { event in
            if case .stateUpdate(let update) = event { update } else { nil }
        }
    }

    /// The entries in them, in their order.
    fileprivate var newestEntries: [JournalEntry] { newestUpdates.flatMap { Array($0.entries) } }
}
