// What holds a lane back.

extension Decision {
    /// Every reason that has not ended.
    func blockers(
        of lane: Situation.Lane,
        isSend: Bool,
        priority: SyncPriority
    ) -> [Schedule.Blocker] {
        let all =
            refusals(of: lane) + [launchOrder(isSend: isSend), network(lane)].compactMap { $0 }
            + poorConditions(lane, priority)
        return all.filter { isOpen($0.end) }
    }

    /// What the account, the server and the app said.
    private func refusals(of lane: Situation.Lane) -> [Schedule.Blocker] {
        let delays: [(delay: Situation.Delay?, reason: (Situation.Delay) -> Schedule.Reason)] = [
            (situation.account, { .account($0.error) }),
            (situation.retryAfter, { _ in .serverAskedToWait }),
            (situation.database, { .databaseBackoff(attempts: $0.attempts, $0.error) }),
            (lane.failure, { .backoff(attempts: $0.attempts, $0.error) }),
            (situation.pacing, { _ in .pacing }),
            (situation.cancellation, { _ in .cancelled }),
            (lane.flush, { _ in .flushEnded }),
        ]
        return delays.compactMap { delay, reason in
            delay.map { blocker(reason($0), from: $0.since, until: $0.until) }
        }
    }

    /// A launch sends zones, then fetches, then sends; no step waits for another for ever.
    private func launchOrder(isSend: Bool) -> Schedule.Blocker? {
        let isAtZones = comparisons.holds(.launchIsAtZones, situation.launch.step == .zones)
        let isAtFetch = comparisons.holds(.launchIsAtFetch, situation.launch.step == .fetch)
        guard isSend ? isAtFetch : isAtZones else { return nil }
        let began = situation.launch.stepBegan
        return blocker(
            .launchOrder,
            from: began,
            until: began.advanced(by: policy.launchStepDurationMax)
        )
    }

    private func network(_ lane: Situation.Lane) -> Schedule.Blocker? {
        let isMissing = comparisons.holds(
            .networkIsUnavailable,
            conditions.network == .unavailable
        )
        guard isMissing else { return nil }
        let since = situation.conditionsSince.network
        return blocker(
            .networkUnavailable,
            from: since,
            until: newer(since, lane.lastPass).advanced(by: policy.offlineProbeDelay)
        )
    }

    /// Poor conditions make work wait that nobody waits for; not for ever.
    func poorConditions(
        _ lane: Situation.Lane,
        _ priority: SyncPriority
    ) -> [Schedule.Blocker] {
        guard !comparisons.holds(.isUserInitiated, priority == .userInitiated) else { return [] }
        let since = situation.conditionsSince
        let isBackground = comparisons.holds(.isBackgroundPriority, priority == .background)
        var poor: [(reason: Schedule.Reason, since: EngineInstant)] = []
        let isConstrained = comparisons.holds(
            .networkIsConstrained,
            conditions.network == .constrained
        )
        let isExpensive = comparisons.holds(.networkIsExpensive, conditions.network == .expensive)
        if isConstrained || isExpensive { poor.append((.networkMetered, since.network)) }
        if comparisons.holds(.lowPowerModeIsOn, conditions.isLowPowerMode == true) {
            poor.append((.lowPowerMode, since.power))
        }
        if let percent = conditions.batteryPercent,
            comparisons.holds(.batteryIsDraining, conditions.isCharging == false)
        {
            let least =
                isBackground ? policy.backgroundBatteryPercentMin : policy.batteryPercentMin
            if comparisons.isLess(.batteryIsLow, percent, least) {
                poor.append((.batteryLow(percent: percent), since.power))
            }
        }
        if let load = conditions.load, !load.isNaN {
            let most = isBackground ? policy.backgroundLoadMax : policy.loadMax
            if comparisons.isLess(.loadIsHeavy, most, load) {
                poor.append((.loadHeavy, since.load))
            }
        }
        return poor.map { reason, since in
            let end = newer(since, lane.lastFullPass).advanced(by: policy.deferralMax)
            return blocker(reason, from: since, until: end)
        }
    }

    private func newer(_ since: EngineInstant, _ pass: EngineInstant?) -> EngineInstant {
        guard let pass else { return since }
        return comparisons.isLess(.conditionIsOlderThanPass, since, pass) ? pass : since
    }
}
