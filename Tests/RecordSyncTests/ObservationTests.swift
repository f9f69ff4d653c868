import RecordModel
import RecordSync
import RecordSyncTesting
import TestSupport
import Testing

@Suite struct ObservationTests {
    private let story = Story()

    /// What waits for an observer of an engine that is gone.
    private func all(_ events: SyncEngine.ObservedEvents) throws -> [SyncEngine.ObservedEvent] {
        try story.world.run {
            var all: [SyncEngine.ObservedEvent] = []
            for await event in events { all.append(event) }
            return all
        }
    }

    /// Lets an engine tell its delegate so many events, while an observer reads none of them.
    private func unread(
        _ count: Int
    ) throws -> (told: RecordingDelegate, seen: [SyncEngine.ObservedEvent]) {
        let delegate = RecordingDelegate()
        let events: SyncEngine.ObservedEvents
        do {
            let engine = story.engine(delegate)
            events = engine.events
            for number in 0..<count {
                engine.state.add(
                    pendingRecordZoneChanges: [.saveRecord(Record.ID(recordName: "n\(number)"))]
                )
                try story.world.advance(by: .seconds(1))
            }
        }
        return (delegate, try all(events))
    }

    @Test(.holds("P50"))
    func showsEachEventAfterTheDelegateHasReturnedFromIt() throws {
        let notes = Notes()
        let (story, world) = (story, story.world)
        let environment = world.environment
        let delegate = RecordingDelegate(
            records: [Record(recordType: "Note", recordID: Record.ID(recordName: "n"))]
        )
        delegate.onEvent { event, _, _ in
            notes.add("told \(EventKind(event))")
            await world.idle()
            notes.add("returned \(EventKind(event))")
        }
        let pendingCounts = Guarded<[Int]>([])
        try world.run {
            let engine = story.engine(delegate)
            let events = engine.events
            let (state, observer) = (engine.state, Notes())
            environment.launch {
                for await observed in events {
                    notes.add("seen \(EventKind(observed.event))")
                    observer.add("\(observed.event)")
                    guard case .sentRecordZoneChanges = observed.event else { continue }
                    pendingCounts.withLock { $0.append(state.serialization.pendingCount) }
                }
            }
            state.add(pendingRecordZoneChanges: [.saveRecord(Record.ID(recordName: "n"))])
            try await engine.sendChanges()
            await world.idle()
            #expect(observer.all == delegate.eventDescriptions)
        }
        let kinds = delegate.events.map(EventKind.init)
        #expect(kinds.contains(.sentRecordZoneChanges))
        #expect(notes.all == kinds.flatMap { ["told \($0)", "returned \($0)", "seen \($0)"] })
        // What the event tells of is done: neither pending nor in flight.
        #expect(pendingCounts.withLock { $0 } == [0])
    }

    @Test(.holds("P50"))
    func saysThatTheDelegateThrewAndNamesTheRepetitionAnew() throws {
        let device = Guarded<TestDevice?>(story.device("A"))
        let delegate = try #require(device.withLock { $0?.delegate })
        delegate.throwError(Refusal(number: 7), at: .sentDatabaseChanges)
        let events = try #require(device.withLock { $0?.engine.events })
        for _ in 1...2 {
            _ = TestDevice.code { try story.send(try #require(device.withLock { $0 })) }
        }
        device.withLock { $0 = nil }
        let seen = try all(events).filter { EventKind($0.event) == .sentDatabaseChanges }
        #expect(seen.map { $0.delegateError as? Refusal } == [Refusal(number: 7), nil])
        #expect(Set(seen.map(\.id)).count == 2)
    }

    @Test(.holds("P50"))
    func namesEachEventByLaunchAndNumberWithItsInstant() throws {
        let (delegate, seen) = try unread(3)
        #expect(delegate.events.count == 3)
        #expect(Set(seen.map(\.id.writer)).count == 1)
        #expect(seen.map(\.id.number) == seen.map(\.id.number).sorted())
        #expect(Set(seen.map(\.id)).count == 3)
        // A state update leaves 100 milliseconds after the edit, of which there is one a second.
        let start: Int64 = 1_800_000_000_100
        #expect(
            seen.map(\.instant.millisecondsSince1970) == [start, start + 1000, start + 2000]
        )
        let others = try unread(1).seen
        #expect(others.first?.id.writer != seen.first?.id.writer)
    }

    @Test(.holds("P56"))
    func showsHowFarTheEngineHadComeWithEachEvent() throws {
        let delegate = RecordingDelegate(
            records: [Record(recordType: "Note", recordID: Record.ID(recordName: "n"))]
        )
        let events: SyncEngine.ObservedEvents
        do {
            let engine = story.engine(delegate)
            events = engine.events
            engine.state.add(
                pendingRecordZoneChanges: [.saveRecord(Record.ID(recordName: "n"))]
            )
            #expect(engine.progress.total.remaining.pending.recordSaves == 1)
            try story.world.run { try await engine.sendChanges() }
            #expect(engine.progress.total.remaining.isEmpty)
        }
        let seen = try all(events).map { observed in
            let total = observed.progress.total
            return "\(EventKind(observed.event)) left \(total.remaining.total) "
                + "sent \(total.sentCount) confirmed \(total.confirmedCount)"
        }
        #expect(
            seen == [
                "accountChange left 1 sent 0 confirmed 0",
                "willSendChanges left 1 sent 0 confirmed 0",
                "stateUpdate left 1 sent 1 confirmed 0",
                "sentRecordZoneChanges left 0 sent 1 confirmed 1",
                "didSendChanges left 0 sent 1 confirmed 1",
                "stateUpdate left 0 sent 1 confirmed 1",
            ]
        )
    }

    @Test(.holds("P51"))
    func givesEveryObserverWhatCameSinceItWasMade() throws {
        let delegate = RecordingDelegate()
        let sequences: [SyncEngine.ObservedEvents]
        do {
            let engine = story.engine(delegate)
            let first = engine.events
            let second = engine.events
            try story.world.run { try await engine.sendChanges() }
            let third = engine.events
            try story.world.run { try await engine.fetchChanges() }
            sequences = [first, second, third]
        }
        let told = delegate.eventDescriptions
        let begin = try #require(told.firstIndex { $0.hasPrefix("willFetchChanges") })
        let seen = try sequences.map { try all($0).map { "\($0.event)" } }
        #expect(seen == [told, told, Array(told[begin...])])
    }

    @Test(.holds("P51"))
    func keepsWhatASlowObserverHasNotReadUpToTheLimit() throws {
        let limit = SyncEngine.ObservedEvents.bufferedEventCountMax
        let (delegate, seen) = try unread(limit)
        #expect(delegate.events.count == limit)
        #expect(seen.count == limit)
        #expect(seen.allSatisfy { $0.missedCount == 0 })
    }

    @Test(.holds("P51"), arguments: [1, 40])
    func dropsTheOldestBeyondTheLimitAndCountsThem(excess: Int) throws {
        let limit = SyncEngine.ObservedEvents.bufferedEventCountMax
        let (delegate, seen) = try unread(limit + excess)
        // Nobody waited for the observer.
        #expect(delegate.events.count == limit + excess)
        #expect(seen.count == limit)
        #expect(seen.map(\.missedCount) == [excess] + Array(repeating: 0, count: limit - 1))
    }

    @Test(.holds("P52"))
    func endsWithTheEngineAndDoesNotKeepIt() throws {
        let delegate = RecordingDelegate()
        let ended = Guarded(false)
        weak let held: SyncEngine?
        do {
            let engine = story.engine(delegate, isAutomatic: true)
            held = engine
            let events = engine.events
            story.world.environment.launch {
                for await _ in events {}
                ended.withLock { $0 = true }
            }
            try story.world.advance(by: .seconds(1))
            #expect(!ended.withLock { $0 })
        }
        #expect(held == nil)
        try story.world.runUntilIdle()
        #expect(ended.withLock { $0 })
    }

    @Test(.holds("P52"))
    func endsAlthoughTheAppStillHasTheEnginesState() throws {
        let delegate = RecordingDelegate()
        let events: SyncEngine.ObservedEvents
        let state: SyncEngine.State
        do {
            let engine = story.engine(delegate)
            (events, state) = (engine.events, engine.state)
        }
        #expect(try all(events).isEmpty)
        _ = state
    }

    @Test(.holds("P51"))
    func goesOnForOthersWhenAnObserverIsLetGo() throws {
        let delegate = RecordingDelegate()
        let kept: SyncEngine.ObservedEvents
        do {
            let engine = story.engine(delegate)
            _ = engine.events
            kept = engine.events
            _ = engine.events.makeAsyncIterator()
            try story.world.run { try await engine.sendChanges() }
        }
        #expect(try all(kept).map { "\($0.event)" } == delegate.eventDescriptions)
    }
}

extension SyncEngine.State.Serialization {
    /// Changes of records that the server has not confirmed, in flight or not.
    fileprivate var pendingCount: Int {
        let state = restoredState()
        return state.records.count + state.openSends.reduce(0) { $0 + $1.changes.count }
    }
}
