import RecordModel
import ServerCore
import SyncCore

// The server takes requests and answers them.

extension World {
    mutating func serve(_ request: EngineEffect, from device: Int, boot: Int) -> EngineInput {
        let account = devices[device].account
        let caller = ServerCaller(account: account ?? "", deviceID: devices[device].name)
        switch request {
        case .askAccount(let id):
            guard let account else { return .accountStatusReceived(id, .success(.noAccount)) }
            return .accountStatusReceived(
                id,
                answer { world throws(SyncError) in
                    try world.server.accountStatus(of: account)
                }
            )
        case .fetchDatabaseChanges(let id, let request, let asked):
            return .databaseChangesFetched(
                id,
                answer(asked, device) { world throws(SyncError) in
                    try world.server.databaseChanges(request, from: caller, at: world.serverWall)
                }
            )
        case .fetchZoneChanges(let id, let request, let asked):
            let result = answer(asked, device) { world throws(SyncError) in
                try world.server.zoneChanges(request, from: caller, at: world.serverWall)
            }
            notePage(request, result, asked, on: device, boot: boot)
            return .zoneChangesFetched(id, result)
        case .modifyZones(let id, let request, let asked):
            let result = answer(asked, device) { world throws(SyncError) in
                try world.server.modifyZones(request, from: caller, at: world.serverWall)
            }
            noteZones(request, result, asked, on: device)
            return .zonesModified(id, result)
        case .modifyRecords(let id, let request, let asked):
            let head = head(of: asked)
            let result = answer(asked, device) { world throws(SyncError) in
                try world.server.modifyRecords(request, from: caller, at: world.serverWall)
            }
            noteBatch(request, result, asked, movedHead: head != self.head(of: asked), on: device)
            return .recordsModified(id, result)
        case .askOutcome(let id, let request, let asked):
            let result = answer(asked, device) { world throws(SyncError) in
                try world.server.outcome(of: request, from: caller, at: world.serverWall)
            }
            if case .success(.closed) = result {
                checkers.ledger.close(request.idempotencyKey)
            }
            return .outcomeReceived(id, result)
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

    func console(_ account: String) -> ServerCaller {
        ServerCaller(account: account, deviceID: "console")
    }

    mutating func head(of account: String) -> UInt64 {
        (try? server.head(of: console(account))) ?? 0
    }

    /// Tells the other devices of an account that something is new; some do not hear it.
    mutating func notifyOthers(than device: Int?, of account: String) {
        for other in devices.indices where other != device && devices[other].account == account {
            guard isHealed || random.isLucky(85) else { continue }
            agenda.add(.notify(device: other), at: clock + random.time(upTo: 400))
        }
    }

    /// The records of an account as the server has them.
    mutating func records(of account: String) -> [Record] {
        var records: [Record] = []
        attempt { world throws(SyncError) in
            for zoneID in try world.server.zoneIDs(of: world.console(account)).sorted() {
                records += try world.server.records(in: zoneID, of: world.console(account))
            }
        }
        return records.sorted { $0.recordID < $1.recordID }
    }
}
