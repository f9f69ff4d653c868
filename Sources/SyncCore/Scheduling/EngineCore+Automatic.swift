import RecordModel

// The plain policy of automatic sync: send soon after an edit, fetch when told of something new,
// try again later after a failure.

extension EngineCore {
    /// Sends at once, or right after the send that is under way; a retry keeps its time.
    mutating func sendSoon() {
        guard configuration.isAutomatic, session.automatic.failedSendCount == 0 else { return }
        session.automatic.sendDue = session.now
    }

    /// Fetches at once, or right after the fetch that is under way; a retry keeps its time.
    mutating func notificationReceived() {
        guard configuration.isAutomatic, session.automatic.failedFetchCount == 0 else { return }
        session.automatic.fetchDue = session.now
    }

    /// What the delegate threw at is offered again after a while.
    mutating func retryThrownEventsSoon() {
        guard configuration.isAutomatic, !session.delegateQueue.thrown.isEmpty else { return }
        session.automatic.fetchDue = session.now.advanced(
            by: EngineConfiguration.retryBackoffMin
        )
    }

    /// An account is there again: what failed for want of one is tried now.
    mutating func wakeUp() {
        guard session.automatic.isAsleep else { return }
        session.automatic = AutomaticSync()
        guard configuration.isAutomatic else { return }
        session.automatic.fetchDue = session.now
    }

    mutating func startAutomaticOperations() {
        if let due = session.automatic.sendDue, due <= session.now {
            session.automatic.sendDue = nil
            startScheduledSend()
        }
        if let due = session.automatic.fetchDue, due <= session.now {
            session.automatic.fetchDue = nil
            startScheduledFetch()
        }
    }

    private mutating func startScheduledSend() {
        guard session.send.current == nil, session.send.waiting.isEmpty else {
            // Nothing to wake up for before that one ends.
            session.automatic.isSendRemembered = true
            return
        }
        guard hasWorkToSend else {
            // What failed was settled otherwise; the next edit does not wait for a retry.
            session.automatic.failedSendCount = 0
            return sendToBusyZonesLater()
        }
        session.send.waiting.append(
            SendOperation(calls: [], reason: .scheduled, options: .init())
        )
    }

    private mutating func startScheduledFetch() {
        guard session.fetch.current == nil, session.fetch.waiting.isEmpty else {
            session.automatic.isFetchRemembered = true
            return
        }
        session.fetch.waiting.append(
            FetchOperation(calls: [], reason: .scheduled, options: .init())
        )
    }

    /// When the next scheduled send comes, after one ended.
    mutating func scheduleSend(after operation: SendOperation) {
        guard configuration.isAutomatic else { return }
        defer { sendToBusyZonesLater() }
        let isRemembered = session.automatic.isSendRemembered
        session.automatic.isSendRemembered = false
        if operation.ending.isCancelled {
            if isRemembered { session.automatic.sendDue = session.now }
            return
        }
        if case .returned = operation.ending.outcome {
            session.automatic.failedSendCount = 0
            return scheduleRest(after: operation, isRemembered: isRemembered)
        }
        guard hasWorkToSend || operation.ending.error != nil else {
            session.automatic.failedSendCount = 0
            return
        }
        session.automatic.failedSendCount += 1
        session.automatic.sendDue = retryInstant(session.automatic.failedSendCount)
    }

    /// What a send left goes out with the next one: at once if this one moved something, else
    /// later and later.
    private mutating func scheduleRest(after operation: SendOperation, isRemembered: Bool) {
        guard hasWorkToSend else {
            session.automatic.idleSendCount = 0
            return
        }
        if operation.ending.isCutShort {
            // Whoever flushed counts on quiet after the deadline.
            session.automatic.idleSendCount = 0
            session.automatic.sendDue = session.now.advanced(
                by: EngineConfiguration.flushRestDelay
            )
        } else if operation.hasMoved || isRemembered {
            session.automatic.idleSendCount = 0
            session.automatic.sendDue = session.now
        } else if session.automatic.sendDue == nil {
            session.automatic.idleSendCount += 1
            session.automatic.sendDue = retryInstant(session.automatic.idleSendCount)
        }
    }

    /// When the next scheduled fetch comes, after one ended.
    mutating func scheduleFetch(after operation: FetchOperation) {
        guard configuration.isAutomatic else { return }
        defer { fetchBusyZonesLater() }
        let isRemembered = session.automatic.isFetchRemembered
        session.automatic.isFetchRemembered = false
        if operation.ending.isCancelled {
            if isRemembered { session.automatic.fetchDue = session.now }
            return
        }
        if case .returned = operation.ending.outcome {
            session.automatic.failedFetchCount = 0
            if isRemembered { session.automatic.fetchDue = session.now }
            return
        }
        session.automatic.failedFetchCount += 1
        session.automatic.fetchDue = retryInstant(session.automatic.failedFetchCount)
    }

    private var hasWorkToSend: Bool {
        let busyZones = session.zoneDelays.busyZones(at: session.now)
        return state.databaseChanges.entries.contains { !busyZones.contains($0.change.zoneID) }
            || state.hasPendingUntrackedChanges || !state.openSends.isEmpty
            || !state.openZoneSends.isEmpty
            || state.records.hasOfferable(after: WalkPosition(), in: .all.excluding(busyZones))
    }

    /// Exponential backoff with full jitter, never before the server's wish is over.
    private mutating func retryInstant(_ failureCount: Int) -> EngineInstant {
        let doublings = min(failureCount - 1, 16)
        let bound = min(
            EngineConfiguration.retryBackoffMax,
            EngineConfiguration.retryBackoffMin * (1 << doublings)
        )
        let jitter = session.generator.next() % UInt64(bound.milliseconds) + 1
        let retry = session.now.advanced(by: .milliseconds(Int64(jitter)))
        guard let delay = state.retryDelay, delay.until > retry else { return retry }
        return delay.until
    }
}
