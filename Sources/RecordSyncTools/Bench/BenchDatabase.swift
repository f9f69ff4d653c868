import RecordSync
import Synchronization

/// A server that takes everything at once: what is left is the engine's own cost.
final class BenchDatabase: SyncDatabase {
    let name = "bench/private"
    let scope = Database.Scope.private
    /// When each answer to a batch left, in the thread's CPU time.
    let answers = Mutex<[Duration]>([])

    func accountStatus() async throws(SyncError) -> AccountStatus {
        .available(userRecordName: "bench")
    }

    func modifyRecords(
        _ request: ModifyRecordsRequest,
        account: String
    ) async throws(SyncError) -> ModifyRecordsReply {
        let stamp = Record.Stamp(
            timestamp: Timestamp(millisecondsSince1970: 0),
            userRecordName: account
        )
        let reply = ModifyRecordsReply(
            saveResults: request.recordsToSave.map {
                .success($0.stored(changeTag: "1", creation: stamp, modification: stamp))
            },
            deleteErrors: request.recordsToDelete.map { _ in nil }
        )
        answers.withLock { $0.append(BenchThread.cpuTime()) }
        return reply
    }

    func modifyZones(
        _ request: ModifyZonesRequest,
        account: String
    ) async throws(SyncError) -> ModifyZonesReply {
        ModifyZonesReply(
            saveResults: request.zonesToSave.map { .success($0) },
            deleteErrors: request.zoneIDsToDelete.map { _ in nil }
        )
    }

    func databaseChanges(
        _ request: DatabaseChangesRequest,
        account: String
    ) async throws(SyncError) -> DatabaseChangesReply {
        throw SyncError(.invalidArguments, "this server only takes changes")
    }

    func zoneChanges(
        _ request: ZoneChangesRequest,
        account: String
    ) async throws(SyncError) -> ZoneChangesReply {
        throw SyncError(.invalidArguments, "this server only takes changes")
    }

    func lookUpRecords(
        _ request: LookUpRecordsRequest,
        account: String
    ) async throws(SyncError) -> LookUpRecordsReply {
        throw SyncError(.invalidArguments, "this server only takes changes")
    }

    func outcome(
        of request: SendOutcomeRequest,
        account: String
    ) async throws(SyncError) -> SendOutcome {
        .unsupported
    }

    func notifications() -> AsyncStream<DatabaseNotification> { AsyncStream { $0.finish() } }
}
