import RecordModel
import SyncCore
import TestSupport
import Testing

@Suite struct AutomaticRetryTests {
    private func idle(seed: UInt64 = 0) -> CoreFixture {
        var device = CoreFixture(isSignedIn: false, isAutomatic: true, seed: seed)
        device.settle()
        device.clear()
        return device
    }

    /// A device whose first attempt to send an edit fails.
    private func failing(_ error: SyncError, seed: UInt64 = 0) -> CoreFixture {
        var device = idle(seed: seed)
        device.server.requestErrors = [error]
        device.edit(note("a"))
        device.wake()
        device.run()
        return device
    }

    /// When the engine acts next, behind what it stores.
    private func wait(_ device: CoreFixture) -> Duration? {
        device.core.nextDeadline.map { $0.monotonic - device.now.monotonic }
    }

    @Test(.holds("S75", "S76", "H64", "H66"))
    func triesAgainByItselfAfterAFailure() {
        var device = failing(SyncError(.serviceUnavailable))
        #expect(device.pending == [.saveRecord(note("a"))])
        device.settle()
        #expect(device.pending == [])
        #expect(device.server.batches.count == 2)
    }

    @Test(.holds("H67", "S76"), arguments: UInt64(0)..<20)
    func waitsLongerAfterEachFailureUpToABound(seed: UInt64) {
        var device = idle(seed: seed)
        device.server.requestErrors = Array(repeating: SyncError(.networkUnavailable), count: 30)
        device.edit(note("a"))
        device.wake()
        device.run()
        for failureCount in 1...30 {
            let doublings = Swift.min(failureCount - 1, 16)
            let bound = Swift.min(
                SchedulingPolicy().backoffMax,
                SchedulingPolicy().backoffMin * (1 << doublings)
            )
            guard let due = device.core.schedule(at: device.now).send.due else {
                Issue.record("it does not try again")
                return
            }
            let wait = due.monotonic - device.now.monotonic
            #expect(wait > .zero && wait <= bound)
            // Polls come in between.
            while device.now < due {
                device.wake()
                device.run()
            }
        }
        #expect(device.pending == [])
    }

    @Test(.holds("H67"))
    func spreadsTheRetriesOfManyDevices() {
        let waits = (UInt64(0)..<20).map {
            wait(failing(SyncError(.serviceUnavailable), seed: $0))
        }
        #expect(Set(waits).count > 15)
    }

    @Test(.holds("H68", "S76"), arguments: UInt64(0)..<20)
    func makesNoRequestBeforeTheServerWantsOne(seed: UInt64) {
        var device = failing(
            SyncError(.requestRateLimited, retryAfterSeconds: 300),
            seed: seed
        )
        let allowed = device.now.advanced(by: .seconds(300))
        device.clear()
        device.edit(note("b"))
        device.handle(.notificationReceived)
        device.handle(.accountMayHaveChanged)
        while let deadline = device.core.nextDeadline, deadline < allowed {
            device.wake()
            device.run()
        }
        #expect(
            device.words.filter { !$0.hasPrefix("deliver") && !$0.hasPrefix("askAccount") } == []
        )
        device.settle()
        #expect(device.pending == [])
        #expect(device.now >= allowed)
    }

    @Test(.holds("H68", "S76"))
    func refusesACallWithTheSecondsThatRemain() {
        var device = failing(SyncError(.requestRateLimited, retryAfterSeconds: 300))
        device.advance(by: .seconds(299))
        guard case .failed(let error)? = device.send() else {
            Issue.record("the call was not refused")
            return
        }
        #expect(error.code == .requestRateLimited)
        #expect(error.retryAfterSeconds == 1)
        device.advance(by: .seconds(1))
        #expect(device.send() == .returned)
    }

    @Test(.holds("H68"))
    func stopsTheOtherOperationTooWhenTheServerWantsToBeLeftAlone() {
        var device = CoreFixture()
        device.edit(note("a"))
        let send = device.callSend()
        device.run { if case .batch = $0.hand { true } else { false } }
        let fetch = device.callFetch()
        device.provideBatch()
        device.run { $0.sentBatch != nil || $0.askedZones != nil }
        while device.askedZones == nil { device.handleEvent() }
        // The batch's mark is with the delegate; now the fetch hears of it.
        let throttled = SyncError(.requestRateLimited, retryAfterSeconds: 60)
        let sent = device.server.batches.count
        device.replyZones(.failure(throttled))
        if device.sentBatch == nil { device.run() } else { device.replyBatch() }
        device.run()
        #expect(device.ended[fetch] == .failed(throttled))
        #expect(device.ended[send] != nil)
        #expect(device.server.batches.count <= sent + 1)
        #expect(device.requests.isEmpty)
    }

    @Test(.holds("H68"))
    func sendsNoFurtherBatchWithinADelayThatAFetchHeardOf() {
        var device = CoreFixture(limits: RequestLimits(batchCountMax: 1, batchByteCountMax: 1000))
        device.edit(note("a"), note("b"))
        let send = device.callSend()
        device.runUntilSent()
        device.callFetch()
        device.run { $0.askedZones != nil && $0.hand.isEmpty }
        device.replyZones(.failure(SyncError(.requestRateLimited, retryAfterSeconds: 60)))
        device.run()
        #expect(device.server.batches.count == 1)
        #expect(device.ended[send]?.code == .requestRateLimited)
        #expect(device.pending == [.saveRecord(note("b"))])
    }

    @Test(.holds("H68"), arguments: [1e30, .infinity, 1e18, 90_000])
    func clampsAHostileDelay(seconds: Double) {
        let device = failing(SyncError(.requestRateLimited, retryAfterSeconds: seconds))
        #expect(device.core.state.retryDelay?.length == EngineConfiguration.retryDelayMax)
        // Many devices that were sent away together do not come back together.
        let jitterMax = SchedulingPolicy().backoffMin
        #expect(wait(device)! <= EngineConfiguration.retryDelayMax + jitterMax)
    }

    @Test(.holds("H68"), arguments: [Double.nan, -5, 0, -Double.infinity])
    func ignoresADelayThatIsNone(seconds: Double) {
        let device = failing(SyncError(.requestRateLimited, retryAfterSeconds: seconds))
        #expect(device.core.state.retryDelay == nil)
        #expect(wait(device) != nil)
    }

    @Test(
        .holds("S76", "H68"),
        arguments: [
            // The process was away; its clock went on, stood still, or was set back or ahead.
            (100, 200), (0, 300), (-50_000, 300), (1_000_000, 0), (299, 1), (300, 0),
        ]
    )
    func restoresADelayAsWhatIsLeftOfIt(away: Int, left: Int) {
        var device = failing(SyncError(.requestRateLimited, retryAfterSeconds: 300))
        device.run()
        let relaunched = CoreFixture(
            state: device.core.serialization,
            isSignedIn: false,
            now: EngineInstant(
                monotonic: .zero,
                wall: device.now.advanced(by: .seconds(away)).wall
            )
        )
        let rest = relaunched.core.state.retryDelay?.until.monotonic ?? .zero
        #expect(rest == .seconds(left))
    }

    @Test(.holds("H67"))
    func keepsTheTimeOfARetryHoweverOftenItIsNotified() {
        var device = idle()
        device.server.account = .failure(SyncError(.networkUnavailable))
        device.handle(.accountMayHaveChanged)
        device.run()
        device.handle(.notificationReceived)
        device.wake()
        device.run()
        let due = device.core.nextDeadline
        #expect(due != nil && due! > device.now)
        for _ in 1...50 { device.handle(.notificationReceived) }
        #expect(device.core.nextDeadline == due)
    }

    @Test(.holds("S86"))
    func sendsForACallAtOnceWhileARetryWaits() {
        var device = failing(SyncError(.networkUnavailable))
        let called = device.now
        #expect(device.core.nextDeadline! > called)
        #expect(device.send() == .returned)
        #expect(device.now == called)
        #expect(device.pending == [])
    }

    @Test(.holds("H64"))
    func sendsAnEditAfterWhatFailedWasTakenBackAsSoonAsTheWaitIsOver() {
        var device = failing(SyncError(.serviceUnavailable))
        device.handle(.recordZoneChangesRemoved([.saveRecord(note("a"))]))
        device.settle()
        let edited = device.now
        device.edit(note("b"))
        device.settle()
        #expect(device.pending == [])
        #expect(device.now.monotonic - edited.monotonic <= SchedulingPolicy().backoffMin)
    }

    @Test(.holds("S87"))
    func wakesWhenAnAccountArrivesAndDoesBoth() {
        var device = CoreFixture(isSignedIn: false, isAutomatic: true)
        device.server.account = .success(.noAccount)
        device.server.saveElsewhere(record(note("x")))
        device.edit(note("a"))
        for _ in 1...20 {
            device.wake()
            device.run()
        }
        let before = device.now
        device.clear()
        device.accountBecomes(ann)
        device.run()
        while let deadline = device.core.nextDeadline, deadline <= device.now {
            device.wake()
            device.run()
        }
        #expect(device.now == before)
        #expect(device.pending == [])
        #expect(device.records[note("x")] != nil)
    }

    @Test(.holds("S87", "H67"))
    func asksSeldomWhileThereIsNoAccount() {
        var device = CoreFixture(isSignedIn: false, isAutomatic: true)
        device.server.account = .success(.noAccount)
        for _ in 1...100 {
            device.wake()
            device.run()
        }
        #expect(device.now.monotonic > .seconds(3000))
        #expect(device.delivered == [])
    }

    @Test(.holds("S97", "S87"))
    func fetchesForAnAccountThatTookOver() {
        var device = idle()
        device.server.saveElsewhere(record(note("x")))
        device.accountBecomes(bob)
        device.settle()
        #expect(device.records[note("x")] != nil)
    }

    @Test(.holds("P4", "H12"))
    func offersAnEventAgainLaterAndLaterThatTheDelegateThrowsAt() {
        var device = idle()
        device.onEvent = { _, event in
            if case .sentRecordZoneChanges = event { true } else { false }
        }
        device.edit(note("a"))
        let start = device.now
        for _ in 1...100 {
            guard device.core.nextDeadline != nil else { break }
            device.wake()
            device.run()
        }
        let offers = device.deliveredCount("sentRecordZoneChanges")
        #expect(offers > 5)
        #expect(device.now.monotonic - start.monotonic > .seconds(offers * 20))
        #expect(device.server.batches.count == 1)
        device.onEvent = { _, _ in false }
        device.settle()
        #expect(device.core.state.openSends.isEmpty)
        #expect(device.pending == [])
    }

    @Test(.holds("H54", "H59"))
    func triesAgainToStoreAStateThatWasNotStored() {
        var device = idle()
        device.onEvent = { _, event in if case .stateUpdate = event { true } else { false } }
        device.edit(note("a"))
        for _ in 1...5 {
            device.wake()
            device.run()
        }
        #expect(device.server.batches.isEmpty)
        device.onEvent = { _, _ in false }
        device.settle()
        #expect(device.server.batches.count == 1)
        #expect(device.pending == [])
    }
}
