import RecordModel
import SyncCore
import TestSupport
import Testing

/// When requests leave while something is wrong, on virtual time.
@Suite struct FaultTimeTests {
    private static let heal = Duration.seconds(3 * 60)

    /// Edits every few seconds, and others edit too.
    private func busy(_ run: inout VirtualRun, until end: Duration, hints: Bool = true) {
        var generator = SplitMix64(seed: 11)
        var instant = run.now
        var number = 0
        while instant < end {
            number += 1
            let (own, other) = (note("own\(number % 7)"), note("other\(number % 5)"))
            run.plan(at: instant) { $0.edit(own) }
            run.plan(at: instant + .milliseconds(300)) { device in
                device.server.saveElsewhere(record(other))
                if hints { device.handle(.notificationReceived) }
            }
            instant += .milliseconds(Int64(generator.next() % 6000))
        }
    }

    private func expectConverged(_ run: VirtualRun) {
        #expect(run.device.pending == [])
        #expect(run.device.core.state.openSends.isEmpty)
        for (id, stored) in run.device.server.records {
            let (mine, theirs): (Int?, Int?) = (
                run.device.records[id]?["version"], stored["version"]
            )
            #expect(mine == theirs, "\(id)")
            #expect(run.device.records[id] != nil)
        }
        #expect(run.faults == [])
        #expect(run.device.faults == [])
    }

    @Test(.holds("P83", "H68", "I22"), arguments: [UInt64(1), 2, 3])
    func noRequestComesBeforeTheServerWantsOne(seed: UInt64) {
        var run = VirtualRun.idle(seed: seed)
        run.fate = { effect, now in
            now < .seconds(11) && effect.isWrite
                ? .error(SyncError(.requestRateLimited, retryAfterSeconds: 300)) : nil
        }
        busy(&run, until: .seconds(250))
        run.run(until: .seconds(30))
        let throttled = run.sends[0] + 0.05
        run.run(until: .seconds(320))
        let all = run.instants { _ in true }
        #expect(all.allSatisfy { $0 <= throttled || $0 >= throttled + 300 })
        run.run(until: .seconds(305) + Self.heal)
        expectConverged(run)
    }

    @Test(.holds("P87", "P83"))
    func whatBefallsTheWholeRequestIsNoZonesFailure() {
        var run = VirtualRun.idle()
        run.fate = { effect, _ in effect.isWrite ? .error(SyncError(.serviceUnavailable)) : nil }
        run.plan(at: .seconds(6)) { $0.edit(note("a")) }
        run.run(until: .seconds(6) + .milliseconds(50))
        let schedule = run.device.core.schedule(at: run.device.now)
        guard case .databaseBackoff(attempts: 1, _)? = schedule.send.blockers.first?.reason else {
            Issue.record("it waits for something else: \(schedule)")
            return
        }
        #expect(schedule.send.blockers.count == 1)
        #expect(schedule.zones.map(\.sendBlocker) == [nil])
    }

    @Test(.holds("P83", "H67", "I22"), arguments: [UInt64(1), 2, 3, 4])
    func attemptsInAStormStayWithinTheBackoffCurve(seed: UInt64) {
        var run = VirtualRun.idle(seed: seed)
        run.fate = { _, now in
            now < .seconds(605) ? .error(SyncError(.serviceUnavailable)) : nil
        }
        busy(&run, until: .seconds(600))
        run.run(until: .seconds(605))
        let attempts = run.sends + run.fetches
        // Each failure doubles the bound, and a wait is half of it on average: from 1 s to 2 min,
        // that is 7 steps, and then one a minute. Two lanes share the database's wait.
        #expect(attempts.count <= 2 * (7 + 10) + 12)
        #expect(attempts.count >= 5)
        run.run(until: .seconds(605) + Self.heal)
        expectConverged(run)
        // A success is the end of it: the next edit goes out at once.
        let edited = run.now
        run.device.edit(note("later"))
        run.run(until: edited + .seconds(1))
        #expect(run.sends.last == edited.inSeconds)
    }

    @Test(.holds("P82", "H70", "I23"), arguments: [UInt64(1), 2, 3, 4], [true, false])
    func everythingConvergesAfterANetworkThatFlaps(seed: UInt64, isMonitored: Bool) {
        var run = VirtualRun.idle(seed: seed)
        var generator = SplitMix64(seed: seed)
        var flips: [Duration] = []
        var instant = Duration.seconds(5)
        while instant < .seconds(300) {
            instant += .milliseconds(Int64(generator.next() % 10_000))
            flips.append(instant)
        }
        if flips.count.isMultiple(of: 2) == false { flips.append(instant) }
        let all = flips
        run.fate = { _, now in
            let count = all.count { $0 <= now }
            guard !count.isMultiple(of: 2) else { return nil }
            // Half of what is lost had arrived.
            return count.isMultiple(of: 4) ? .error(SyncError(.networkUnavailable)) : .silence
        }
        for (number, flip) in all.enumerated() where isMonitored {
            run.plan(at: flip) { device in
                let network: Conditions.Network =
                    number.isMultiple(of: 2) ? .unavailable : .available
                device.handle(.conditionsChanged(Conditions(network: network)))
            }
        }
        busy(&run, until: .seconds(290))
        run.run(until: instant + Self.heal)
        expectConverged(run)
        guard isMonitored else { return }
        let leftOffline = run.sent.filter { request in
            !all.count { $0 <= request.instant }.isMultiple(of: 2)
        }
        #expect(leftOffline.allSatisfy { request in all.contains(request.instant) })
    }

    @Test(.holds("P82", "H70", "I23"), arguments: [true, false])
    func oneDirectionOfLossStopsTheOtherNotAndNothingForGood(losesWrites: Bool) {
        var run = VirtualRun.idle()
        run.fate = { effect, now in
            guard now < .seconds(120), effect.isWrite == losesWrites else { return nil }
            return .error(SyncError(.networkUnavailable))
        }
        busy(&run, until: .seconds(110))
        run.run(until: .seconds(119))
        if losesWrites {
            #expect(run.device.records[note("other1")] != nil)
        } else {
            #expect(run.device.server.records[note("own1")] != nil)
        }
        run.run(until: .seconds(120) + Self.heal)
        expectConverged(run)
    }

    @Test(.holds("P84", "S94", "I23"))
    func aSilentChannelMakesFetchesSlowerAndStopsNone() {
        var run = VirtualRun.idle()
        busy(&run, until: .seconds(600), hints: false)
        run.run(until: .seconds(600) + Self.heal)
        expectConverged(run)
        let gaps = zip(run.fetches, run.fetches.dropFirst()).map { $1 - $0 }
        #expect(gaps.allSatisfy { $0 > 26 && $0 < 31 })
    }

    @Test(.holds("P84", "I23"))
    func aChannelThatFallsSilentIsSeenAtTheNextPoll() {
        var run = VirtualRun.idle()
        run.device.handle(.notificationReceived)
        run.run(until: .seconds(10))
        #expect(run.device.core.schedule(at: run.device.now).pushChannel == .working)
        run.plan(at: .seconds(11)) { $0.server.saveElsewhere(record(note("x"))) }
        run.run(until: .seconds(10) + Self.heal)
        #expect(run.device.records[note("x")] != nil)
        #expect(run.device.core.schedule(at: run.device.now).pushChannel == .silent)
    }

    @Test(.holds("P85", "I29"), arguments: [-86_400, 86_400, 40_000_000])
    func aClockThatJumpsChangesNoInstant(jump: Int) {
        func instants(jump: Int) -> [Double] {
            var run = VirtualRun.idle()
            run.fate = { _, now in
                now < .seconds(7)
                    ? .error(SyncError(.requestRateLimited, retryAfterSeconds: 60)) : nil
            }
            busy(&run, until: .seconds(200))
            run.plan(at: .seconds(30)) { device in
                let wall = device.now.wall.millisecondsSince1970 + Int64(jump) * 1000
                device.now.wall = Timestamp(millisecondsSince1970: wall)
            }
            run.run(until: .seconds(400))
            expectConverged(run)
            return run.instants { _ in true }
        }
        #expect(instants(jump: jump) == instants(jump: 0))
    }
}
