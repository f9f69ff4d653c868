package import RecordModel

/// What the shell must do now, in this order.
package enum EngineEffect: Sendable {
    /// Ask the server who is signed in.
    case askAccount(RequestID)
    /// Ask the server, as the account, which zones changed.
    case fetchDatabaseChanges(RequestID, DatabaseChangesRequest, account: String)
    /// Ask the server, as the account, which records of a zone changed.
    case fetchZoneChanges(RequestID, ZoneChangesRequest, account: String)
    /// Send changes of zones as the account.
    case modifyZones(RequestID, ModifyZonesRequest, account: String)
    /// Send a batch as the account.
    case modifyRecords(RequestID, ModifyRecordsRequest, account: String)
    /// Ask the server, as the account, what became of a send.
    case askOutcome(RequestID, SendOutcomeRequest, account: String)
    /// Do something about files.
    case asset(AssetEffect)
    /// Nobody waits for the answer any more.
    case cancelRequest(RequestID)
    /// Give the delegate an event.
    case deliver(EventID, SyncEvent)
    /// Ask the delegate for a batch.
    case requestBatch(QuestionID, SendChangesContext)
    /// Ask the delegate which zones come first.
    case requestFetchOptions(QuestionID, FetchChangesContext)
    /// Let a call return or throw.
    case endCall(CallID, CallOutcome)
}

/// How a call ends.
package indirect enum CallOutcome: Hashable, Sendable {
    /// It returns.
    case returned
    /// It throws this error.
    case failed(SyncError)
    /// It throws the error that the delegate threw while it handled this event.
    case delegateThrew(EventID)
    /// It throws the error that the delegate threw instead of answering this question.
    case delegateThrewAnswering(QuestionID)
    /// It was a flush: it returns what is left, and how its send ended.
    case flushed(FlushReport, ending: CallOutcome)
}

extension EngineEffect: CustomStringConvertible {
    /// The effect and what it is about, for transcripts in tests and logs.
    package var description: String {
        switch self {
        case .askAccount(let id): "askAccount #\(id.number)"
        case .fetchDatabaseChanges(let id, let request, _):
            "fetchDatabaseChanges #\(id.number) since \(words(request.since))"
        case .fetchZoneChanges(let id, let request, _):
            "fetchZoneChanges #\(id.number) \(request.zoneID) since \(words(request.since))"
        case .modifyZones(let id, let request, _):
            "modifyZones #\(id.number) save \(request.zonesToSave) "
                + "delete \(request.zoneIDsToDelete)"
        case .modifyRecords(let id, let request, _):
            "modifyRecords #\(id.number) save \(request.recordsToSave.map(\.recordID)) "
                + "delete \(request.recordsToDelete.map(\.recordID))"
        case .askOutcome(let id, let request, _):
            "askOutcome #\(id.number) of \(request.idempotencyKey.number)"
        case .asset(let effect): effect.description
        case .cancelRequest(let id): "cancelRequest #\(id.number)"
        case .deliver(let id, let event): "deliver #\(id.number) \(event)"
        case .requestBatch(let id, let context): "requestBatch #\(id.number) \(context)"
        case .requestFetchOptions(let id, let context):
            "requestFetchOptions #\(id.number) \(context)"
        case .endCall(let id, let outcome): "endCall #\(id.number) \(outcome)"
        }
    }

    private func words(_ token: ServerChangeToken?) -> String {
        token.map { String(decoding: $0.bytes, as: UTF8.self) } ?? "the beginning"
    }
}
