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
        let notifications = database.notifications()
        let listener = environment.launch { [weak self] in
            for await notification in notifications {
                guard let self else { return }
                switch notification {
                case .databaseChanged: self.handle(.notificationReceived)
                case .accountChanged: self.handle(.accountMayHaveChanged)
                }
            }
        }
        protected.withLock { $0.listener = listener }
    }
}
