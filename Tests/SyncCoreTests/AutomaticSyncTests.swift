import RecordModel
import SyncCore
import TestSupport
import Testing

@Suite struct AutomaticSyncTests {
    /// A device that syncs by itself, has done its first pass, and has nothing to do.
    private func idle() -> CoreFixture {
        var device = CoreFixture(isSignedIn: false, isAutomatic: true)
        device.settle()
        device.clear()
        return device
    }

    @Test(.holds("S45", "S85"))
    func fetchesAndSendsAtItsLaunchByItself() {
        var device = CoreFixture(isSignedIn: false, isAutomatic: true)
        device.server.saveElsewhere(record(note("x")))
        device.edit(note("a"))
        device.settle()
        #expect(device.records[note("x")] != nil)
        #expect(device.server.records[note("a")] != nil)
        #expect(device.isAtRest)
    }

    @Test(.holds("S45", "H64", "H71"))
    func sendsAnEditAtOnce() {
        var device = idle()
        let before = device.now
        device.edit(note("a"))
        #expect(device.core.nextDeadline == before)
        device.wake()
        device.run()
        #expect(device.delivered.first == "willSendChanges(scheduled, all)")
        #expect(device.server.records[note("a")] != nil)
        #expect(device.now == before)
    }

    @Test(.holds("S57"))
    func tellsOfAnEditedStateByItselfAlthoughNobodySends() {
        var device = CoreFixture()
        device.edit(note("a"))
        let due = device.core.nextDeadline
        #expect(due == device.now.advanced(by: EngineConfiguration.stateUpdateDelay))
        device.edit(note("b"))
        #expect(device.core.nextDeadline == due)
        device.wake()
        device.run()
        #expect(device.words == ["deliver stateUpdate"])
        #expect(device.core.nextDeadline == nil)
    }

    @Test(.holds("S88", "S83"))
    func doesNothingByItselfWhenItIsManual() {
        var device = CoreFixture(isSignedIn: false)
        device.edit(note("a"))
        device.handle(.notificationReceived)
        device.wake()
        device.run()
        #expect(device.words == ["deliver stateUpdate"])
        #expect(device.core.nextDeadline == nil)
        device.server.requestErrors = [SyncError(.serviceUnavailable)]
        device.send()
        #expect(device.core.nextDeadline == nil)
    }

    @Test(.holds("S89"))
    func fetchesWhenItIsTold() {
        var device = idle()
        device.server.saveElsewhere(record(note("x")))
        device.handle(.notificationReceived)
        device.wake()
        device.run()
        #expect(device.delivered.first == "willFetchChanges(scheduled, all)")
        #expect(device.records[note("x")] != nil)
    }

    @Test(.holds("H62", "H65"))
    func makesOnePassOfTwoTriggers() {
        var device = idle()
        for _ in 1...2 { device.handle(.notificationReceived) }
        device.edit(note("a"))
        device.edit(note("b"))
        device.settle()
        #expect(device.deliveredCount("willFetchChanges") == 1)
        #expect(device.deliveredCount("willSendChanges") == 1)
        #expect(device.server.batches.count == 1)
    }

    @Test(.holds("H65", "H62"))
    func remembersTriggersDuringAFetchAsOneMorePass() {
        var device = idle()
        device.handle(.notificationReceived)
        device.wake()
        device.runUntilZonesAsked()
        for _ in 1...3 { device.handle(.notificationReceived) }
        device.handle(.woke)
        // Nothing to wake up for while the fetch runs.
        #expect(device.core.schedule(at: device.now).nextInstant == nil)
        device.settle()
        #expect(device.deliveredCount("willFetchChanges") == 2)
    }

    @Test(.holds("H65", "S47", "H01"))
    func sendsAnEditThatLandsDuringASendWithoutAnotherTrigger() {
        var device = idle()
        device.edit(note("a"))
        device.wake()
        device.runUntilSent()
        device.edit(note("a"), note("b"))
        while let deadline = device.core.nextDeadline, deadline <= device.now { device.wake() }
        device.settle()
        #expect(device.server.records[note("b")] != nil)
        let version: Int? = device.server.records[note("a")]?["version"]
        #expect(version == 2)
        #expect(device.pending == [])
    }

    @Test(.holds("H65"))
    func doesNotSpinWhileATriggerWaitsForASend() {
        var device = idle()
        device.edit(note("a"))
        device.wake()
        device.runUntilSent()
        device.edit(note("b"))
        var wakeUps = 0
        while let deadline = device.core.nextDeadline, deadline <= device.now, wakeUps < 10 {
            device.wake()
            wakeUps += 1
        }
        #expect(wakeUps == 0)
    }

    @Test(.holds("H75", "S10", "S68"))
    func waitsLongerAndLongerWhenASendMovesNothing() {
        var device = idle()
        device.answers[note("a")] = .later
        device.edit(note("a"))
        let start = device.now
        for _ in 1...600 {
            guard device.core.nextDeadline != nil else { break }
            device.wake()
            device.run()
        }
        let passes = device.deliveredCount("willSendChanges")
        #expect(passes > 50)
        #expect(device.now.monotonic - start.monotonic > .seconds(passes * 30))
        // An edit does not wait for that.
        let edited = device.now
        device.edit(note("b"))
        device.wake()
        device.run()
        #expect(device.now == edited)
        #expect(device.server.records[note("b")] != nil)
    }

    @Test(.holds("S10"))
    func goesOnAtOnceWhileSendsMoveSomething() {
        var device = CoreFixture(
            isAutomatic: true,
            limits: RequestLimits(batchCountMax: 1, batchByteCountMax: 1000)
        )
        device.settle()
        let start = device.now
        device.edit(note("a"), note("b"))
        device.wake()
        // The delegate gives one batch a send.
        for _ in 1...2 {
            device.run { if case .batch = $0.hand { true } else { false } }
            device.provideBatch()
            device.run { if case .batch = $0.hand { true } else { false } }
            device.provideBatch(nil)
            device.run()
            while let deadline = device.core.nextDeadline, deadline <= device.now {
                device.wake()
            }
        }
        #expect(device.server.records[note("b")] != nil)
        #expect(device.now == start)
    }

    @Test(.holds("S113", "H64"))
    func syncsAgainAfterACancellationDuringABackoff() {
        var device = idle()
        device.server.requestErrors = [SyncError(.serviceUnavailable)]
        device.edit(note("a"))
        device.wake()
        device.run()
        device.handle(.operationsCancelled)
        device.edit(note("b"))
        device.settle()
        #expect(device.pending == [])
    }

    @Test(.holds("S114", "S24"))
    func goesOnWithItsFetchWhenTheTaskThatJoinedItIsCancelled() {
        var device = idle()
        device.server.saveElsewhere(record(note("x")))
        device.handle(.notificationReceived)
        device.wake()
        device.runUntilZonesAsked()
        let call = device.callFetch()
        device.handle(.callAbandoned(call))
        #expect(device.ended[call]?.code == .operationCancelled)
        device.settle()
        #expect(device.records[note("x")] != nil)
    }
}

extension CoreFixture {
    /// Lets time pass and everything run until nothing is due.
    mutating func settle() {
        run()
        for _ in 0..<1000 {
            guard !isAtRest else { return }
            wake()
            run()
        }
        faults.append("it never comes to rest")
    }

    /// True if nothing is due but the next poll of an engine that has nothing to do.
    var isAtRest: Bool { core.nextDeadlineOfWork == nil }

    /// How many events of a kind were delivered, those that the delegate threw at too.
    func deliveredCount(_ name: String) -> Int { delivered.count { $0.hasPrefix(name + "(") } }
}
