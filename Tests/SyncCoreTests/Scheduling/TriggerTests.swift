import RecordModel
import SyncCore
import TestSupport
import Testing

/// What calls for passes, and how many there are.
@Suite struct TriggerTests {
    private func edits(_ count: Int) -> [Record.ID] { (0..<count).map { note("n\($0)") } }

    @Test(.holds("P81", "H62", "H65"), arguments: [0, 1, 3, 20])
    func aThousandEditsMakeFiveRequestsAtMost(millisecondsBetween: Int) {
        var run = VirtualRun.idle()
        for (number, id) in edits(1000).enumerated() {
            run.plan(at: .seconds(6) + .milliseconds(number * millisecondsBetween)) { device in
                device.edit(id)
            }
        }
        // A burst ends before the longest delay; a trickle makes a pass every few seconds.
        let isBurst = millisecondsBetween <= 3
        run.run(until: .seconds(60))
        #expect(run.device.pending == [])
        #expect(run.sends.count <= (isBurst ? 1000 / 250 + 1 : 6))
        #expect(run.faults == [])
    }

    @Test(.holds("P81", "H62"))
    func aThousandNotificationsInASecondMakeOneOrTwoFetches() {
        var run = VirtualRun.idle()
        for number in 0..<1000 {
            run.plan(at: .seconds(6) + .milliseconds(number)) { device in
                device.handle(.notificationReceived)
            }
        }
        run.run(until: .seconds(20))
        #expect((1...2).contains(run.fetches.count))
    }

    @Test(.holds("P81"))
    func theFirstEditAfterAQuietTimeGoesOutAtOnceAndTheNextAreGathered() {
        var run = VirtualRun.idle()
        for offset in [0, 200, 400] {
            run.plan(at: .seconds(6) + .milliseconds(offset)) { $0.edit(note("\(offset)")) }
        }
        run.run(until: .seconds(10))
        #expect(run.sends == [6, 7.4])
    }

    @Test(.holds("P81", "P9"))
    func aStateUpdateThatASendWaitsForIsNotGathered() {
        var run = VirtualRun.idle()
        run.plan(at: .seconds(6)) { $0.edit(note("a")) }
        run.run(until: .seconds(6))
        // The mark was stored within the same instant.
        #expect(run.sends == [6])
        #expect(run.device.words.contains("deliver stateUpdate"))
    }

    @Test(.holds("P82", "H65"))
    func anEditThatLandsBetweenNothingPendingAndTheEndIsSentWithoutATrigger() {
        for moment in ["didSendChanges", "stateUpdate"] {
            var run = VirtualRun.idle()
            run.device.onEvent = { device, event in
                guard "\(event)".hasPrefix(moment), device.records[note("b")] == nil,
                    device.pending.isEmpty, device.server.records[note("a")] != nil
                else { return false }
                device.edit(note("b"))
                return false
            }
            run.plan(at: .seconds(6)) { $0.edit(note("a")) }
            run.run(until: .seconds(10))
            #expect(run.device.server.records[note("b")] != nil, "\(moment)")
        }
    }

    @Test(.holds("P82", "H71"))
    func aLaunchSendsZonesThenFetchesThenSends() {
        var run = VirtualRun(CoreFixture(isSignedIn: false, isAutomatic: true))
        run.device.handle(.databaseChangesAdded([.saveZone(RecordZone(zoneName: "new"))]))
        run.device.edit(note("a", in: RecordZone.ID(zoneName: "new")))
        run.run(until: .seconds(5))
        let order = run.sent.compactMap { request -> String? in
            switch request.effect {
            case .modifyZones: "zones"
            case .fetchDatabaseChanges: "fetch"
            case .modifyRecords: "send"
            case _: nil
            }
        }
        #expect(order == ["zones", "fetch", "send"])
        #expect(run.faults == [])
    }

    @Test(.holds("P82", "H72"), arguments: ["zones", "fetch"])
    func aStepOfTheLaunchThatFailsDoesNotStopTheNext(failing: String) {
        var run = VirtualRun(CoreFixture(isSignedIn: false, isAutomatic: true))
        run.device.handle(.databaseChangesAdded([.saveZone(RecordZone(zoneName: "new"))]))
        run.device.edit(note("a"))
        run.fate = { effect, now in
            switch effect {
            case .modifyZones where failing == "zones": .error(SyncError(.permissionFailure))
            case .fetchDatabaseChanges where failing == "fetch" && now < .seconds(60):
                .error(SyncError(.internalError))
            case _: nil
            }
        }
        run.run(until: .seconds(5))
        #expect(run.device.server.records[note("a")] != nil)
        #expect(run.fetches.count >= 1)
    }

    @Test(.holds("P82", "H76"))
    func aFirstFetchWithoutAnAnswerHoldsSendsUpForHalfAMinute() {
        var run = VirtualRun(CoreFixture(isSignedIn: false, isAutomatic: true))
        run.device.edit(note("a"))
        run.fate = { effect, now in
            if case .fetchDatabaseChanges = effect, now < .seconds(200) { .loss } else { nil }
        }
        run.run(until: .seconds(29))
        #expect(run.sends == [])
        let schedule = run.device.core.schedule(at: run.device.now)
        #expect(schedule.send.blockers.map(\.reason) == [.launchOrder])
        run.run(until: .seconds(31))
        #expect(run.device.pending == [])
    }

    @Test(.holds("P82"))
    func whoeverIsBackOnlineCatchesUpAtOnce() {
        var run = VirtualRun.idle()
        run.plan(at: .seconds(6)) {
            $0.handle(.conditionsChanged(Conditions(network: .unavailable)))
            $0.server.saveElsewhere(record(note("x")))
            $0.edit(note("a"))
        }
        run.run(until: .seconds(500))
        #expect(run.sent.isEmpty)
        let schedule = run.device.core.schedule(at: run.device.now)
        #expect(schedule.send.blockers.map(\.reason) == [.networkUnavailable])
        #expect(schedule.send.nextInstant != nil)
        run.plan(at: .seconds(501)) {
            $0.handle(.conditionsChanged(Conditions(network: .available)))
        }
        run.run(until: .seconds(502))
        #expect(run.device.pending == [])
        #expect(run.device.records[note("x")] != nil)
        #expect(run.fetches.first == 501)
    }

    @Test(.holds("P86"))
    func aCallBypassesConditionsAndARequestedSyncPoorOnes() {
        var run = VirtualRun.idle()
        let poor = Conditions(network: .expensive, isLowPowerMode: true, load: 9)
        run.device.handle(.conditionsChanged(poor))
        run.device.edit(note("a"))
        run.run(until: .seconds(20))
        #expect(run.sends == [])
        run.plan(at: .seconds(21)) { $0.handle(.syncRequested(.userInitiated)) }
        run.run(until: .seconds(22))
        #expect(run.sends == [21])
        run.device.edit(note("b"))
        run.run(until: .seconds(40))
        #expect(run.sends == [21])
        run.plan(at: .seconds(41)) { _ = $0.callSend() }
        run.run(until: .seconds(42))
        #expect(run.sends == [21, 41])
        #expect(run.device.pending == [])
    }

    @Test(.holds("P86"))
    func recordsWithAssetsWaitForANetworkThatCostsNothing() {
        var run = VirtualRun.idle()
        run.device.handle(.conditionsChanged(Conditions(network: .expensive)))
        run.plan(at: .seconds(6)) { device in
            device.edit(note("photo"), note("text"))
            device.server.files["/photo"] = [1, 2, 3, 4, 5]
            device.records[note("photo")]?["file"] = Asset(filePath: "/photo")
            device.edit(note("caption"), under: note("photo"))
            device.handle(.syncRequested(.userInitiated))
        }
        run.run(until: .seconds(600))
        #expect(run.device.server.records[note("text")] != nil)
        #expect(run.device.server.records[note("photo")] == nil)
        #expect(run.device.server.records[note("caption")] == nil)
        run.plan(at: .seconds(610)) { $0.handle(.syncRequested(.userInitiated)) }
        run.run(until: .seconds(620))
        let schedule = run.device.core.schedule(at: run.device.now)
        #expect(schedule.send.blockers.map(\.reason) == [.networkMetered, .assets])
        #expect(run.sends == [6])
        run.device.handle(.conditionsChanged(Conditions(network: .available)))
        run.run(until: .seconds(622))
        #expect(run.device.pending == [])
        #expect(run.faults == [])
    }

    @Test(.holds("P86"))
    func aCallSendsAssetsOverAnyNetwork() {
        var run = VirtualRun.idle()
        run.device.handle(.conditionsChanged(Conditions(network: .expensive)))
        run.device.edit(note("photo"))
        run.device.server.files["/photo"] = [1, 2, 3, 4, 5]
        run.device.records[note("photo")]?["file"] = Asset(filePath: "/photo")
        _ = run.device.callSend()
        run.run(until: .seconds(6))
        #expect(run.device.pending == [])
    }

    @Test(.holds("P82", "S113"))
    func afterACancellationItGoesOnByItselfNoLaterThanInHalfAnHour() {
        var run = VirtualRun.idle()
        run.device.edit(note("a"))
        run.device.handle(.operationsCancelled)
        run.run(until: .seconds(30 * 60))
        #expect(run.sent.isEmpty)
        let schedule = run.device.core.schedule(at: run.device.now)
        #expect(schedule.send.blockers.map(\.reason) == [.cancelled])
        run.run(until: .seconds(30 * 60 + 6))
        #expect(run.device.pending == [])
    }
}
