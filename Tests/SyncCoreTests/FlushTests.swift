import RecordModel
import SyncCore
import TestSupport
import Testing

@Suite struct FlushTests {
    private let names = ["a", "b", "c", "d", "e"]

    /// A device with five edits, of which a batch holds two.
    private func device(isAutomatic: Bool = false) -> CoreFixture {
        var device = CoreFixture(
            isAutomatic: isAutomatic,
            limits: RequestLimits(batchCountMax: 2)
        )
        if isAutomatic { device.settle() }
        device.clear()
        device.edit(names.map { note($0) })
        return device
    }

    @Test(.holds("P53"))
    func sendsEverythingThatFits() {
        var device = device()
        let call = device.callFlush(.seconds(5))
        device.run()
        let nothing = FlushReport(zones: [], hasUntrackedChanges: false, isDeadlineReached: false)
        #expect(device.ended[call] == .flushed(nothing, ending: .returned))
        #expect(device.server.batches.count == 3)
        #expect(device.stored.last?.state.state.openSends == [])
        #expect(device.stored.last?.state.state.records.count == 0)
    }

    @Test(.holds("P53"))
    func returnsAtItsDeadlineWithABatchInFlight() {
        var device = device()
        let call = device.callFlush(.seconds(5))
        device.runUntilSent()
        device.pass(.seconds(5) - .nanoseconds(1))
        #expect(device.ended[call] == nil)
        device.pass(.nanoseconds(1))
        let remaining = RemainingChanges(
            pending: ChangeCounts(recordSaves: 3),
            inFlight: ChangeCounts(recordSaves: 2)
        )
        let report = FlushReport(
            zones: [.init(zoneID: notes, remaining: remaining)],
            hasUntrackedChanges: false,
            isDeadlineReached: true
        )
        #expect(device.ended[call] == .flushed(report, ending: .returned))
    }

    @Test(.holds("P53", "P7"))
    func finishesTheBatchUnderWayAndBeginsNoOther() {
        var device = device()
        device.callFlush(.seconds(5))
        device.runUntilSent()
        device.pass(.seconds(5))
        device.run()
        #expect(device.server.batches.count == 1)
        #expect(device.pending.count == 3)
        #expect(device.core.state.openSends == [])
        #expect(device.occurrences("didSendChanges") == 1)
    }

    @Test(.holds("P53"), arguments: [(Duration.nanoseconds(1), 2), (.zero, 1)])
    func beginsABatchBeforeTheDeadlineOnly(left: Duration, batchCount: Int) {
        var device = device()
        device.callFlush(.seconds(5))
        device.runUntilSent()
        device.advance(by: .seconds(5) - left)
        // No timer has said so: the answer itself comes at that instant.
        device.replyBatch()
        device.runUntilSent()
        let sentCount = device.server.batches.count + (device.sentBatch == nil ? 0 : 1)
        #expect(sentCount == batchCount)
    }

    @Test(.holds("P53", "P1"))
    func asksToBeWokenAtItsDeadline() {
        var device = device()
        let deadline = device.now.advanced(by: .seconds(5))
        let call = device.callFlush(.seconds(5))
        device.runUntilSent()
        for _ in 0..<10 where device.ended[call] == nil { device.wake() }
        #expect(device.report(of: call)?.isDeadlineReached == true)
        #expect(device.now == deadline)
        for _ in 0..<10 where device.core.nextDeadline != nil { device.wake() }
        #expect(device.core.nextDeadline == nil)
    }

    /// The deadline comes after so many steps, and the rest runs.
    private func flushed(after steps: Int) -> (CoreFixture, CallID, isOver: Bool) {
        var device = device()
        device.handle(.databaseChangesAdded([.saveZone(RecordZone(zoneName: "new"))]))
        let call = device.callFlush(.seconds(5))
        var count = 0
        device.run { _ in
            count += 1
            return count > steps
        }
        let isOver = device.ended[call] != nil
        let sentCount = device.server.batches.count + (device.sentBatch == nil ? 0 : 1)
        let confirmed =
            device.sentEvents.reduce(0) { $0 + $1.savedRecords.count }
            + device.events.count { event in
                if case .sentDatabaseChanges = event { true } else { false }
            }
        device.pass(.seconds(5))
        if !isOver {
            #expect(device.report(of: call)?.remaining.total == names.count + 1 - confirmed)
        }
        device.run()
        #expect(device.server.batches.count == sentCount)
        return (device, call, isOver)
    }

    @Test(.holds("P53", "P54", "P7"))
    func aDeadlineAtAnyPointSendsNothingMoreLosesNothingAndCountsAll() {
        for steps in 0..<100 {
            var (device, call, isOver) = flushed(after: steps)
            #expect(device.report(of: call)?.isDeadlineReached == !isOver)
            #expect(device.ending(of: call) == .returned)
            #expect(device.failures == [:])
            #expect(device.faults == [])
            #expect(device.occurrences("willSendChanges") == device.occurrences("didSendChanges"))
            #expect(device.core.state.openSends == [])
            #expect(device.pending.count + device.server.records.count == names.count)
            #expect(device.send() == .returned)
            #expect(device.server.records.count == names.count)
            if isOver { return }
        }
        Issue.record("the flush never ended")
    }

    @Test(
        .holds("P53"),
        arguments: [Duration.zero, .seconds(-1), .seconds(Int64.min / 2)]
    )
    func sendsNothingInNoTime(duration: Duration) {
        var device = device()
        let call = device.callFlush(duration)
        #expect(device.report(of: call)?.remaining.pending.recordSaves == names.count)
        device.run()
        #expect(device.server.batches.isEmpty)
    }

    @Test(.holds("P53"))
    func takesADurationBeyondAllReason() {
        var device = device()
        let call = device.callFlush(.seconds(Int64.max))
        device.run()
        #expect(device.ending(of: call) == .returned)
        #expect(device.pending == [])
    }

    @Test(.holds("P55"))
    func returnsAtOnceWithinARetryDelay() {
        var device = device()
        device.callSend()
        device.runUntilSent()
        device.reply(failing: SyncError(.requestRateLimited, retryAfterSeconds: 60))
        device.run()
        device.clear()
        let call = device.callFlush(.seconds(300))
        device.handleEvents()
        #expect(device.ending(of: call)?.code == .requestRateLimited)
        #expect(device.report(of: call)?.remaining.pending.recordSaves == names.count)
        #expect(device.report(of: call)?.isDeadlineReached == false)
        #expect(device.occurrences("modifyRecords") == 0)
        device.advance(by: .seconds(60))
        let later = device.callFlush(.seconds(300))
        device.run()
        #expect(device.ending(of: later) == .returned)
        #expect(device.pending == [])
    }

    @Test(.holds("P54"))
    func countsByZoneKindAndWhatHoldsItBack() {
        var device = CoreFixture()
        device.edit(note("parked"), note("gone"), note("child"))
        device.server.recordErrors = [note("parked"): SyncError(.quotaExceeded)]
        device.send()
        device.delete(note("gone"))
        device.edit(note("x", in: tasks), note("y", in: tasks))
        let new = RecordZone(zoneName: "new")
        device.handle(
            .databaseChangesAdded([
                .deleteZone(tasks), .saveZone(RecordZone(zoneID: tasks)), .saveZone(new),
            ])
        )
        device.handle(.untrackedChangesSet(true))
        let call = device.callFlush(.zero)
        var notesLeft = RemainingChanges(pending: ChangeCounts(recordDeletions: 1))
        notesLeft.parked.recordSaves = 1
        let tasksLeft = RemainingChanges(
            pending: ChangeCounts(recordSaves: 2, zoneSaves: 1, zoneDeletions: 1)
        )
        let report = FlushReport(
            zones: [
                .init(zoneID: notes, remaining: notesLeft),
                .init(zoneID: tasks, remaining: tasksLeft),
                .init(
                    zoneID: new.zoneID,
                    remaining: RemainingChanges(pending: ChangeCounts(zoneSaves: 1))
                ),
            ],
            hasUntrackedChanges: true,
            isDeadlineReached: true
        )
        #expect(device.ended[call] == .flushed(report, ending: .returned))
    }

    @Test(.holds("P54", "J9"))
    func tellsWhatIsOfUnknownOutcomeBeforeAndAfterARelaunch() {
        var device = device()
        let call = device.callFlush(.seconds(5))
        device.runUntilSent()
        device.reply(failing: SyncError(.networkFailure))
        device.pass(.seconds(5))
        let remaining = RemainingChanges(
            pending: ChangeCounts(recordSaves: 3),
            outcomeUnknown: ChangeCounts(recordSaves: 2)
        )
        #expect(device.report(of: call)?[notes] == remaining)
        var next = device.relaunched()
        let second = next.callFlush(.zero)
        #expect(next.report(of: second)?[notes] == remaining)
    }

    @Test(.holds("P54"))
    func tellsThatChangesOfZonesAreInFlight() {
        var device = CoreFixture()
        let new = RecordZone(zoneName: "new")
        device.handle(.databaseChangesAdded([.saveZone(new)]))
        let call = device.callFlush(.seconds(5))
        device.run { $0.requests.count > 0 && $0.occurrences("modifyZones") > 0 }
        device.pass(.seconds(5))
        #expect(
            device.report(of: call)?[new.zoneID]
                == RemainingChanges(inFlight: ChangeCounts(zoneSaves: 1))
        )
        device.run()
        #expect(device.core.pendingDatabaseChanges == [])
    }
}
