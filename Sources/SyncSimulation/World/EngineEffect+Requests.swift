package import RecordModel
package import SyncCore

extension EngineEffect {
    /// The request that the effect makes of the server; nil if it makes none.
    package var requestID: RequestID? {
        switch self {
        case .askAccount(let id), .fetchDatabaseChanges(let id, _, _),
            .fetchZoneChanges(let id, _, _), .modifyZones(let id, _, _),
            .modifyRecords(let id, _, _), .askOutcome(let id, _, _):
            id
        case .asset, .cancelRequest, .deliver, .requestBatch, .requestFetchOptions, .endCall:
            nil
        }
    }

    /// True for a request that changes something on the server.
    package var isModifying: Bool {
        switch self {
        case .modifyZones, .modifyRecords: true
        case .askAccount, .fetchDatabaseChanges, .fetchZoneChanges, .askOutcome, .asset,
            .cancelRequest,
            .deliver, .requestBatch, .requestFetchOptions, .endCall:
            false
        }
    }

    /// The account that a request is made for; nil for the question who is signed in.
    package var account: String? {
        switch self {
        case .fetchDatabaseChanges(_, _, let account), .fetchZoneChanges(_, _, let account),
            .modifyZones(_, _, let account), .modifyRecords(_, _, let account),
            .askOutcome(_, _, let account):
            account
        case .askAccount, .asset, .cancelRequest, .deliver, .requestBatch, .requestFetchOptions,
            .endCall:
            nil
        }
    }

    /// What the engine is told if the request fails; nil for what is no request.
    package func answer(failing error: SyncError) -> EngineInput? {
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

extension EngineInput {
    /// The error that an answer brings for its whole request; nil for everything else.
    var requestError: SyncError? {
        switch self {
        case .accountStatusReceived(_, .failure(let error)),
            .databaseChangesFetched(_, .failure(let error)),
            .zoneChangesFetched(_, .failure(let error)), .zonesModified(_, .failure(let error)),
            .recordsModified(_, .failure(let error)), .outcomeReceived(_, .failure(let error)):
            error
        case _: nil  // Everything that brings no error.
        }
    }
}

extension SyncEvent {
    /// The event's name, without what it tells.
    package var name: String {
        switch self {
        case .stateUpdate: "stateUpdate"
        case .accountChange: "accountChange"
        case .fetchedDatabaseChanges: "fetchedDatabaseChanges"
        case .fetchedRecordZoneChanges: "fetchedRecordZoneChanges"
        case .sentDatabaseChanges: "sentDatabaseChanges"
        case .sentRecordZoneChanges: "sentRecordZoneChanges"
        case .willFetchChanges: "willFetchChanges"
        case .willFetchRecordZoneChanges: "willFetchRecordZoneChanges"
        case .didFetchRecordZoneChanges: "didFetchRecordZoneChanges"
        case .didFetchChanges: "didFetchChanges"
        case .willSendChanges: "willSendChanges"
        case .didSendChanges: "didSendChanges"
        case .abandonedChanges: "abandonedChanges"
        }
    }
}
