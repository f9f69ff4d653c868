import RecordModel

// Requests under way: each has a deadline, so that no answer is waited for for ever.

extension EngineCore {
    /// When the oldest request counts as failed; nil if none is under way.
    var requestDue: EngineInstant? {
        let since = session.scheduler.openRequests.lazy.map(\.since).min()
        return since?.advanced(by: configuration.policy.requestDurationMax)
    }

    mutating func noteRequest(_ effect: EngineEffect) {
        switch effect {
        case .askAccount(let id), .fetchDatabaseChanges(let id, _, _),
            .fetchZoneChanges(let id, _, _), .modifyZones(let id, _, _),
            .modifyRecords(let id, _, _), .askOutcome(let id, _, _):
            session.scheduler.openRequests.append((id, session.now))
            session.scheduler.bucket.spend(at: session.now)
        case .asset(let effect): noteRequest(effect)
        case .cancelRequest(let id):
            session.scheduler.openRequests.removeAll { $0.id == id }
        case .deliver, .requestBatch, .requestFetchOptions, .endCall:
            return
        }
    }

    /// A file gets more time the longer it is: its request counts as begun later.
    private mutating func noteRequest(_ effect: AssetEffect) {
        guard let id = effect.requestID else { return }
        session.assetRequests.append(id)
        let extra: Int64
        switch effect {
        case .discard: return
        case .stage: extra = EngineConfiguration.stagingSecondsMax
        case .askMissing: extra = 0
        case .upload(_, let file, _), .download(_, let file, _, _):
            extra = (file.byteCount ?? 0) / EngineConfiguration.assetByteCountPerSecondMin
        }
        let since = session.now.advanced(by: .seconds(extra))
        session.scheduler.openRequests.append((id, since))
        // Copies trouble no server.
        if case .stage = effect { return }
        session.scheduler.bucket.spend(at: session.now)
    }

    mutating func noteAnswer(_ input: EngineInput) {
        guard let id = input.answeredRequest else { return }
        session.scheduler.openRequests.removeAll { $0.id == id }
        if !session.assetRequests.isEmpty { session.assetRequests.removeAll { $0 == id } }
    }

    /// Requests that took too long have failed: what they sent may have arrived all the same.
    mutating func failOverdueRequests() {
        while let due = requestDue, due <= session.now,
            let id = session.scheduler.openRequests.min(by: { $0.since < $1.since })?.id
        {
            perform(.cancelRequest(id))
            let error = SyncError(.serverResponseLost, "the server gave no answer in time")
            // Only the one that is waited for finds itself among these.
            accountStatusReceived(id, .failure(error))
            databaseChangesFetched(id, .failure(error))
            zoneChangesFetched(id, .failure(error))
            zonesModified(id, .failure(error))
            recordsModified(id, .failure(error))
            outcomeReceived(id, .failure(error))
            assetsAreOverdue(id, error)
        }
    }
}

extension EngineInput {
    /// The request that this answers; nil if it is no answer.
    fileprivate var answeredRequest: RequestID? {
        switch self {
        case .accountStatusReceived(let id, _), .databaseChangesFetched(let id, _),
            .zoneChangesFetched(let id, _), .zonesModified(let id, _),
            .recordsModified(let id, _), .outcomeReceived(let id, _), .assetAnswered(let id, _):
            id
        case .recordZoneChangesAdded, .recordZoneChangesRemoved, .databaseChangesAdded,
            .databaseChangesRemoved, .entryApplied, .entryDiscarded, .untrackedChangesSet,
            .parkedChangesResumed, .tokensReset, .fetchCalled, .sendCalled, .flushCalled,
            .callAbandoned, .operationsCancelled, .accountMayHaveChanged, .notificationReceived,
            .notificationsEnded, .conditionsChanged, .syncRequested, .woke, .eventHandled,
            .batchProvided, .batchFailed, .fetchOptionsProvided, .fetchOptionsFailed,
            .changeDropped, .changesPostponed, .childBlocked:
            nil
        }
    }
}
