// When a lane would act if nothing held it back.

extension Decision {
    /// The earliest thing that a lane wants to do.
    struct Wish {
        var instant: EngineInstant
        /// Since when it is wanted.
        var from: EngineInstant
        /// Why it does not come at once.
        var reason: Schedule.Reason?
        var isPoll = false
    }

    func wish(of lane: Situation.Lane, isSend: Bool) -> Wish? {
        var wish = comparisons.holds(.laneHasWork, lane.hasWork) ? work(of: lane) : nil
        if let retry = lane.zoneRetry {
            let isEarlier = wish.map { wish in
                comparisons.isLess(.zoneRetryIsEarlier, retry.until, wish.instant)
            }
            if isEarlier ?? true {
                wish = Wish(
                    instant: retry.until,
                    from: retry.since,
                    reason: .zoneBackoff(attempts: retry.attempts, retry.error)
                )
            }
        }
        guard !isSend, let poll = poll else { return wish }
        let isEarlier = wish.map { comparisons.isLess(.pollIsEarlier, poll.instant, $0.instant) }
        return isEarlier ?? true ? poll : wish
    }

    private func work(of lane: Situation.Lane) -> Wish {
        if comparisons.holds(.laneMustRetry, lane.mustRetry) {
            return Wish(instant: now, from: now)
        }
        if let trigger = lane.trigger { return gathered(trigger, lane) }
        if let idle = lane.idle {
            let isAssets = comparisons.holds(.laneHoldsAssetsOnly, lane.holdsAssetsOnly)
            return Wish(
                instant: idle.until,
                from: idle.since,
                reason: isAssets ? .assets : .nothingMoved
            )
        }
        return Wish(instant: now, from: now)
    }

    /// The first trigger after a quiet time acts at once; further ones are gathered.
    private func gathered(_ trigger: Situation.Trigger, _ lane: Situation.Lane) -> Wish {
        let isWithin = lane.lastTriggeredPass.map { last in
            comparisons.isLess(
                .triggerIsWithinWindow,
                trigger.first,
                last.advanced(by: policy.coalescingWindow)
            )
        }
        guard isWithin ?? false else { return Wish(instant: trigger.first, from: trigger.first) }
        let window = trigger.newest.advanced(by: policy.coalescingWindow)
        let longest = trigger.first.advanced(by: policy.coalescingDelayMax)
        let isWindow = comparisons.isLess(.windowEndsBeforeDelayMax, window, longest)
        return Wish(
            instant: isWindow ? window : longest,
            from: trigger.first,
            reason: .coalescing
        )
    }

    /// When something is fetched that nothing called for: losing notifications makes sync slower,
    /// never stops it.
    private var poll: Wish? {
        guard let last = situation.lastFetch else { return nil }
        let isBehind = comparisons.holds(.pollsInBackground, conditions.isForeground == false)
        let isWorking = comparisons.holds(.pushIsWorking, situation.push == .working)
        let delay =
            isBehind
            ? policy.pollDelayBackground
            : isWorking ? policy.pollDelayLong : policy.pollDelayShort
        // Many devices that began together must not go on together.
        let early = delay * situation.pollJitter / 10
        let instant = last.advanced(by: delay - early)
        return Wish(instant: isOpen(instant) ? instant : now, from: last, isPoll: true)
    }
}
