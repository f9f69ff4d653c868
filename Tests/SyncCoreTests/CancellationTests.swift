import RecordModel
import SyncCore
import TestSupport
import Testing

@Suite struct CancellationTests {
    /// Cancels after so many steps of a send, and lets the rest run.
    private func cancelled(after steps: Int) -> (CoreFixture, CallID, isOver: Bool) {
        var device = CoreFixture()
        device.handle(.databaseChangesAdded([.saveZone(RecordZone(zoneName: "new"))]))
        device.edit(note("a"), note("b"))
        let call = device.callSend()
        var count = 0
        device.run { _ in
            count += 1
            return count > steps
        }
        let isOver = device.ended[call] != nil
        device.handle(.operationsCancelled)
        device.run()
        return (device, call, isOver)
    }

    @Test(.holds("S11", "S112", "S113", "P7"))
    func cancellingAtAnyPointLosesNothingAndEndsOnce() {
        for steps in 0..<40 {
            var (device, call, isOver) = cancelled(after: steps)
            #expect(
                device.ended[call] == .returned || device.ended[call]?.code == .operationCancelled
            )
            #expect(isOver == (device.ended[call] == .returned))
            #expect(device.occurrences("willSendChanges") == device.occurrences("didSendChanges"))
            #expect(device.core.state.openSends == [])
            #expect(device.pending.count + device.server.records.count == 2)
            #expect(device.send() == .returned)
            #expect(device.server.records.count == 2)
            #expect(device.core.pendingDatabaseChanges == [])
            if isOver { return }
        }
        Issue.record("the send never ended")
    }

    @Test(.holds("P34", "S113"))
    func savesThatWereNotSentAreReportedAsCancelledAndStayPending() {
        var device = CoreFixture()
        device.edit(note("a"))
        device.callSend()
        device.runUntilAsked()
        device.provideBatch()
        device.handle(.operationsCancelled)
        device.run()
        #expect(device.failures == [note("a"): .operationCancelled])
        #expect(device.pending == [.saveRecord(note("a"))])
        #expect(device.server.batches.isEmpty)
    }

    @Test(.holds("S112"))
    func aBatchOnItsWayIsFinished() {
        var device = CoreFixture()
        device.edit(note("a"))
        device.callSend()
        device.runUntilSent()
        device.handle(.operationsCancelled)
        device.run()
        #expect(device.sentEvents.map { $0.savedRecords.map(\.recordID) } == [[note("a")]])
        #expect(device.pending == [])
    }

    @Test(.holds("S113"))
    func callsThatWaitEndAtOnceWithoutAnEvent() {
        var device = CoreFixture()
        let first = device.callSend()
        let second = device.callSend()
        device.handle(.operationsCancelled)
        #expect(device.ended[second]?.code == .operationCancelled)
        device.run()
        #expect(device.ended[first]?.code == .operationCancelled)
        #expect(device.occurrences("willSendChanges") == 0)
    }

    @Test(.holds("S114", "P7"))
    func cancellingTheWaitingTaskEndsItsWaitAndFinishesWhatWasSent() {
        var device = CoreFixture()
        device.edit(note("a"))
        let call = device.callSend()
        device.runUntilSent()
        device.handle(.callAbandoned(call))
        #expect(device.ended[call]?.code == .operationCancelled)
        device.run()
        #expect(device.pending == [])
        #expect(device.occurrences("endCall") == 1)
    }
}
