import RecordModel
import RecordSync
import ServerCore

/// A device's connection to a database of an `InMemoryCloud`.
struct InMemoryDatabase: SyncDatabase {
    let cloud: InMemoryCloud
    let scope: Database.Scope
    let device: String

    var name: String { "memory/\(scope)" }

    func accountStatus() async throws(SyncError) -> AccountStatus {
        try cloud.withWorld { world throws(SyncError) in
            guard let account = world.signedIn[device] ?? nil else { return .noAccount }
            try world.server.createAccount(account, at: .now)
            return try world.server.accountStatus(of: account)
        }
    }

    func databaseChanges(
        _ request: DatabaseChangesRequest,
        account: String
    ) async throws(SyncError) -> DatabaseChangesReply {
        try answer(account) { server, caller throws(SyncError) in
            try server.databaseChanges(request, from: caller, at: .now)
        }
    }

    func zoneChanges(
        _ request: ZoneChangesRequest,
        account: String
    ) async throws(SyncError) -> ZoneChangesReply {
        try answer(account) { server, caller throws(SyncError) in
            try server.zoneChanges(request, from: caller, at: .now)
        }
    }

    func modifyZones(
        _ request: ModifyZonesRequest,
        account: String
    ) async throws(SyncError) -> ModifyZonesReply {
        try answer(account) { server, caller throws(SyncError) in
            try server.modifyZones(request, from: caller, at: .now)
        }
    }

    func modifyRecords(
        _ request: ModifyRecordsRequest,
        account: String
    ) async throws(SyncError) -> ModifyRecordsReply {
        try answer(account) { server, caller throws(SyncError) in
            try server.modifyRecords(request, from: caller, at: .now)
        }
    }

    func lookUpRecords(
        _ request: LookUpRecordsRequest,
        account: String
    ) async throws(SyncError) -> LookUpRecordsReply {
        try answer(account) { server, caller throws(SyncError) in
            try server.lookUpRecords(request, from: caller, at: .now)
        }
    }

    func outcome(
        of request: SendOutcomeRequest,
        account: String
    ) async throws(SyncError) -> SendOutcome {
        try answer(account) { server, caller throws(SyncError) in
            try server.outcome(of: request, from: caller, at: .now)
        }
    }

    func notifications() -> AsyncStream<DatabaseNotification> {
        AsyncStream { $0.finish() }
    }

    private func answer<Reply: Sendable>(
        _ account: String,
        _ body: (inout Server<MemoryStorage>, ServerCaller) throws(SyncError) -> Reply
    ) throws(SyncError) -> Reply {
        try cloud.withWorld { world throws(SyncError) in
            guard world.signedIn[device] == account else {
                throw SyncError(.notAuthenticated, "\(account) is not signed in on \(device)")
            }
            let caller = ServerCaller(account: account, deviceID: device, scope: scope)
            return try body(&world.server, caller)
        }
    }
}
