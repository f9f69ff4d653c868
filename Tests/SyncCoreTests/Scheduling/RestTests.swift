import RecordModel
import SyncCore
import TestSupport
import Testing

/// An engine with nothing to do, and what it says of itself.
@Suite struct RestTests {
    @Test(.holds("P89"))
    func aWeekOfNothingToDoHasNoWakeUpsButThePoll() {
        let week = Duration.seconds(7 * 24 * 60 * 60)
        var run = VirtualRun.idle()
        run.device.handle(.notificationReceived)
        run.run(until: .seconds(10))
        let before = (wakeUps: run.wakeUps.count, fetches: run.fetches.count)
        run.run(until: .seconds(10) + week)
        let fetches = run.fetches.count - before.fetches
        #expect(run.wakeUps.count - before.wakeUps == fetches)
        // Every 2 minutes, up to a tenth earlier.
        #expect((5040...5600).contains(fetches))
        #expect(run.sends == [])
        #expect(run.faults == [])
    }

    @Test(.holds("P89"))
    func aManualEngineWakesUpForNothing() {
        var run = VirtualRun(CoreFixture())
        run.device.handle(.notificationReceived)
        run.run(until: .seconds(100_000))
        #expect(run.wakeUps == [])
        #expect(run.sent.isEmpty)
        #expect(run.device.core.schedule(at: run.device.now).explain().contains("on calls only"))
    }

    @Test(.holds("P84"))
    func inTheBackgroundItPollsSeldom() {
        var run = VirtualRun.idle()
        run.device.handle(.conditionsChanged(Conditions(isForeground: false)))
        run.run(until: .seconds(3600))
        #expect((3...5).contains(run.fetches.count))
    }

    @Test(.holds("P80"))
    func aDelegateThatDoesNotReturnIsNamed() {
        var device = CoreFixture(isSignedIn: false, isAutomatic: true)
        device.settle()
        device.edit(note("a"))
        device.wake()
        let asked = device.now
        device.advance(by: .milliseconds(29_999))
        device.wake()
        #expect(device.core.nextDeadlineOfWork == asked.advanced(by: .seconds(30)))
        #expect(device.core.schedule(at: device.now).delegate?.isLong == false)
        device.advance(by: .milliseconds(1))
        let wait = device.core.schedule(at: device.now).delegate
        #expect(wait?.isLong == true)
        #expect(wait?.since == asked.wall)
        #expect(
            device.core.schedule(at: device.now).explain().contains(
                "Delegate: it has not returned for 30 s, and nothing goes on before it does."
            )
        )
        device.wake()
        #expect(device.core.nextDeadlineOfWork == nil)
    }

    @Test(.holds("P80"))
    func aSlowDelegateOfAManualEngineIsNamedToo() {
        var device = CoreFixture()
        device.edit(note("a"))
        device.advance(by: .milliseconds(100))
        device.wake()
        let since = device.now.wall
        device.advance(by: .seconds(31))
        let schedule = device.core.schedule(at: device.now)
        #expect(schedule.delegate?.since == since)
        #expect(schedule.explain().contains("Delegate: it has not returned for 31 s"))
    }

    @Test(.holds("P80"))
    func itExplainsItselfInWords() {
        var run = VirtualRun.idle()
        run.fate = { _, _ in .error(SyncError(.requestRateLimited, retryAfterSeconds: 300)) }
        run.device.handle(.conditionsChanged(Conditions(network: .expensive, batteryPercent: 55)))
        run.plan(at: .seconds(6)) { $0.handle(.syncRequested(.userInitiated)) }
        run.plan(at: .seconds(7)) { $0.edit(note("a"), note("b")) }
        run.run(until: .seconds(16) + .milliseconds(50))
        let text = run.device.core.schedule(at: run.device.now).explain()
        let lines = text.split(separator: "\n").map(String.init)
        #expect(lines.first?.hasPrefix("Sends: waiting, next in 23 h 5") == true, "\(text)")
        #expect(
            lines.contains(
                "  - the server asked to be left alone, for 10 s so far, at most 4 min 50 s more"
            ),
            "\(text)"
        )
        #expect(text.contains("the network is to be used little, or costs money, for 11 s so far"))
        #expect(text.contains("Zone notes: 2 saves pending."))
        #expect(text.contains("Conditions: network expensive, battery 55 %."))
        #expect(
            text.contains(
                "Not known, and counted as good: low-power mode, charging, load, foreground."
            )
        )
    }

    @Test(.holds("P80"))
    func attemptsAndTheLastErrorAreTold() {
        var run = VirtualRun.idle()
        run.fate = { effect, _ in effect.isWrite ? .error(SyncError(.networkUnavailable)) : nil }
        run.plan(at: .seconds(6)) { $0.edit(note("a")) }
        run.run(until: .seconds(60)) {
            $0.device.core.schedule(at: $0.device.now).send.attempts == 3
        }
        let schedule = run.device.core.schedule(at: run.device.now)
        #expect(schedule.send.attempts == 3)
        #expect(schedule.send.lastError?.code == .networkUnavailable)
        #expect(schedule.remaining.pending.recordSaves == 1)
        #expect(schedule.explain().contains("it failed 3 times in a row (networkUnavailable)"))
    }
}

@Suite struct SchedulingPolicyTests {
    @Test(.holds("P90"))
    func theDefaultsAreValid() throws { try SchedulingPolicy().validate() }

    @Test(.holds("P90"))
    func aFigureThatCannotWorkIsRefusedByName() {
        let faults: [(name: String, break: (inout SchedulingPolicy) -> Void)] = [
            ("coalescingWindow", { $0.coalescingWindow = .zero }),
            ("coalescingDelayMax", { $0.coalescingDelayMax = .milliseconds(999) }),
            ("backoffMin", { $0.backoffMin = .seconds(-1) }),
            ("backoffMax", { $0.backoffMax = .milliseconds(1) }),
            ("pollDelayShort", { $0.pollDelayShort = .zero }),
            ("pollDelayLong", { $0.pollDelayLong = .seconds(29) }),
            ("pollDelayBackground", { $0.pollDelayBackground = .seconds(119) }),
            ("offlineProbeDelay", { $0.offlineProbeDelay = .zero }),
            ("deferralMax", { $0.deferralMax = .seconds(31 * 24 * 60 * 60) }),
            ("launchStepDurationMax", { $0.launchStepDurationMax = .zero }),
            ("requestDurationMax", { $0.requestDurationMax = .zero }),
            ("delegateDurationMax", { $0.delegateDurationMax = .zero }),
            ("cancellationRest", { $0.cancellationRest = .zero }),
            ("flushRest", { $0.flushRest = .zero }),
            ("batteryPercentMin", { $0.batteryPercentMin = 101 }),
            ("backgroundBatteryPercentMin", { $0.backgroundBatteryPercentMin = -1 }),
            ("loadMax", { $0.loadMax = .nan }),
            ("backgroundLoadMax", { $0.backgroundLoadMax = 0 }),
            ("requestBurstMax", { $0.requestBurstMax = 0 }),
            ("requestRateMax", { $0.requestRateMax = .infinity }),
            ("requestRateMin", { $0.requestRateMin = 101 }),
        ]
        for (name, change) in faults {
            var policy = SchedulingPolicy()
            change(&policy)
            let error = #expect(throws: SyncError.self) { try policy.validate() }
            #expect(error?.code == .invalidArguments)
            #expect(error?.message.contains("policy's \(name) is") == true, "\(name)")
        }
    }

    @Test(.holds("P90"))
    func everyFigureIsChecked() {
        let fields = Mirror(reflecting: SchedulingPolicy()).children.compactMap(\.label)
        #expect(fields.count == 21)
    }
}

@Suite struct PacingTests {
    @Test(.holds("P91"))
    func throttlingSlowsRequestsDownAndSuccessSpeedsThemUpAgain() {
        var policy = SchedulingPolicy()
        policy.requestBurstMax = 10
        policy.requestRateMax = 10
        policy.requestRateMin = 0.1
        var run = VirtualRun.idle(policy: policy)
        run.fate = { effect, now in
            now < .seconds(60) && effect.isWrite
                ? .error(SyncError(.requestRateLimited, retryAfterSeconds: 1)) : nil
        }
        for number in 0..<120 {
            run.plan(at: .seconds(6 + number)) { $0.edit(note("n\(number)")) }
        }
        run.run(until: .seconds(60))
        #expect(run.sends.count < 20)
        run.run(until: .seconds(400))
        #expect(run.device.pending == [])
        #expect(run.faults == [])
    }

    @Test(.holds("P91"))
    func aLongPassGivesWayWhenTheRequestsAreUsedUp() {
        var policy = SchedulingPolicy()
        policy.requestBurstMax = 5
        policy.requestRateMax = 2
        policy.requestRateMin = 2
        var run = VirtualRun(
            CoreFixture(
                isSignedIn: false,
                isAutomatic: true,
                policy: policy,
                limits: RequestLimits(batchCountMax: 1, batchByteCountMax: 1000)
            )
        )
        run.run(until: .seconds(10))
        run.forgetRequests()
        run.plan(at: .seconds(10)) { device in device.edit((0..<20).map { note("n\($0)") }) }
        run.run(until: .seconds(40))
        #expect(run.sends.count == 20)
        // 5 at once, then 2 a second.
        let last = run.sends.last ?? 0
        #expect(last >= 17 && last <= 20)
        #expect(run.faults == [])
    }
}
