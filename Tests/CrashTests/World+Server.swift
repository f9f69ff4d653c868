import RecordModel
import ServerCore
import SyncCore

// Calls of the server, and what happens to them on their way.

extension World {
    /// Sends a request on its way: it arrives or not, and its answer waits or not.
    mutating func call(_ request: EngineEffect, from device: Int) {
        let fault = nextFault(of: request, from: device)
        recorder?.addCall(self, device, request)
        callCount += 1
        switch fault {
        case nil:
            devices[device].answers.append(arrive(request, from: device))
        case .requestLost:
            lose(request, SyncError(.networkFailure), from: device)
        case .answerLost:
            _ = arrive(request, from: device)
            lose(request, SyncError(.serverResponseLost), from: device)
        case .duplicated:
            let first = arrive(request, from: device)
            devices[device].answers += [first, arrive(request, from: device)]
        case .late:
            lose(request, SyncError(.networkFailure), from: device)
        case .failure(let code, let retryAfter):
            lose(request, SyncError(code, retryAfterSeconds: retryAfter), from: device)
        }
        if fault != .late { arriveLate(from: device) }
        if fault == .late { late.append((device, request)) }
        recorder?.addArrival(self, device, request)
    }

    private mutating func nextFault(of request: EngineEffect, from device: Int) -> CallFault? {
        if let callFault, callFault.call == callCount { return callFault.fault }
        guard case .modifyRecords = request, !devices[device].batchFaults.isEmpty else {
            return nil
        }
        return devices[device].batchFaults.removeFirst()
    }

    private mutating func lose(_ request: EngineEffect, _ error: SyncError, from device: Int) {
        if let answer = request.answer(failing: error) { devices[device].answers.append(answer) }
    }

    /// What was held up on its way arrives; its answer comes back too, to whoever still listens.
    mutating func arriveLate(from device: Int) {
        let arriving = late.filter { $0.device == device }
        late.removeAll { $0.device == device }
        for (_, request) in arriving {
            let answer = arrive(request, from: device)
            devices[device].answers.append(answer)
        }
    }

    /// The server takes a request and answers it.
    mutating func arrive(_ request: EngineEffect, from device: Int) -> EngineInput {
        let caller = caller(on: device)
        switch request {
        case .askAccount(let id):
            guard let account = devices[device].account else {
                return .accountStatusReceived(id, .success(.noAccount))
            }
            return .accountStatusReceived(
                id,
                answer { world throws(SyncError) in
                    try world.server.accountStatus(of: account)
                }
            )
        case .fetchDatabaseChanges(let id, let request, let account):
            return .databaseChangesFetched(
                id,
                answer(account, device) { world throws(SyncError) in
                    try world.server.databaseChanges(request, from: caller, at: world.wall)
                }
            )
        case .fetchZoneChanges(let id, let request, let account):
            return .zoneChangesFetched(
                id,
                answer(account, device) { world throws(SyncError) in
                    try world.server.zoneChanges(request, from: caller, at: world.wall)
                }
            )
        case .modifyZones(let id, let request, let account):
            writeCount += 1
            return .zonesModified(
                id,
                answer(account, device) { world throws(SyncError) in
                    try world.server.modifyZones(request, from: caller, at: world.wall)
                }
            )
        case .modifyRecords(let id, let request, let account):
            writeCount += 1
            check(request, from: device)
            return .recordsModified(
                id,
                answer(account, device) { world throws(SyncError) in
                    try world.server.modifyRecords(request, from: caller, at: world.wall)
                }
            )
        case .askOutcome(let id, let request, let account):
            return .outcomeReceived(
                id,
                answer(account, device) { world throws(SyncError) in
                    try world.server.outcome(of: request, from: caller, at: world.wall)
                }
            )
        case .asset, .cancelRequest, .deliver, .requestBatch, .requestFetchOptions, .endCall:
            preconditionFailure("\(request) is no request")
        }
    }

    private mutating func answer<Reply>(
        _ account: String,
        _ device: Int,
        _ body: (inout World) throws(SyncError) -> Reply
    ) -> Result<Reply, SyncError> {
        guard devices[device].account == account else {
            return .failure(SyncError(.notAuthenticated, "\(account) is not signed in"))
        }
        return answer(body)
    }

    private mutating func answer<Reply>(
        _ body: (inout World) throws(SyncError) -> Reply
    ) -> Result<Reply, SyncError> {
        do {
            return .success(try body(&self))
        } catch {
            return .failure(error)
        }
    }

    /// A key names one request for ever, and its mark was stored before it left.
    private mutating func check(_ request: ModifyRecordsRequest, from device: Int) {
        guard let key = request.idempotencyKey else {
            return faults.append("a batch without a key")
        }
        if let first = batches[key], first != request {
            faults.append("key \(key.number) names two requests")
        }
        if batches[key] == nil, key.writer == devices[device].writer,
            !devices[device].disk.holdsMark(key)
        {
            faults.append("key \(key.number) left before its mark was stored")
        }
        batches[key] = request
    }
}

extension EngineEffect {
    /// What the engine is told if the request fails.
    func answer(failing error: SyncError) -> EngineInput? {
        switch self {
        case .askAccount(let id): .accountStatusReceived(id, .failure(error))
        case .fetchDatabaseChanges(let id, _, _): .databaseChangesFetched(id, .failure(error))
        case .fetchZoneChanges(let id, _, _): .zoneChangesFetched(id, .failure(error))
        case .modifyZones(let id, _, _): .zonesModified(id, .failure(error))
        case .modifyRecords(let id, _, _): .recordsModified(id, .failure(error))
        case .askOutcome(let id, _, _): .outcomeReceived(id, .failure(error))
        case .asset, .cancelRequest, .deliver, .requestBatch, .requestFetchOptions, .endCall: nil
        }
    }
}
