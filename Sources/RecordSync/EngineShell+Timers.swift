import SyncCore

// Tasks and timers.

extension EngineShell {
    /// Makes sure that a timer runs for the core's next deadline.
    func armTimer() {
        let deadline = protected.withLock { protected -> EngineInstant? in
            guard let next = protected.core.nextDeadline else { return nil }
            if let armed = protected.armed, armed <= next { return nil }
            protected.armed = next
            return next
        }
        guard let deadline else { return }
        let sleep = environment.sleep
        let timer = environment.launch { [weak self] in
            try? await sleep(deadline)
            self?.timerFired(deadline)
        }
        protected.withLock { $0.timer = timer }
    }

    private func timerFired(_ deadline: EngineInstant) {
        let isNewest = protected.withLock { protected in
            guard protected.armed == deadline else { return false }
            protected.armed = nil
            return true
        }
        if isNewest { handle(.woke) }
    }

    /// Takes the server's hints while the engine lives.
    func listen() {
        let (database, environment) = (database, environment)
        let first = database.notifications()
        let rest = read(\.configuration.policy.pollDelayShort)
        let listener = environment.launch { [weak self] in
            var notifications = first
            while !Task.isCancelled {
                for await notification in notifications {
                    guard let self else { return }
                    switch notification {
                    case .databaseChanged: self.handle(.notificationReceived)
                    case .accountChanged: self.handle(.accountMayHaveChanged)
                    }
                }
                guard !Task.isCancelled, self != nil else { return }
                self?.handle(.notificationsEnded)
                try? await environment.sleep(environment.now().advanced(by: rest))
                notifications = database.notifications()
            }
        }
        protected.withLock { $0.listener = listener }
    }
}
