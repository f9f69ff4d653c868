import RecordModel
import SyncCore
import TestSupport
import Testing

@Suite struct FlushAmongSendsTests {
    /// An automatic device whose scheduled send has sent the first of three batches.
    private func sending() -> CoreFixture {
        var device = CoreFixture(
            isSignedIn: false,
            isAutomatic: true,
            limits: RequestLimits(batchCountMax: 1)
        )
        device.settle()
        device.clear()
        device.edit(note("a"), note("b"), note("c"))
        device.wake()
        device.runUntilSent()
        return device
    }

    @Test(.holds("P53"))
    func goesBehindAScheduledSendAndSendsWhatThatLeft() {
        var device = sending()
        let call = device.callFlush(.seconds(5))
        device.edit(note("d"))
        device.run()
        #expect(device.ending(of: call) == .returned)
        #expect(device.report(of: call)?.remaining.isEmpty == true)
        #expect(device.pending == [])
    }

    @Test(.holds("P53"))
    func endsAScheduledSendAtItsDeadline() {
        var device = sending()
        let call = device.callFlush(.seconds(5))
        device.pass(.seconds(5))
        #expect(device.report(of: call)?.remaining.inFlight.total == 1)
        device.run()
        #expect(device.server.batches.count == 1)
        #expect(device.pending.count == 2)
        // What is left follows by itself, a while later.
        let quiet = device.now.advanced(by: SchedulingPolicy().flushRest)
        while device.server.batches.count == 1, device.core.nextDeadline != nil {
            device.wake()
            device.run()
        }
        #expect(device.now == quiet)
        device.settle()
        #expect(device.pending == [])
    }

    @Test(.holds("P53"))
    func goesOnByItselfAfterItsOwnDeadline() {
        var device = CoreFixture(
            isSignedIn: false,
            isAutomatic: true,
            limits: RequestLimits(batchCountMax: 1)
        )
        device.settle()
        device.edit(note("a"), note("b"))
        device.callFlush(.seconds(5))
        device.runUntilSent()
        device.pass(.seconds(5))
        device.run()
        #expect(device.server.batches.count == 1)
        device.settle()
        #expect(device.pending == [])
    }

    @Test(.holds("P53"))
    func leavesACallOfTheAppAlone() {
        var device = CoreFixture(limits: RequestLimits(batchCountMax: 1))
        device.edit(note("a"), note("b"))
        let send = device.callSend()
        device.runUntilSent()
        let call = device.callFlush(.seconds(5))
        device.pass(.seconds(5))
        #expect(device.report(of: call)?.remaining.total == 2)
        #expect(device.ended[send] == nil)
        device.run()
        #expect(device.ended[send] == .returned)
        #expect(device.pending == [])
    }

    @Test(.holds("P53"))
    func keepsTheDeadlineOfEachOfTwo() {
        var device = CoreFixture(limits: RequestLimits(batchCountMax: 1))
        device.edit(note("a"), note("b"))
        let short = device.callFlush(.seconds(5))
        let long = device.callFlush(.seconds(9))
        device.runUntilSent()
        device.pass(.seconds(5))
        #expect(device.report(of: short)?.remaining.total == 2)
        #expect(device.ended[long] == nil)
        device.run()
        #expect(device.report(of: long)?.remaining.isEmpty == true)
        #expect(device.server.batches.count == 2)
    }

    @Test(.holds("P55"))
    func endsWithAnErrorWhenItIsCancelled() {
        var device = CoreFixture()
        device.edit(note("a"))
        let first = device.callFlush(.seconds(5))
        let second = device.callFlush(.seconds(5))
        device.handle(.operationsCancelled)
        device.run()
        for call in [first, second] {
            #expect(device.ending(of: call)?.code == .operationCancelled)
            #expect(device.report(of: call)?.isDeadlineReached == false)
        }
        let third = device.callFlush(.seconds(5))
        device.handle(.callAbandoned(third))
        device.run()
        #expect(device.ending(of: third)?.code == .operationCancelled)
        #expect(device.report(of: third)?.remaining.total == 1)
    }

    @Test(.holds("P55"))
    func tellsWhichItemsFailed() {
        var device = CoreFixture()
        device.edit(note("a"), note("x", in: tasks))
        device.server.recordErrors = [note("a"): SyncError(.zoneBusy)]
        let call = device.callFlush(.seconds(5))
        device.run()
        #expect(device.ending(of: call)?.code == .partialFailure)
        #expect(device.report(of: call)?.zones.map(\.zoneID) == [notes])
    }

    @Test(.holds("P55"))
    func tellsWhatTheDelegateThrew() {
        var device = CoreFixture()
        device.edit(note("a"))
        device.onEvent = { _, event in
            if case .willSendChanges = event { true } else { false }
        }
        let call = device.callFlush(.seconds(5))
        device.run()
        #expect(device.ending(of: call)?.isThrownByDelegate == true)
        #expect(device.report(of: call)?.remaining.total == 1)
    }
}
