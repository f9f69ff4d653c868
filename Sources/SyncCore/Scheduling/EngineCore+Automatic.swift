import RecordModel

// What calls for a pass, and how passes begin.

extension EngineCore {
    /// An edit calls for a send.
    mutating func sendSoon() { sendSoon(configuration.priority) }

    /// An edit with a priority of its own calls for a send.
    mutating func sendSoon(_ priority: SyncPriority) { note(priority, for: \.send) }

    /// The server hinted at something new, so its notifications arrive.
    mutating func notificationReceived() {
        session.scheduler.situation.push = .working
        fetchSoon()
    }

    /// The stream of notifications ended: fetches come more often.
    mutating func notificationsEnded() { session.scheduler.situation.push = .closed }

    /// Something calls for a fetch.
    mutating func fetchSoon() {
        note(configuration.priority, for: \.fetch)
    }

    /// The app wants a sync, in its turn and under the conditions of a priority.
    mutating func syncRequested(_ priority: SyncPriority) {
        note(priority, for: \.send, raising: priority)
        note(priority, for: \.fetch)
    }

    private mutating func note(
        _ priority: SyncPriority,
        for lane: WritableKeyPath<Situation, Situation.Lane>,
        raising raised: SyncPriority = .background
    ) {
        guard configuration.isAutomatic else { return }
        let trigger = session.scheduler.situation[keyPath: lane].trigger
        session.scheduler.situation[keyPath: lane].trigger = Situation.Trigger(
            first: trigger?.first ?? session.now,
            newest: session.now,
            priority: max(trigger?.priority ?? .background, priority),
            raised: max(trigger?.raised ?? .background, raised)
        )
        session.scheduler.situation.cancellation = nil
    }

    /// The conditions changed; whoever is back online catches up, as at a launch.
    mutating func conditionsChanged(_ conditions: Conditions) {
        let old = session.scheduler.conditions
        session.scheduler.conditions = conditions
        session.scheduler.situation.conditionsSince.note(
            conditions,
            after: old,
            configuration.policy,
            at: session.now
        )
        if old.network != conditions.network,
            session.scheduler.situation.send.holdsAssetsOnly
        {
            session.scheduler.situation.send.holdsAssetsOnly = false
            session.scheduler.situation.send.idle = nil
        }
        guard old.network == .unavailable, conditions.network != .unavailable else { return }
        session.scheduler.situation.send.failure = nil
        session.scheduler.situation.fetch.failure = nil
        beginLaunch()
    }

    /// Zones, then a fetch, then sends.
    mutating func beginLaunch() {
        guard configuration.isAutomatic else { return }
        session.scheduler.hasLaunchedZones = false
        goToLaunchStep(.zones)
        fetchSoon()
    }

    mutating func goToLaunchStep(_ step: Situation.Launch.Step) {
        session.scheduler.situation.launch = .init(step: step, stepBegan: session.now)
    }

    /// Starts what is due.
    mutating func startDuePasses() {
        guard configuration.isAutomatic else { return }
        decide()
        let decision = session.scheduler.decision
        if decision?.send.standing == .due { startScheduledSend() }
        if decision?.fetch.standing == .due { startScheduledFetch() }
    }

    private mutating func startScheduledSend() {
        var operation = SendOperation(calls: [], reason: .scheduled, options: .init())
        operation.isZonesOnly = session.scheduler.situation.launch.step == .zones
        operation.floor = session.scheduler.decision?.send.floor ?? .background
        session.scheduler.situation.send.begin(at: session.now, operation.floor)
        session.send.waiting.append(operation)
    }

    private mutating func startScheduledFetch() {
        var operation = FetchOperation(calls: [], reason: .scheduled, options: .init())
        operation.isPoll =
            session.scheduler.situation.fetch.trigger == nil
            && !session.scheduler.situation.fetch.mustRetry
        session.scheduler.situation.fetch.begin(at: session.now)
        session.fetch.waiting.append(operation)
    }

    /// Notes that a fetch of everything begins, whoever wants it: the next poll counts from here.
    mutating func noteFetchBegan(_ operation: FetchOperation) {
        guard operation.calledOptions.scope == .all else { return }
        session.scheduler.situation.lastFetch = session.now
        session.scheduler.situation.fetch.lastPass = session.now
        session.scheduler.situation.fetch.lastFullPass = session.now
        let jitter = session.generator.next() % 1000
        session.scheduler.situation.pollJitter = Double(jitter) / 1000
    }

    /// True if the present pass, begun by itself, leaves what is left to the next one: edits that
    /// came meanwhile are gathered there, not sent in a request of their own each.
    var leavesRestToNextPass: Bool {
        guard let operation = session.send.current, operation.reason == .scheduled,
            operation.calls.isEmpty, !state.hasPendingUntrackedChanges
        else { return false }
        if operation.isZonesOnly { return true }
        guard operation.sentBatchCount > 0 else { return false }
        if session.scheduler.bucket.next(at: session.now) != nil { return true }
        guard session.scheduler.situation.send.trigger != nil else { return false }
        return state.records.offerableCount < session.limits.batchCountMax
    }
}

extension Situation.Lane {
    /// A pass begins; what comes from now on calls for another one.
    fileprivate mutating func begin(
        at now: EngineInstant,
        _ floor: SyncPriority = .background
    ) {
        if trigger != nil { lastTriggeredPass = now }
        trigger = nil
        lastPass = now
        if floor == .background { lastFullPass = now }
        runningSince = now
    }
}
