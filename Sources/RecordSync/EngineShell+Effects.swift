import RecordModel
import SyncCore

// What the core decided.

extension EngineShell {
    /// Performs one effect; never waits.
    func perform(_ effect: EngineEffect) {
        switch effect {
        case .askAccount(let id):
            request(id) { database in .accountStatusReceived(id, await account(database)) }
        case .fetchDatabaseChanges(let id, let request, let account):
            self.request(id) { database in
                .databaseChangesFetched(
                    id,
                    await result { () async throws(SyncError) in
                        try await database.databaseChanges(request, account: account)
                    }
                )
            }
        case .fetchZoneChanges(let id, let request, let account):
            self.request(id) { database in
                .zoneChangesFetched(
                    id,
                    await result { () async throws(SyncError) in
                        try await database.zoneChanges(request, account: account)
                    }
                )
            }
        case .modifyZones(let id, let request, let account):
            self.request(id) { database in
                .zonesModified(
                    id,
                    await result { () async throws(SyncError) in
                        try await database.modifyZones(request, account: account)
                    }
                )
            }
        case .modifyRecords(let id, let request, let account):
            self.request(id) { database in
                .recordsModified(
                    id,
                    await result { () async throws(SyncError) in
                        try await database.modifyRecords(request, account: account)
                    }
                )
            }
        case .askOutcome(let id, let request, let account):
            self.request(id) { database in
                .outcomeReceived(
                    id,
                    await result { () async throws(SyncError) in
                        try await database.outcome(of: request, account: account)
                    }
                )
            }
        case .asset(let effect): perform(effect)
        case .cancelRequest(let id): cancelRequest(id)
        case .deliver(let id, let event): deliver(id, event)
        case .requestBatch(let id, let context): requestBatch(id, context)
        case .requestFetchOptions(let id, let context): requestFetchOptions(id, context)
        case .endCall(let call, let outcome): endCall(call, outcome)
        }
    }

    func request(
        _ id: RequestID,
        _ ask: @escaping @Sendable (any SyncDatabase) async -> EngineInput
    ) {
        let database = database
        // Under the lock, so that the task is known before its answer can be there.
        protected.withLock { protected in
            protected.requests[id] = environment.launch { [weak self] in
                let answer = await ask(database)
                self?.forgetRequest(id)
                self?.handle(answer)
            }
        }
    }

    private func forgetRequest(_ id: RequestID) {
        _ = protected.withLock { $0.requests.removeValue(forKey: id) }
    }

    private func cancelRequest(_ id: RequestID) {
        protected.withLock { $0.requests[id] }?.cancel()
    }
}

private func account(_ database: any SyncDatabase) async -> Result<AccountStatus, SyncError> {
    await result { () async throws(SyncError) in try await database.accountStatus() }
}

func result<Reply>(
    _ ask: () async throws(SyncError) -> Reply
) async -> Result<Reply, SyncError> {
    do {
        return .success(try await ask())
    } catch {
        return .failure(error)
    }
}
