import RecordModel

extension EngineCore {
    /// What comes next at an instant, and why not sooner; with the zones.
    ///
    /// The cost grows with the number of zones and with what is in flight, not with what waits.
    package func schedule(at now: EngineInstant) -> Schedule {
        var core = self
        core.session.now = now
        return core.freshSchedule()
    }

    private mutating func freshSchedule() -> Schedule {
        refreshSituation()
        let situation = session.scheduler.situation
        var schedule = Scheduler.decide(
            situation,
            session.scheduler.conditions,
            configuration.policy,
            at: session.now
        )
        schedule.isAutomatic = configuration.isAutomatic
        schedule.delegate = situation.delegateSince.map { since in
            let wait = session.now.monotonic - since.monotonic
            return .init(
                from: since.onWall(of: session.now),
                isLong: wait >= configuration.policy.delegateDurationMax
            )
        }
        schedule.zones = scheduledZones
        return schedule
    }

    private var scheduledZones: [Schedule.Zone] {
        let scheduler = session.scheduler
        var zones = OrderedTable<RecordZone.ID, Schedule.Zone>()
        for zone in remainingChanges {
            zones[zone.zoneID] = .init(zoneID: zone.zoneID, remaining: zone.remaining)
        }
        for zoneID in waitingSendZones {
            zones[zoneID, default: .init(zoneID: zoneID)].sendBlocker =
                blocker(of: zoneID, scheduler.sendBackoffs)
        }
        for zoneID in waitingFetchZones {
            zones[zoneID, default: .init(zoneID: zoneID)].fetchBlocker =
                blocker(of: zoneID, scheduler.fetchBackoffs)
        }
        return zones.values
    }

    private func blocker(of zoneID: RecordZone.ID, _ backoffs: ZoneBackoffs) -> Schedule.Blocker {
        let delay = delay(of: zoneID, backoffs)
        let reason: Schedule.Reason =
            delay.attempts == 0
            ? .serverAskedToWait : .zoneBackoff(attempts: delay.attempts, delay.error)
        return .init(
            reason,
            from: delay.since.onWall(of: session.now),
            end: delay.until.onWall(of: session.now)
        )
    }
}

// Accounts and cancellations, as the scheduler sees them.

extension EngineCore {
    /// There is nobody to sync for: that is asked again later and later.
    mutating func noteAccountMissing(_ error: SyncError) {
        let former = session.scheduler.situation.account
        let attempts = (former?.attempts ?? 0) + 1
        session.scheduler.situation.account = .init(
            since: former?.since ?? session.now,
            until: retryInstant(attempts),
            attempts: attempts,
            error: error
        )
    }

    /// Failures of a former account's requests say nothing of the next one's.
    mutating func forgetSchedule() {
        session.scheduler.sendBackoffs = ZoneBackoffs()
        session.scheduler.fetchBackoffs = ZoneBackoffs()
        session.scheduler.situation.send.idle = nil
        guard session.scheduler.situation.account == nil else { return }
        session.scheduler.situation.account = .init(since: session.now, until: session.now)
    }

    /// An account is there again: what failed for want of one is tried now.
    mutating func wakeUp() {
        guard session.scheduler.situation.account != nil else { return }
        session.scheduler.situation.account = nil
        session.scheduler.situation.send.failure = nil
        session.scheduler.situation.fetch.failure = nil
        beginLaunch()
    }

    /// The app cancelled everything: the engine does nothing by itself before something calls for
    /// it, or for a while.
    mutating func restAfterCancellation() {
        session.scheduler.situation.send.trigger = nil
        session.scheduler.situation.fetch.trigger = nil
        session.scheduler.situation.cancellation = .init(
            since: session.now,
            until: session.now.advanced(by: configuration.policy.cancellationRest)
        )
    }
}
