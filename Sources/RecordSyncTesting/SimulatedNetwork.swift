import RecordModel
import RecordSync

/// How long requests of each device take.
final class SimulatedNetwork: Sendable {
    let executor: SteppedExecutor
    let trace: SimulationTrace
    private let protected: Guarded<Protected>

    private struct Protected {
        var generator: SplitMix64
        var slow: Set<String> = []
    }

    init(generator: SplitMix64, executor: SteppedExecutor, trace: SimulationTrace) {
        self.executor = executor
        self.trace = trace
        protected = Guarded(Protected(generator: generator))
    }

    func isSlow(_ device: String) -> Bool { protected.withLock { $0.slow.contains(device) } }

    func setSlow(_ isSlow: Bool, _ device: String) {
        protected.withLock { protected in
            if isSlow { protected.slow.insert(device) } else { protected.slow.remove(device) }
        }
    }

    /// Lets a part of a request's way pass.
    func travel(_ device: String) async {
        let milliseconds = protected.withLock { protected in
            let limit = protected.slow.contains(device) ? 20_000 : 100
            return Int.random(in: 1...limit, using: &protected.generator)
        }
        // A cancelled task is in a hurry, and what is on its way arrives all the same.
        try? await executor.sleep(until: executor.now + .milliseconds(milliseconds))
    }
}

/// A device's connection over a simulated network, for one launch of its app.
struct SimulatedConnection: SyncDatabase {
    let inner: any SyncDatabase
    let life: DeviceLife
    let network: SimulatedNetwork

    var name: String { inner.name }
    var scope: Database.Scope { inner.scope }
    var limits: RequestLimits { inner.limits }

    func accountStatus() async throws(SyncError) -> AccountStatus {
        try await send("accountStatus") { () async throws(SyncError) in
            try await inner.accountStatus()
        }
    }

    func databaseChanges(
        _ request: DatabaseChangesRequest,
        account: String
    ) async throws(SyncError) -> DatabaseChangesReply {
        try await send("databaseChanges") { () async throws(SyncError) in
            try await inner.databaseChanges(request, account: account)
        }
    }

    func zoneChanges(
        _ request: ZoneChangesRequest,
        account: String
    ) async throws(SyncError) -> ZoneChangesReply {
        try await send("zoneChanges(\(request.zoneID))") { () async throws(SyncError) in
            try await inner.zoneChanges(request, account: account)
        }
    }

    func modifyZones(
        _ request: ModifyZonesRequest,
        account: String
    ) async throws(SyncError) -> ModifyZonesReply {
        try await send("modifyZones") { () async throws(SyncError) in
            try await inner.modifyZones(request, account: account)
        }
    }

    func modifyRecords(
        _ request: ModifyRecordsRequest,
        account: String
    ) async throws(SyncError) -> ModifyRecordsReply {
        let saves = request.recordsToSave.map(\.recordID.recordName)
        let deletions = request.recordsToDelete.map(\.recordID.recordName)
        return try await send("modifyRecords(save \(saves), delete \(deletions))") {
            () async throws(SyncError) in
            try await inner.modifyRecords(request, account: account)
        }
    }

    func lookUpRecords(
        _ request: LookUpRecordsRequest,
        account: String
    ) async throws(SyncError) -> LookUpRecordsReply {
        try await send("lookUpRecords") { () async throws(SyncError) in
            try await inner.lookUpRecords(request, account: account)
        }
    }

    func outcome(
        of request: SendOutcomeRequest,
        account: String
    ) async throws(SyncError) -> SendOutcome {
        try await send("outcome") { () async throws(SyncError) in
            try await inner.outcome(of: request, account: account)
        }
    }

    func notifications() -> AsyncStream<DatabaseNotification> { inner.notifications() }

    private func send<Reply: Sendable>(
        _ request: String,
        _ work: () async throws(SyncError) -> Reply
    ) async throws(SyncError) -> Reply {
        // An app that has died sends nothing more; what it had sent before arrives.
        guard !life.isDead else { throw SyncError(.networkUnavailable, "the app has died") }
        network.trace.add("\(life.name) -> \(request)")
        await network.travel(life.name)
        let result: Result<Reply, SyncError>
        do {
            result = .success(try await work())
        } catch {
            result = .failure(error)
        }
        await network.travel(life.name)
        network.trace.add("\(life.name) <- \(request)\(result.ending)")
        return try result.get()
    }
}

extension Result where Failure == SyncError {
    fileprivate var ending: String {
        switch self {
        case .success: ""
        case .failure(let error): ": \(error.code)"
        }
    }
}
