import RecordModel
import SyncCore
import TestSupport
import Testing

/// An app that both prepares entries and adds changes: stored entries then lie in another order
/// than the one in which they took effect, and no edit is lost or sent twice for it.
struct JournalOrderTests {
    private static let save = PendingRecordZoneChange.saveRecord(note("a"))

    /// A device and what its app has stored, in that order.
    private struct Journaling {
        var device = CoreFixture()
        var journal: [JournalEntry] = []
        private var takenCount = 0

        init(device: CoreFixture = CoreFixture()) { self.device = device }

        /// Stores what the state updates have brought.
        mutating func take() {
            for case .stateUpdate(let update) in device.events.dropFirst(takenCount) {
                journal += Array(update.entries)
            }
            takenCount = device.events.count
        }

        mutating func prepare(_ change: StateChange) -> JournalEntry {
            device.core.prepare(change)
        }

        mutating func store(_ entry: JournalEntry) {
            take()
            journal.append(entry)
        }

        mutating func apply(_ entry: JournalEntry) {
            device.handle(.entryApplied(entry, isStored: true))
        }

        /// Lets everything happen, and stores it.
        mutating func run() {
            device.run()
            while device.core.nextDeadline != nil {
                device.wake()
                device.run()
            }
            take()
        }

        mutating func send() {
            device.send()
            run()
        }

        var restored: EngineState {
            StateSerialization(nil, applying: journal).restoredState()
        }
    }

    @Test(.holds("J2", "J3", "J4"), arguments: [true, false])
    func anEditThatIsAppliedAfterASendOutlivesIt(isPreparedFirst: Bool) {
        var app = Journaling()
        app.run()
        var prepared: JournalEntry?
        if isPreparedFirst { prepared = app.prepare(.recordChangesAdded([Self.save])) }
        app.device.edit(note("a"))
        let entry = prepared ?? app.prepare(.recordChangesAdded([Self.save]))
        app.store(entry)
        app.send()
        // Here the process dies: what was sent was read before the edit was committed.
        #expect(app.restored.records.slots.all().map(\.change) == [Self.save])
        app.apply(entry)
        #expect(app.device.pending == [Self.save])
        app.send()
        #expect(app.restored.records.slots.all().isEmpty)
    }

    @Test(.holds("J3", "J4"), arguments: [[0, 1], [1, 0]])
    func twoEntriesForOneRecordEndWithTheSendThatKnewBoth(order: [Int]) {
        var app = Journaling()
        app.run()
        let entries = [
            app.prepare(.recordChangesAdded([Self.save])),
            app.prepare(.recordChangesAdded([Self.save])),
        ]
        app.device.records[note("a")] = record(note("a"))
        for entry in entries { app.store(entry) }
        for number in order { app.apply(entries[number]) }
        app.send()
        #expect(app.device.pending == [])
        #expect(app.restored.records.slots.all().isEmpty)
    }

    @Test(.holds("J3", "J4"))
    func aDeletionThatALaterSaveTookThePlaceOfDoesNotComeBack() {
        var app = Journaling()
        app.run()
        let saved = app.prepare(.recordChangesAdded([Self.save]))
        app.store(saved)
        app.device.delete(note("a"))
        app.run()
        app.device.records[note("a")] = record(note("a"))
        app.apply(saved)
        app.send()
        #expect(app.device.server.batches.map(\.recordsToSave.count) == [1])
        #expect(app.restored.records.slots.all().isEmpty)
    }

    @Test(.holds("J4"))
    func aZoneThatIsAskedForAfterASendOutlivesIt() {
        var app = Journaling()
        app.run()
        let zone = PendingDatabaseChange.saveZone(RecordZone(zoneID: tasks))
        let entry = app.prepare(.databaseChangesAdded([zone]))
        app.device.handle(.databaseChangesAdded([zone]))
        app.store(entry)
        app.send()
        #expect(app.restored.databaseChanges.changes == [zone])
        app.apply(entry)
        app.send()
        #expect(app.restored.databaseChanges.changes == [])
    }

    @Test(.holds("J4", "J12"))
    func whatAnotherProcessStoresWhileTheEngineRunsOutlivesItsSends() {
        var app = Journaling()
        app.run()
        var others = JournalWriter(writer: WriterID(high: 9, low: 9))
        let entry = others.entry(pendingRecordZoneChanges: [Self.save])
        app.device.edit(note("a"))
        app.run()
        app.store(entry)
        app.device.edit(note("a"))
        app.send()
        #expect(app.restored.records.slots.all().map(\.change) == [Self.save])
        app.apply(entry)
        app.device.edit(note("a"))
        app.send()
        #expect(app.restored.records.slots.all().isEmpty)
    }

    @Test(.holds("J3", "J4", "J6", "P7"), arguments: UInt64(0)..<60)
    func aReplayKnowsWhatTheEngineKnew(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var app = Journaling()
        app.run()
        var awaited: [(entry: JournalEntry, isStored: Bool)] = []
        for _ in 0..<60 {
            let id = note("\(Int.random(in: 0..<3, using: &random))")
            app.device.records[id] = app.device.records[id] ?? record(id)
            let change: PendingRecordZoneChange =
                Int.random(in: 0..<4, using: &random) > 0 ? .saveRecord(id) : .deleteRecord(id)
            let position = Int.random(in: 0...awaited.count, using: &random)
            switch Int.random(in: 0..<8, using: &random) {
            case 0, 1: app.device.handle(.recordZoneChangesAdded([change]))
            case 2: awaited.append((app.prepare(.recordChangesAdded([change])), false))
            case 3 where position < awaited.count && !awaited[position].isStored:
                app.store(awaited[position].entry)
                awaited[position].isStored = true
            case 4, 5:
                guard position < awaited.count else { continue }
                let (entry, isStored) = awaited.remove(at: position)
                if !isStored { app.store(entry) }
                app.apply(entry)
            case 6: app.device.handle(.recordZoneChangesRemoved([change]))
            case _: app.send()
            }
        }
        app.run()
        // What was stored and not applied is made at a launch.
        let unmade = awaited.filter(\.isStored).map(\.entry)
        let stored = app.journal.filter { entry in unmade.contains { $0.id == entry.id } }
        for entry in stored { app.apply(entry) }
        // Whether such a record is saved or deleted, the order of their entries decides.
        let expected = Set(app.device.pending.map(\.recordID))
        let restored = app.restored.records.slots.all().map(\.change.recordID)
        #expect(Set(restored) == expected)
    }

    @Test(.holds("J1"))
    func anEntryAmongAThousandPreparedOnesTakesFewBytes() throws {
        var app = Journaling()
        app.run()
        app.device.edit(note("a"))
        for number in 0..<1000 {
            _ = app.prepare(.recordChangesAdded([.saveRecord(note("\(number)"))]))
        }
        app.send()
        let opened = try #require(
            app.journal.first { if case .sendOpened = $0.change { true } else { false } }
        )
        #expect(opened.context.awaited.ranges.count == 1)
        #expect(opened.bytes.count < 200)
    }

    /// One that took a step for each pair of entries would take minutes.
    @Test func aLongJournalIsReplayedInAFewSteps() {
        let key = { IdempotencyKey(writer: writer, number: $0) }
        let entries = (UInt64(0)..<20_000).flatMap { number in
            [
                JournalEntry(id: key(3 * number + 1), change: .recordChangesAdded([Self.save])),
                JournalEntry(
                    id: key(3 * number + 2),
                    change: .sendOpened([
                        .init(
                            change: Self.save,
                            recordType: "Note",
                            entry: key(3 * number + 1)
                        )
                    ])
                ),
                JournalEntry(
                    id: key(3 * number + 3),
                    change: .sendClosed(key(3 * number + 2), [.confirmed(changeTag: "t")])
                ),
            ]
        }
        let restored = StateSerialization(nil, applying: entries).restoredState()
        #expect(restored.records.slots.all().isEmpty)
        #expect(restored.openSends.isEmpty)
        #expect(restored.writers.map(\.covered.highest) == [60_000])
    }

    @Test(.holds("H30"))
    func entriesAloneNameTheirDatabase() {
        var app = Journaling(device: CoreFixture(isSignedIn: false))
        app.device.edit(note("a"))
        app.run()
        #expect(app.restored.databaseName == "memory/private")
        let prepared = app.prepare(.recordChangesAdded([Self.save]))
        #expect(prepared.context.databaseName == nil)
        var fresh = CoreFixture(isSignedIn: false)
        let first = fresh.core.prepare(.recordChangesAdded([Self.save]))
        let restored = StateSerialization(nil, applying: [first]).restoredState()
        #expect(restored.databaseName == "memory/private")
    }

    /// The name stands in the entries of a launch until the app has stored one of its states.
    @Test(.holds("H30"))
    func noEntryOfALaterLaunchNamesTheDatabaseAgain() {
        var app = Journaling()
        app.device.edit(note("a"))
        app.run()
        var next = app.device.relaunched()
        let prepared = next.core.prepare(.recordChangesAdded([Self.save]))
        #expect(prepared.context == EntryContext())
    }
}
