import RecordModel

// What a pass leaves behind: when the next one comes.

extension EngineCore {
    /// When the next scheduled send comes, after one ended.
    mutating func scheduleSend(after operation: SendOperation) {
        guard configuration.isAutomatic else { return }
        if session.scheduler.situation.launch.step == .zones, operation.isZonesOnly {
            session.scheduler.hasLaunchedZones = true
            goToLaunchStep(.fetch)
        }
        noteZonesSent(by: operation)
        // Neither the app nor a flush wants a retry.
        if operation.ending.isCancelled { return }
        if operation.ending.isCutShort {
            session.scheduler.situation.send.flush = .init(
                since: session.now,
                until: session.now.advanced(by: configuration.policy.flushRest)
            )
            return
        }
        if operation.ending.hasFailed {
            guard !wasRefused(operation.ending, isAnnounced: operation.isAnnounced) else { return }
            session.scheduler.situation.send.mustRetry = true
            session.scheduler.situation.send.failure = failure(
                after: session.scheduler.situation.send.failure,
                operation.ending
            )
            return
        }
        session.scheduler.situation.send.failure = nil
        session.scheduler.situation.send.mustRetry = false
        databaseWorked()
        noteProgress(of: operation)
    }

    /// What a send left goes out at once if it moved something, else later and later.
    private mutating func noteProgress(of operation: SendOperation) {
        guard !operation.hasMoved, !operation.isZonesOnly else {
            session.scheduler.situation.send.idle = nil
            return
        }
        session.scheduler.situation.send.holdsAssetsOnly = !operation.assetIDs.isEmpty
        guard operation.assetIDs.isEmpty else {
            session.scheduler.situation.send.idle = .init(
                since: session.now,
                until: session.now.advanced(by: configuration.policy.deferralMax)
            )
            return
        }
        let attempts = (session.scheduler.situation.send.idle?.attempts ?? 0) + 1
        session.scheduler.situation.send.idle = .init(
            since: session.now,
            until: retryInstant(attempts),
            attempts: attempts
        )
    }

    private mutating func noteZonesSent(by operation: SendOperation) {
        let failures = operation.ending.failedZones
        for (zoneID, counts) in session.progress.send.pairs where counts.sentCount > 0 {
            guard counts.confirmedCount == 0, let error = failures[zoneID] else {
                session.scheduler.sendBackoffs.succeed(zoneID)
                continue
            }
            let delay = failure(after: session.scheduler.sendBackoffs[zoneID], error)
            session.scheduler.sendBackoffs.fail(zoneID, delay)
        }
    }

    /// When the next scheduled fetch comes, after one ended.
    mutating func scheduleFetch(after operation: FetchOperation) {
        guard configuration.isAutomatic else { return }
        if session.scheduler.situation.launch.step == .fetch { goToLaunchStep(.done) }
        noteZonesFetched(by: operation)
        if operation.isPoll, !session.progress.fetched.isEmpty,
            session.scheduler.situation.push == .working
        {
            // It brought what no notification told of.
            session.scheduler.situation.push = .silent
        }
        if operation.ending.isCancelled { return }
        if operation.ending.hasFailed {
            guard !wasRefused(operation.ending, isAnnounced: operation.isAnnounced) else { return }
            session.scheduler.situation.fetch.mustRetry = true
            session.scheduler.situation.fetch.failure = failure(
                after: session.scheduler.situation.fetch.failure,
                operation.ending
            )
            return
        }
        if operation.calledOptions.scope == .all {
            session.scheduler.situation.fetch.mustRetry = false
        }
        session.scheduler.situation.fetch.failure = nil
        databaseWorked()
    }

    private mutating func noteZonesFetched(by operation: FetchOperation) {
        let failures = operation.ending.failedZones
        if !operation.ending.hasFailed, !operation.ending.isCancelled {
            let waiting = waitingFetchZones
            for zoneID in session.scheduler.fetchBackoffs.delays.keys
            where failures[zoneID] == nil && !waiting.contains(zoneID) {
                session.scheduler.fetchBackoffs.succeed(zoneID)
            }
        }
        for (zoneID, error) in failures.pairs {
            let delay = failure(after: session.scheduler.fetchBackoffs[zoneID], error)
            session.scheduler.fetchBackoffs.fail(zoneID, delay)
        }
    }

    /// A call that was turned away within a retry delay says nothing of the server.
    private func wasRefused(_ ending: OperationEnding, isAnnounced: Bool) -> Bool {
        !isAnnounced && ending.error?.code == .requestRateLimited && retryDelayError() != nil
    }

    private mutating func databaseWorked() {
        session.scheduler.situation.database = nil
        session.scheduler.bucket.grow(at: session.now)
    }

    /// The wait after a pass that failed; nil where the whole database waits instead.
    private mutating func failure(
        after previous: Situation.Delay?,
        _ ending: OperationEnding
    ) -> Situation.Delay? {
        switch ending.error?.code {
        case .requestRateLimited, .serviceUnavailable:
            session.scheduler.bucket.throttle(at: session.now)
            session.scheduler.situation.database = failure(
                after: session.scheduler.situation.database,
                ending.error
            )
            return previous
        case _:
            return failure(after: previous, ending.error)
        }
    }

    /// The wait after one more failure.
    private mutating func failure(
        after previous: Situation.Delay?,
        _ error: SyncError?
    ) -> Situation.Delay {
        let attempts = (previous?.attempts ?? 0) + 1
        return .init(
            since: previous?.since ?? session.now,
            until: retryInstant(attempts),
            attempts: attempts,
            error: error
        )
    }

    /// Exponential backoff with full jitter, which begins when the server's wish is over.
    mutating func retryInstant(_ failureCount: Int) -> EngineInstant {
        #if PLANTED_BUGS
            if makes(.retryWithoutDelay) { return session.now }
            if makes(.retryNeverComes) { return session.now.advanced(by: .seconds(1_000_000_000)) }
        #endif
        let bound = configuration.policy.backoffBound(failureCount: failureCount)
        let jitter = session.generator.next() % UInt64(max(bound.milliseconds, 1)) + 1
        let start = state.retryDelay.map { max($0.until, session.now) } ?? session.now
        return start.advanced(by: .milliseconds(Int64(jitter)))
    }
}

extension OperationEnding {
    /// True if it failed as a whole, not just in some zones.
    fileprivate var hasFailed: Bool { error != nil || delegateFailure != nil }

    /// Zones that failed, each with its last error; what befell the whole request is no zone's.
    fileprivate var failedZones: OrderedTable<RecordZone.ID, SyncError> {
        var zones = OrderedTable<RecordZone.ID, SyncError>()
        for (item, error) in itemErrors.pairs where error.code != self.error?.code {
            switch item {
            case .record(let recordID): zones[recordID.zoneID] = error
            case .zone(let zoneID): zones[zoneID] = error
            }
        }
        return zones
    }
}
