import RecordModel

// The plain policy of automatic sync: send soon after an edit, fetch when told of something new,
// try again later after a failure.

extension EngineCore {
    /// Sends at once, or right after the send that is under way.
    mutating func sendSoon() {
        guard configuration.isAutomatic, session.automatic.failedSendCount == 0 else { return }
        session.automatic.sendDue = session.now
    }

    mutating func notificationReceived() {
        guard configuration.isAutomatic else { return }
        session.automatic.fetchDue = session.now
    }

    /// What the delegate threw at is offered again after a while.
    mutating func retryThrownEventsSoon() {
        guard configuration.isAutomatic, !session.delegateQueue.thrown.isEmpty else { return }
        session.automatic.fetchDue = session.now.advanced(
            by: EngineConfiguration.retryBackoffMin
        )
    }

    mutating func startAutomaticOperations() {
        if let due = session.automatic.sendDue, due <= session.now,
            session.send.current == nil, session.send.waiting.isEmpty
        {
            session.automatic.sendDue = nil
            if hasWorkToSend {
                session.send.waiting.append(
                    SendOperation(calls: [], reason: .scheduled, options: .init())
                )
            }
        }
        if let due = session.automatic.fetchDue, due <= session.now,
            session.fetch.current == nil, session.fetch.waiting.isEmpty
        {
            session.automatic.fetchDue = nil
            session.fetch.waiting.append(
                FetchOperation(calls: [], reason: .scheduled, options: .init())
            )
        }
    }

    /// When the next scheduled send comes, after one ended.
    mutating func scheduleSend(after operation: SendOperation) {
        guard configuration.isAutomatic, !operation.ending.isCancelled else { return }
        if case .returned = operation.ending.outcome {
            session.automatic.failedSendCount = 0
            if hasWorkToSend { session.automatic.sendDue = session.now }
            return
        }
        guard hasWorkToSend || operation.ending.error != nil else {
            session.automatic.failedSendCount = 0
            return
        }
        session.automatic.failedSendCount += 1
        session.automatic.sendDue = retryInstant(session.automatic.failedSendCount)
    }

    /// When the next scheduled fetch comes, after one ended.
    mutating func scheduleFetch(after operation: FetchOperation) {
        guard configuration.isAutomatic, !operation.ending.isCancelled else { return }
        if case .returned = operation.ending.outcome {
            session.automatic.failedFetchCount = 0
            return
        }
        session.automatic.failedFetchCount += 1
        session.automatic.fetchDue = retryInstant(session.automatic.failedFetchCount)
    }

    private var hasWorkToSend: Bool {
        !state.databaseChanges.entries.isEmpty || state.hasPendingUntrackedChanges
            || !state.openSends.isEmpty
            || state.records.hasOfferable(after: WalkPosition(), in: .all)
    }

    /// Exponential backoff with full jitter, never before the server's wish is over.
    private mutating func retryInstant(_ failureCount: Int) -> EngineInstant {
        let doublings = min(failureCount - 1, 16)
        let bound = min(
            EngineConfiguration.retryBackoffMax,
            EngineConfiguration.retryBackoffMin * (1 << doublings)
        )
        let jitter = Int64.random(in: 1...bound.milliseconds, using: &session.generator)
        let retry = session.now.advanced(by: .milliseconds(jitter))
        guard let delay = state.retryDelay, delay.until > retry else { return retry }
        return delay.until
    }
}
