/// Decides what an engine does next, and names every reason why it waits.
package enum Scheduler {
    /// The decision at an instant: a function of its arguments and of nothing else.
    ///
    /// The cost does not depend on what is pending. `comparisons` are other than sound in tests
    /// only.
    package static func decide(
        _ situation: Situation,
        _ conditions: Conditions,
        _ policy: SchedulingPolicy,
        at now: EngineInstant,
        comparisons: Comparisons = .sound
    ) -> Schedule {
        let decision = Decision(
            situation: situation,
            conditions: conditions,
            policy: policy,
            comparisons: comparisons,
            now: now
        )
        return Schedule(
            now: now,
            conditions: conditions,
            send: decision.lane(situation.send, isSend: true),
            fetch: decision.lane(situation.fetch, isSend: false),
            pushChannel: situation.push
        )
    }
}

/// One decision: its arguments, and what follows from them for each lane.
struct Decision {
    let situation: Situation
    let conditions: Conditions
    let policy: SchedulingPolicy
    let comparisons: Comparisons
    let now: EngineInstant

    func lane(_ lane: Situation.Lane, isSend: Bool) -> Schedule.Lane {
        let isSend = comparisons.holds(.laneIsSend, isSend)
        let asked = asked(of: lane)
        var result = Schedule.Lane(.idle, priority: asked)
        result.attempts = lane.failure?.attempts ?? situation.database?.attempts ?? 0
        result.lastError = lane.failure?.error ?? situation.database?.error
        if comparisons.holds(.laneIsRunning, lane.runningSince != nil) {
            result.standing = .running(since: (lane.runningSince ?? now).onWall(of: now).wall)
            return result
        }
        guard let wish = wish(of: lane, isSend: isSend) else { return result }
        result.blockers = blockers(of: lane, isSend: isSend, priority: effective(asked))
        result.floor = floor(of: lane)
        if let reason = wish.reason, isOpen(wish.instant) {
            result.blockers.append(
                blocker(reason, from: wish.from, until: wish.instant)
            )
        }
        var due = wish.instant
        for blocker in result.blockers
        where comparisons.isLess(.blockerEndsLater, due, blocker.end) {
            due = blocker.end
        }
        result.due = due.onWall(of: now)
        if comparisons.holds(.onlyPollIsWanted, wish.isPoll), isOpen(due) { return result }
        let isDue = !comparisons.isLess(.workIsDue, now, due)
        result.standing = isDue ? .due : .waiting
        return result
    }

    /// How urgent the most urgent of what is wanted is.
    private func asked(of lane: Situation.Lane) -> SyncPriority {
        guard let trigger = lane.trigger else { return lane.urgency ?? situation.priority }
        guard let urgency = lane.urgency else { return trigger.priority }
        let isWork = comparisons.isLess(.workIsMoreUrgent, trigger.priority, urgency)
        return isWork ? urgency : trigger.priority
    }

    /// The least urgent work that the conditions let go.
    private func floor(of lane: Situation.Lane) -> SyncPriority {
        let raised = lane.trigger?.raised ?? .background
        let free = SyncPriority.allCases.first { priority in
            let isRaised = comparisons.isLess(.passIsRaised, priority, raised)
            let poor = poorConditions(lane, effective(isRaised ? raised : priority))
            return comparisons.holds(.priorityMayGo, poor.allSatisfy { !isOpen($0.end) })
        }
        return free ?? .userInitiated
    }

    /// In the background, work of default priority waits for what background work waits for.
    func effective(_ priority: SyncPriority) -> SyncPriority {
        let isBehind = comparisons.holds(.isInBackground, conditions.isForeground == false)
        let isDefault = comparisons.holds(.isDefaultPriority, priority == .default)
        return isBehind && isDefault ? .background : priority
    }

    func isOpen(_ end: EngineInstant) -> Bool {
        comparisons.isLess(.blockerIsOpen, now, end)
    }

    func blocker(
        _ reason: Schedule.Reason,
        from: EngineInstant,
        until: EngineInstant
    ) -> Schedule.Blocker {
        Schedule.Blocker(reason, from: from.onWall(of: now), end: until.onWall(of: now))
    }
}

extension EngineInstant {
    /// The same instant as the wall clock names it now, whatever was set since.
    package func onWall(of now: EngineInstant) -> EngineInstant {
        now.advanced(by: monotonic - now.monotonic)
    }
}
