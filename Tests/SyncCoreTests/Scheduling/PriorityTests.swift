import CoreTestSupport
import RecordModel
import SyncCore
import TestSupport
import Testing

/// Pending changes with priorities of their own.
@Suite struct PriorityTests {
    private let poor = Conditions(network: .expensive)

    private func add(
        _ device: inout CoreFixture,
        _ ids: Record.ID...,
        priority: SyncPriority
    ) {
        for id in ids where device.records[id] == nil {
            device.records[id] = Record(recordType: "Note", recordID: id)
        }
        let changes = ids.map { PendingRecordZoneChange.saveRecord($0) }
        let entry = device.core.prepare(.prioritizedChangesAdded(changes, priority))
        device.handle(.entryApplied(entry, isStored: false))
    }

    private func savedNames(_ device: CoreFixture) -> [[String]] {
        device.server.batches.map { $0.recordsToSave.map(\.recordID.recordName) }
    }

    @Test(.holds("P95"), arguments: [false, true])
    func theMoreUrgentGoFirst(isAutomatic: Bool) {
        var device = CoreFixture(isSignedIn: !isAutomatic, isAutomatic: isAutomatic)
        if isAutomatic { device.settle() }
        add(&device, note("back"), priority: .background)
        device.edit(note("plain"))
        add(&device, note("now"), priority: .userInitiated)
        if isAutomatic { device.settle() } else { device.send() }
        #expect(savedNames(device) == [["now", "plain", "back"]])
        #expect(device.pending == [])
    }

    @Test(.holds("P95", "P8"))
    func anUrgentChangeStandsInTheFirstBatchWhateverWaitsBeforeIt() {
        var device = CoreFixture(isSignedIn: false, isAutomatic: true)
        device.settle()
        let ids = (0..<50_000).map { note("\($0)", in: $0 % 2 == 0 ? notes : tasks) }
        device.handle(.recordZoneChangesAdded(ids.map { .saveRecord($0) }))
        for id in ids.prefix(250) { device.records[id] = Record(recordType: "Note", recordID: id) }
        add(&device, note("now"), note("too", in: tasks), priority: .userInitiated)
        device.wake()
        device.runUntilSent()
        #expect(device.asked == [note("now"), note("too", in: tasks)] + ids.prefix(248))
    }

    @Test(.holds("P95"))
    func zonesTakeTurnsWithinAPriority() {
        var queue = PendingQueue()
        let origin = EntryOrigin(writer: 0, number: 1)
        for number in 0..<6 {
            queue.add(.saveRecord(note("a\(number)")), origin: origin, priority: .userInitiated)
        }
        queue.add(.saveRecord(note("b", in: tasks)), origin: origin, priority: .userInitiated)
        queue.add(.saveRecord(note("first", in: tasks)), origin: origin)
        let page = queue.fairlyOfferable(after: WalkPosition(), in: .all, limit: 3)
        #expect(page.steps.map(\.change.recordID.recordName) == ["a0", "a1", "b"])
        let all = queue.fairlyOfferable(after: WalkPosition(), in: .all, limit: 8)
        #expect(all.steps.last?.change.recordID.recordName == "first")
    }

    @Test(.holds("P95", "P86"))
    func poorConditionsLetOnlyTheUserInitiatedGo() {
        var run = VirtualRun.idle()
        run.device.handle(.conditionsChanged(poor))
        run.device.edit(note("plain"))
        add(&run.device, note("now"), priority: .userInitiated)
        run.run(until: .seconds(60))
        #expect(savedNames(run.device) == [["now"]])
        #expect(run.device.pending == [.saveRecord(note("plain"))])
        let send = run.device.core.schedule(at: run.device.now).send
        #expect(send.standing == .waiting)
        #expect(send.priority == .default)
        #expect(send.blockers.map(\.reason) == [.networkMetered])
        run.device.handle(.conditionsChanged(Conditions(network: .available)))
        run.run(until: .seconds(61))
        #expect(savedNames(run.device) == [["now"], ["plain"]])
        #expect(run.faults == [])
    }

    @Test(.holds("P95"))
    func aBackgroundChangeWaitsWhereOthersGo() {
        var run = VirtualRun.idle()
        run.device.handle(.conditionsChanged(Conditions(batteryPercent: 40, isCharging: false)))
        add(&run.device, note("back"), priority: .background)
        run.device.edit(note("plain"))
        run.run(until: .seconds(60))
        #expect(savedNames(run.device) == [["plain"]])
        #expect(run.device.core.schedule(at: run.device.now).send.priority == .background)
        #expect(run.faults == [])
    }

    @Test(.holds("P95"))
    func urgentChangesDoNotPutOffTheOthersForEver() {
        var run = VirtualRun.idle()
        run.device.handle(.conditionsChanged(poor))
        run.device.edit(note("plain"))
        for hour in 1...30 {
            let id = note("now\(hour)")
            run.plan(at: .seconds(hour * 3600)) { add(&$0, id, priority: .userInitiated) }
        }
        run.run(until: .seconds(23 * 3600))
        #expect(run.device.pending == [.saveRecord(note("plain"))])
        run.run(until: .seconds(25 * 3600))
        #expect(run.device.pending == [])
        #expect(run.faults == [])
    }

    @Test(.holds("P95"))
    func aRetryIsAsUrgentAsWhatFailed() {
        var run = VirtualRun.idle()
        run.device.handle(.conditionsChanged(poor))
        run.fate = { effect, now in
            effect.isWrite && now < .seconds(20) ? .error(SyncError(.networkFailure)) : nil
        }
        run.device.edit(note("plain"))
        add(&run.device, note("now"), priority: .userInitiated)
        run.run(until: .seconds(180))
        #expect(run.device.pending == [.saveRecord(note("plain"))])
        #expect(run.faults == [])
    }

    @Test(.holds("P95"))
    func aParentGoesAlongWithItsUrgentChild() {
        var run = VirtualRun.idle()
        run.device.handle(.conditionsChanged(poor))
        run.device.edit(note("parent"), note("other"))
        var child = Record(recordType: "Note", recordID: note("child"))
        child.setParent(note("parent"))
        run.device.records[note("child")] = child
        add(&run.device, note("child"), priority: .userInitiated)
        run.run(until: .seconds(60))
        #expect(savedNames(run.device) == [["parent", "child"]])
        #expect(run.device.pending == [.saveRecord(note("other"))])
    }

    @Test(.holds("P95"))
    func anEditMadeWhileItsBatchWasMadeKeepsItsPriority() {
        var device = CoreFixture()
        add(&device, note("now"), priority: .userInitiated)
        device.callSend()
        device.runUntilAsked()
        add(&device, note("now"), priority: .userInitiated)
        device.runUntilSent()
        #expect(device.pending == [.saveRecord(note("now"))])
        #expect(device.core.state.records.slots.all().map(\.slot.priority) == [.userInitiated])
    }

    @Test(.holds("P95"), arguments: [SyncPriority.background, .default])
    func aChangeRaisedWhileItsBatchIsMadeStandsInItOnceAndIsNotForgotten(from: SyncPriority) {
        var device = CoreFixture()
        add(&device, note("low"), note("other"), priority: from)
        add(&device, note("high"), priority: .userInitiated)
        device.callSend()
        device.runUntilAsked()
        let walk = Walk(device.core, now: device.now)
        let first = walk.next(after: walk.start, in: .all, limit: 2)
        #expect(first.steps.map(\.change.recordID) == [note("high"), note("low")])
        add(&device, note("low"), priority: .userInitiated)
        var position = walk.start
        for step in first.steps { position[step.lane] = step.slot + 1 }
        let rest = Walk(device.core, now: device.now).next(after: position, in: .all, limit: 9)
        #expect(rest.steps.map(\.change.recordID) == [note("other")])
        device.run()
        #expect(savedNames(device) == [["high", "other"], ["low"]])
        #expect(device.pending == [])
    }

    @Test(.holds("P95"))
    func aChangeRaisedWhileABatchIsUnderWayGoesOutWithTheSameCall() {
        var device = CoreFixture(limits: RequestLimits(batchCountMax: 2))
        add(&device, note("a"), note("low"), priority: .background)
        add(&device, note("b"), note("c"), priority: .userInitiated)
        device.callSend()
        device.runUntilSent()
        add(&device, note("low"), priority: .userInitiated)
        device.run()
        #expect(savedNames(device) == [["b", "c"], ["low", "a"]])
    }

    @Test(
        .holds("P95"),
        arguments: [
            ([.background, nil], nil), ([.background, .default], .default),
            ([.background, .userInitiated], .userInitiated), ([nil, .default], .default),
            ([nil, .userInitiated], .userInitiated), ([.default, .userInitiated], .userInitiated),
            ([nil, nil], nil), ([.background, .background], .background),
        ] as [([SyncPriority?], SyncPriority?)]
    )
    func ofTwoPrioritiesTheMoreUrgentStaysWhateverTheOrder(
        given: [SyncPriority?],
        stays: SyncPriority?
    ) {
        for order in [given, given.reversed()] {
            var queue = PendingQueue()
            for priority in order {
                queue.add(
                    .saveRecord(note("a")),
                    origin: EntryOrigin(writer: 0, number: 1),
                    priority: priority
                )
            }
            #expect(queue.slots.all().map(\.slot.priority) == [stays])
        }
    }

    @Test(.holds("P95", "P5"), arguments: SyncPriority.allCases)
    func aPrioritySurvivesARelaunchPendingAndInFlight(priority: SyncPriority) throws {
        var device = CoreFixture()
        add(&device, note("flies"), priority: priority)
        device.callSend()
        device.runUntilSent()
        add(&device, note("waits"), priority: priority)
        device.edit(note("plain"))
        let bytes = device.core.serialization.bytes
        var state = try StateSerialization(bytes: bytes).restoredState()
        #expect(StateSerialization(snapshotOf: state).bytes == bytes)
        let places = state.openSends.flatMap(\.returns)
        #expect(places.map(\.taken?.priority) == [priority])
        #expect(state.records.slots.all().map(\.slot.priority) == [priority, nil])
        let key = try #require(state.openSends.first?.key)
        state.apply(
            JournalEntry(
                id: IdempotencyKey(writer: writer, number: 1000),
                change: .sendClosed(key, [.returned])
            )
        )
        #expect(state.records.slots.all().map(\.slot.priority) == [priority, priority, nil])
    }

    @Test(.holds("P95"))
    func anEntryWithAPriorityIsOneByteLonger() throws {
        let change = PendingRecordZoneChange.saveRecord(note(String(repeating: "n", count: 36)))
        let id = IdempotencyKey(writer: writer, number: 7)
        let plain = JournalEntry(id: id, change: .recordChangesAdded([change]))
        let urgent = JournalEntry(id: id, change: .prioritizedChangesAdded([change], .background))
        #expect(urgent.bytes.count == plain.bytes.count + 1)
        #expect(urgent.bytes.count < 200)
        #expect(try JournalEntry(bytes: urgent.bytes) == urgent)
    }
}

extension EngineState.Return {
    fileprivate var taken: PendingQueue.Taken? {
        if case .oldPlace(let taken) = self { taken } else { nil }
    }
}
