import RecordModel

// What the scheduler is told: put together anew after each input, at a cost that does not grow with
// what is pending.

extension EngineCore {
    /// Decides anew.
    mutating func decide() {
        refreshDelegate()
        guard configuration.isAutomatic else { return }
        refreshSituation()
        session.scheduler.decision = Scheduler.decide(
            session.scheduler.situation,
            session.scheduler.conditions,
            configuration.policy,
            at: session.now
        )
    }

    mutating func refreshSituation() {
        let now = session.now
        let isSending = session.send.current != nil || !session.send.waiting.isEmpty
        let isFetching = session.fetch.current != nil || !session.fetch.waiting.isEmpty
        let situation = session.scheduler.situation
        session.scheduler.situation.send.runningSince =
            isSending ? situation.send.runningSince ?? now : nil
        session.scheduler.situation.fetch.runningSince =
            isFetching ? situation.fetch.runningSince ?? now : nil
        refreshRetryDelay()
        session.scheduler.situation.pacing = session.scheduler.bucket.next(at: now).map {
            .init(since: situation.pacing?.since ?? now, until: $0)
        }
        refreshDelegate()
        if !isSending { refreshSendWork() }
        if !isFetching { refreshFetchWork() }
    }

    private mutating func refreshRetryDelay() {
        session.scheduler.situation.retryAfter = state.retryDelay.flatMap { delay in
            guard delay.until > session.now else { return nil }
            let since = delay.until.advanced(by: .zero - delay.length)
            return .init(since: since, until: delay.until)
        }
    }

    private mutating func refreshDelegate() {
        let hand = session.delegateQueue.handNumber
        if hand != session.scheduler.delegateHand {
            session.scheduler.delegateHand = hand
            session.scheduler.situation.delegateSince = hand == nil ? nil : session.now
        }
    }

    /// When the delegate will have taken long; nil once it has, or if it has nothing in hand.
    ///
    /// Nothing is done then, but whoever observes the schedule is told.
    var delegateDue: EngineInstant? {
        session.scheduler.situation.delegateSince
            .map { $0.advanced(by: configuration.policy.delegateDurationMax) }
            .flatMap { $0 > session.now ? $0 : nil }
    }

    private mutating func refreshSendWork() {
        let waiting = waitingSendZones
        let hasWork = hasWorkToSend(outside: waiting)
        session.scheduler.situation.send.hasWork = hasWork
        if !hasWork { session.scheduler.situation.send.trigger = nil }
        session.scheduler.situation.send.urgency = urgency(outside: hasWork ? waiting : [])
        session.scheduler.situation.send.zoneRetry = earliest(
            waiting.filter { self.hasWorkToSend(in: $0) },
            session.scheduler.sendBackoffs
        )
        chooseLaunchStep(outside: waiting)
    }

    /// A launch without changes of zones begins with its fetch; those that an app adds before that
    /// has begun go first.
    private mutating func chooseLaunchStep(outside waiting: [RecordZone.ID]) {
        let hasZones =
            !session.scheduler.hasLaunchedZones
            && state.databaseChanges.entries.contains { !waiting.contains($0.change.zoneID) }
        switch session.scheduler.situation.launch.step {
        case .zones where !hasZones:
            goToLaunchStep(.fetch)
        case .fetch where hasZones && session.scheduler.situation.fetch.runningSince == nil:
            goToLaunchStep(.zones)
        case .zones, .fetch, .done:
            return
        }
    }

    private mutating func refreshFetchWork() {
        let fetch = session.scheduler.situation.fetch
        session.scheduler.situation.fetch.hasWork =
            fetch.trigger != nil || fetch.mustRetry || !session.delegateQueue.thrown.isEmpty
        let failed = session.scheduler.fetchBackoffs.delays.keys
        session.scheduler.situation.fetch.zoneRetry = earliest(
            failed.filter { state.zones[$0]?.hasUnfetchedChanges == true },
            session.scheduler.fetchBackoffs
        )
    }

    /// The first of some zones that may be tried again.
    private func earliest(
        _ zoneIDs: [RecordZone.ID],
        _ backoffs: ZoneBackoffs
    ) -> Situation.Delay? {
        let delays = zoneIDs.map { delay(of: $0, backoffs) }
        return delays.min { $0.until < $1.until }
    }

    /// Why a zone waits: what the server asked for, or its failures, whichever is longer.
    func delay(of zoneID: RecordZone.ID, _ backoffs: ZoneBackoffs) -> Situation.Delay {
        var delay =
            backoffs[zoneID] ?? Situation.Delay(since: session.now, until: session.now)
        guard let rest = session.zoneDelays.rest(of: zoneID, at: session.now) else { return delay }
        delay.until = max(delay.until, session.now.advanced(by: rest))
        return delay
    }

    /// Zones whose sends wait, each once.
    var waitingSendZones: [RecordZone.ID] {
        waitingZones(session.scheduler.sendBackoffs)
    }

    /// Zones whose fetches wait, each once.
    var waitingFetchZones: [RecordZone.ID] {
        waitingZones(session.scheduler.fetchBackoffs)
    }

    private func waitingZones(_ backoffs: ZoneBackoffs) -> [RecordZone.ID] {
        let busy = session.zoneDelays.busyZones(at: session.now)
        let failed = backoffs.waitingZones(at: session.now)
        return busy.isEmpty ? failed : busy + failed.filter { !busy.contains($0) }
    }

    private func hasWorkToSend(outside waiting: [RecordZone.ID]) -> Bool {
        state.hasPendingUntrackedChanges || !state.openSends.isEmpty
            || !state.openZoneSends.isEmpty
            || state.databaseChanges.entries.contains { !waiting.contains($0.change.zoneID) }
            || state.records.hasOfferable(outside: waiting)
    }

    /// How urgent the most urgent of what may be sent is; nil if it has no priority of its own.
    private func urgency(outside waiting: [RecordZone.ID]) -> SyncPriority? {
        let base = configuration.priority
        guard let highest = state.records.highestPriority(outside: waiting, base: base) else {
            return nil
        }
        let hasOther =
            state.hasPendingUntrackedChanges || !state.openSends.isEmpty
            || !state.openZoneSends.isEmpty || !state.databaseChanges.entries.isEmpty
        return hasOther ? max(highest, base) : highest
    }

    private func hasWorkToSend(in zoneID: RecordZone.ID) -> Bool {
        state.records.offerableCount(in: zoneID) > 0
            || state.databaseChanges.entries.contains { $0.change.zoneID == zoneID }
    }
}
