import RecordModel
import RecordSync
import RecordWire

/// A connection whose requests and answers become bytes of the wire on their way, and values again.
///
/// With it every story is told once more as if client and server were two programs.
struct WireDatabase: SyncDatabase {
    let base: any SyncDatabase

    var name: String { base.name }
    var scope: Database.Scope { base.scope }
    var limits: RequestLimits { base.limits }

    func accountStatus() async throws(SyncError) -> AccountStatus {
        let status = try await sent { () async throws(SyncError) in
            try await base.accountStatus()
        }
        return try read { () throws(WireError) in
            try WireCodec.accountStatus(in: WireCodec.body(of: status, withExtensions: true))
        }
    }

    func databaseChanges(
        _ request: DatabaseChangesRequest,
        account: String
    ) async throws(SyncError) -> DatabaseChangesReply {
        let arrived = try read { () throws(WireError) in
            try WireCodec.databaseChanges(in: WireCodec.body(of: request))
        }
        let reply = try await sent { () async throws(SyncError) in
            try await base.databaseChanges(arrived, account: account)
        }
        return try read { () throws(WireError) in
            try WireCodec.databaseChangesReply(
                in: WireCodec.body(of: reply, withExtensions: true)
            )
        }
    }

    func zoneChanges(
        _ request: ZoneChangesRequest,
        account: String
    ) async throws(SyncError) -> ZoneChangesReply {
        let arrived = try read { () throws(WireError) in
            try WireCodec.zoneChanges(in: WireCodec.body(of: request))
        }
        let reply = try await sent { () async throws(SyncError) in
            try await base.zoneChanges(arrived[0], account: account)
        }
        let item = ZoneChangesItem(zoneID: request.zoneID, result: .success(reply))
        let pages = try read { () throws(WireError) in
            try WireCodec.zoneChangesReply(in: WireCodec.body(of: [item], withExtensions: true))
        }
        return try pages[0].get()
    }

    func modifyZones(
        _ request: ModifyZonesRequest,
        account: String
    ) async throws(SyncError) -> ModifyZonesReply {
        let call = try read { () throws(WireError) in
            try WireCodec.modifyZones(in: WireCodec.body(of: request))
        }
        let reply = try await sent { () async throws(SyncError) in
            try await base.modifyZones(call.request, account: account)
        }
        return try read { () throws(WireError) in
            try WireCodec.modifyZonesReply(
                in: WireCodec.body(of: reply, to: call, withExtensions: true),
                to: request
            )
        }
    }

    func modifyRecords(
        _ request: ModifyRecordsRequest,
        account: String
    ) async throws(SyncError) -> ModifyRecordsReply {
        let call = try read { () throws(WireError) in
            try WireCodec.modifyRecords(in: WireCodec.body(of: request))
        }
        let reply = try await sent { () async throws(SyncError) in
            try await base.modifyRecords(call.request, account: account)
        }
        return try read { () throws(WireError) in
            try WireCodec.modifyRecordsReply(
                in: WireCodec.body(of: reply, to: call, withExtensions: true),
                to: request
            )
        }
    }

    func lookUpRecords(
        _ request: LookUpRecordsRequest,
        account: String
    ) async throws(SyncError) -> LookUpRecordsReply {
        let arrived = try read { () throws(WireError) in
            try WireCodec.lookUpRecords(in: WireCodec.body(of: request))
        }
        let reply = try await sent { () async throws(SyncError) in
            try await base.lookUpRecords(arrived, account: account)
        }
        return try read { () throws(WireError) in
            try WireCodec.lookUpRecordsReply(
                in: WireCodec.body(of: reply, to: arrived, withExtensions: true),
                to: request
            )
        }
    }

    func outcome(
        of request: SendOutcomeRequest,
        account: String
    ) async throws(SyncError) -> SendOutcome {
        let arrived = try read { () throws(WireError) in
            try WireCodec.outcome(in: WireCodec.body(of: request))
        }
        let outcome = try await sent { () async throws(SyncError) in
            try await base.outcome(of: arrived, account: account)
        }
        return try read { () throws(WireError) in
            try WireCodec.outcomeReply(in: WireCodec.body(of: outcome))
        }
    }

    // Files go as they are: only what is said of them is text on the wire.

    func missingAssets(
        _ assets: [Asset],
        account: String
    ) async throws(SyncError) -> [Asset] {
        try await base.missingAssets(assets, account: account)
    }

    func upload(_ source: AssetSource, account: String) async throws(SyncError) {
        try await base.upload(source, account: account)
    }

    func download(_ target: AssetTarget, account: String) async throws(SyncError) {
        try await base.download(target, account: account)
    }

    func notifications() -> AsyncStream<DatabaseNotification> { base.notifications() }

    /// Lets an error go over the wire too.
    private func sent<Reply>(
        _ body: () async throws(SyncError) -> Reply
    ) async throws(SyncError) -> Reply {
        do throws(SyncError) {
            return try await body()
        } catch {
            throw WireCodec.error(in: WireCodec.body(of: error, withExtensions: true)) ?? error
        }
    }

    private func read<Message>(
        _ body: () throws(WireError) -> Message
    ) throws(SyncError) -> Message {
        do throws(WireError) {
            return try body()
        } catch {
            throw SyncError(.internalError, "not read back: \(error)")
        }
    }
}
