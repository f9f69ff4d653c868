import RecordModel
import RecordSync
import ServerCore

/// A device's connection to a database of an `InMemoryCloud`.
struct InMemoryDatabase: SyncDatabase {
    let cloud: InMemoryCloud
    let scope: Database.Scope
    let device: String

    var name: String { "memory/\(scope)" }

    var limits: RequestLimits {
        cloud.withWorld { $0.announcedLimits ?? $0.server.configuration.limits }
    }

    func accountStatus() async throws(SyncError) -> AccountStatus {
        let request = CloudRequest(.accountStatus, from: self, account: nil, summary: "")
        let device = device
        return try await perform(request) { world throws(SyncError) in
            guard let account = world.devices.account(on: device) else { return .noAccount }
            try world.server.createAccount(account, at: world.now)
            return try world.server.accountStatus(of: account)
        }
    }

    func databaseChanges(
        _ request: DatabaseChangesRequest,
        account: String
    ) async throws(SyncError) -> DatabaseChangesReply {
        let summary = request.since == nil ? "from the beginning" : "since a token"
        return try await answer(.databaseChanges, account, summary) {
            server,
            caller,
            now throws(SyncError) in
            try server.databaseChanges(request, from: caller, at: now)
        }
    }

    func zoneChanges(
        _ request: ZoneChangesRequest,
        account: String
    ) async throws(SyncError) -> ZoneChangesReply {
        let since = request.since == nil ? "from the beginning" : "since a token"
        return try await answer(.zoneChanges, account, "\(request.zoneID), \(since)") {
            server,
            caller,
            now throws(SyncError) in
            try server.zoneChanges(request, from: caller, at: now)
        }
    }

    func modifyZones(
        _ request: ModifyZonesRequest,
        account: String
    ) async throws(SyncError) -> ModifyZonesReply {
        let summary =
            "\(request.zonesToSave.count) saves, \(request.zoneIDsToDelete.count) deletions"
        return try await answer(.modifyZones, account, summary, holds: { request.holds($0) }) {
            server,
            caller,
            now throws(SyncError) in
            try server.modifyZones(request, from: caller, at: now)
        }
    }

    func modifyRecords(
        _ request: ModifyRecordsRequest,
        account: String
    ) async throws(SyncError) -> ModifyRecordsReply {
        let summary =
            "\(request.recordsToSave.count) saves, \(request.recordsToDelete.count) deletions"
        return try await answer(.modifyRecords, account, summary, holds: { request.holds($0) }) {
            server,
            caller,
            now throws(SyncError) in
            try server.modifyRecords(request, from: caller, at: now)
        }
    }

    func lookUpRecords(
        _ request: LookUpRecordsRequest,
        account: String
    ) async throws(SyncError) -> LookUpRecordsReply {
        try await answer(.lookUpRecords, account, "\(request.recordIDs.count) records") {
            server,
            caller,
            now throws(SyncError) in
            try server.lookUpRecords(request, from: caller, at: now)
        }
    }

    func outcome(
        of request: SendOutcomeRequest,
        account: String
    ) async throws(SyncError) -> SendOutcome {
        try await answer(.outcome, account, "\(request.idempotencyKey)") {
            server,
            caller,
            now throws(SyncError) in
            try server.outcome(of: request, from: caller, at: now)
        }
    }

    func missingAssets(
        _ assets: [Asset],
        account: String
    ) async throws(SyncError) -> [Asset] {
        try await answer(.missingAssets, account, "\(assets.count) files") {
            server,
            caller,
            now throws(SyncError) in
            try server.missingAssets(assets, from: caller, at: now)
        }
    }

    func upload(_ source: AssetSource, account: String) async throws(SyncError) {
        let bytes = try source.allBytes()
        let asset = source.asset
        try await perform(.uploadAsset, account, "\(bytes.count) bytes") {
            world,
            caller throws(SyncError) in
            try world.take(bytes, of: asset, from: caller)
        }
    }

    func download(_ target: AssetTarget, account: String) async throws(SyncError) {
        let asset = target.asset
        let bytes = try await perform(
            .downloadAsset,
            account,
            "from byte \(target.receivedByteCount)"
        ) { world, caller throws(SyncError) in
            try world.bytes(of: asset, for: caller)
        }
        while case let offset = Int(target.receivedByteCount), offset < bytes.count {
            try target.append(Array(bytes[offset...].prefix(AssetSource.chunkByteCount)))
        }
    }

    func notifications() -> AsyncStream<DatabaseNotification> {
        let (stream, target) = AsyncStream.makeStream(
            of: DatabaseNotification.self,
            bufferingPolicy: .bufferingNewest(Self.notificationCountMax)
        )
        let number = cloud.withWorld { $0.devices.listen(on: device, scope: scope, target) }
        target.onTermination = { [weak cloud, device] _ in
            cloud?.withWorld { $0.devices.stopListening(number, on: device) }
        }
        return stream
    }

    /// Hints that nobody has taken yet; as they carry nothing, a few are as good as many.
    private static let notificationCountMax = 16
}

// The way of every request.

extension InMemoryDatabase {
    private typealias Work<Reply> =
        @Sendable (
            inout Server<MemoryStorage>, ServerCaller, Timestamp
        ) throws(SyncError) -> Reply

    /// Answers a request that is made for an account, if that is who is signed in.
    private func answer<Reply: Sendable>(
        _ kind: RequestKind,
        _ account: String,
        _ summary: String,
        holds: @escaping @Sendable (SyncError.ItemID) -> Bool = { _ in false },
        _ work: @escaping Work<Reply>
    ) async throws(SyncError) -> Reply {
        try await perform(kind, account, summary, holds: holds) {
            world,
            caller throws(SyncError) in
            try work(&world.server, caller, world.now)
        }
    }

    private func perform<Reply: Sendable>(
        _ kind: RequestKind,
        _ account: String,
        _ summary: String,
        holds: @escaping @Sendable (SyncError.ItemID) -> Bool = { _ in false },
        _ work:
            @escaping @Sendable (inout CloudWorld, ServerCaller) throws(SyncError) -> Reply
    ) async throws(SyncError) -> Reply {
        let request = CloudRequest(
            kind,
            from: self,
            account: account,
            summary: summary,
            holds: holds
        )
        let caller = ServerCaller(account: account, deviceID: device, scope: scope)
        return try await perform(request) { world throws(SyncError) in
            guard world.devices.account(on: caller.deviceID) == account else {
                throw SyncError(
                    .notAuthenticated,
                    "\(account) is not signed in on \(caller.deviceID)"
                )
            }
            return try work(&world, caller)
        }
    }

    private func perform<Reply: Sendable>(
        _ request: CloudRequest,
        _ work: @escaping @Sendable (inout CloudWorld) throws(SyncError) -> Reply
    ) async throws(SyncError) -> Reply {
        let passage = try cloud.withWorld { $0.admit(request) }.get()
        if let error = await passage.holdBefore?.stop() {
            cloud.withWorld { $0.log.end(passage.number, .failed(error)) }
            throw error
        }
        if passage.effect == .arriveLate { return try deferArrival(of: request, passage, work) }
        let (reply, targets) = cloud.withWorld { world in
            let (reply, targets) = world.perform(request, work)
            guard passage.effect == .duplicate else { return (reply, targets) }
            return (reply, targets + world.perform(request, work).1)
        }
        for target in targets { target.yield(.databaseChanged) }
        let held = await passage.holdAfter?.stop()
        if let lost = held ?? passage.effect?.lostAnswer {
            cloud.withWorld { $0.log.end(passage.number, .answerLost(lost)) }
            throw lost
        }
        cloud.withWorld { $0.log.end(passage.number, reply.logOutcome) }
        return try reply.get()
    }

    private func deferArrival<Reply: Sendable>(
        of request: CloudRequest,
        _ passage: Passage,
        _ work: @escaping @Sendable (inout CloudWorld) throws(SyncError) -> Reply
    ) throws(SyncError) -> Reply {
        cloud.withWorld { world in
            world.log.end(passage.number, .failed(.requestLost))
            guard world.late.count < CloudWorld.lateCountMax else { return }
            world.late.append { world in world.perform(request, work).1 }
        }
        throw .requestLost
    }
}

extension Fault.Effect {
    /// What the caller is told while the server took the request.
    fileprivate var lostAnswer: SyncError? {
        switch self {
        case .loseAnswer: .answerLost
        case .loseAnswerAs(let error): error
        case .fail, .loseRequest, .arriveLate, .duplicate, .refuse: nil
        }
    }
}

extension Result where Failure == SyncError {
    fileprivate var logOutcome: LoggedRequest.Outcome {
        switch self {
        case .success: .answered
        case .failure(let error): .refused(error)
        }
    }
}

extension ModifyRecordsRequest {
    fileprivate func holds(_ item: SyncError.ItemID) -> Bool {
        guard case .record(let id) = item else { return false }
        return recordsToSave.contains { $0.recordID == id }
            || recordsToDelete.contains { $0.recordID == id }
    }
}

extension ModifyZonesRequest {
    fileprivate func holds(_ item: SyncError.ItemID) -> Bool {
        guard case .zone(let id) = item else { return false }
        return zonesToSave.contains { $0.zoneID == id } || zoneIDsToDelete.contains(id)
    }
}
