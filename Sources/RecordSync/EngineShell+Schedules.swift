import SyncCore

// The schedule for observers, and the conditions for the scheduler.

/// Who observes an engine's schedule.
struct ScheduleObservers {
    typealias Target = AsyncStream<Schedule>.Continuation

    /// In the order of their coming.
    var targets: [(id: UInt64, target: Target)] = []
    var nextID: UInt64 = 1
    /// What was shown last.
    var shown: Schedule?
}

extension EngineShell {
    /// Makes an observer, which gets the schedule of the moment at once.
    func observeSchedules() -> SyncEngine.Schedules {
        let (stream, target) = AsyncStream.makeStream(
            of: Schedule.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        let now = environment.now()
        let (id, schedule) = protected.withLock { protected in
            let id = protected.scheduleObservers.nextID
            protected.scheduleObservers.nextID += 1
            protected.scheduleObservers.targets.append((id, target))
            return (id, protected.core.schedule(at: now))
        }
        target.onTermination = { [weak self] _ in self?.removeScheduleObserver(id) }
        target.yield(schedule)
        return SyncEngine.Schedules(stream: stream)
    }

    private func removeScheduleObserver(_ id: UInt64) {
        let removed = protected.withLock { protected in
            let removed = protected.scheduleObservers.targets.filter { $0.id == id }
            protected.scheduleObservers.targets.removeAll { $0.id == id }
            return removed
        }
        // Let go of it outside of the lock.
        _ = removed
    }

    /// Gives every observer a schedule.
    func show(_ schedule: Schedule) {
        let targets = protected.withLock { $0.scheduleObservers.targets }
        for (_, target) in targets { target.yield(schedule) }
    }

    func endSchedules() {
        let targets = protected.withLock { $0.scheduleObservers.targets }
        for (_, target) in targets { target.finish() }
    }
}

extension EngineShell.Protected {
    /// Puts the schedule into the outbox, if anybody observes and it is another one.
    mutating func showSchedule(at now: EngineInstant) {
        guard !scheduleObservers.targets.isEmpty else { return }
        let schedule = core.schedule(at: now)
        guard scheduleObservers.shown?.saysTheSame(as: schedule) != true else { return }
        scheduleObservers.shown = schedule
        outbox.append(.showSchedule(schedule))
    }
}

extension EngineShell {
    /// Follows the conditions while the engine lives.
    func watchConditions(_ monitor: (any ConditionsMonitor)?) {
        guard let monitor else { return }
        let conditions = monitor.conditions(serverAddress: database.serverAddress)
        let watcher = environment.launch { [weak self] in
            for await conditions in conditions {
                guard let self else { return }
                self.setConditions { $0 = conditions }
            }
            self?.setConditions { $0 = Conditions() }
        }
        protected.withLock { $0.watcher = watcher }
    }

    func setForeground(_ isForeground: Bool?) {
        protected.withLock { $0.isForeground = isForeground }
        setConditions { _ in }
    }

    /// Changes what the monitor said last; the app knows best whether it is in front.
    private func setConditions(_ change: (inout Conditions) -> Void) {
        let conditions = protected.withLock { protected in
            var conditions = protected.conditions
            change(&conditions)
            protected.conditions = conditions
            if let isForeground = protected.isForeground { conditions.isForeground = isForeground }
            return conditions
        }
        handle(.conditionsChanged(conditions))
    }
}
