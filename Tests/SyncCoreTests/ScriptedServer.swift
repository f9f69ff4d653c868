import RecordModel
import SyncCore

/// A small server: it keeps records under change tags, zones, a feed, and the answers to keys.
struct ScriptedServer {
    var account = Result<AccountStatus, SyncError>.success(.available(userRecordName: "ann"))
    var records: [Record.ID: Record] = [:]
    /// Zones that exist.
    var zones: Set<RecordZone.ID> = [notes, tasks, .default]
    /// The most changes that a request may hold.
    var batchCountMax = Int.max
    /// False if it keeps no keys.
    var keepsKeys = true

    /// The files of the app: one that is not here cannot be staged.
    var files: [String: [UInt8]] = [:]
    /// The contents that it has.
    var contents: Set<[UInt8]> = []
    /// Errors of files by their checksum, as long as they stand here.
    var fileErrors: [[UInt8]: SyncError] = [:]
    /// Errors of the next questions which files are missing.
    var missingErrors: [SyncError] = []

    /// Errors of the next requests that write, as a whole; nothing is written.
    var requestErrors: [SyncError] = []
    /// Errors of these records, as long as they stand here.
    var recordErrors: [Record.ID: SyncError] = [:]
    var zoneErrors: [RecordZone.ID: SyncError] = [:]
    /// How many of the next batches are written although their answer is lost.
    var lostAnswerCount = 0
    /// Errors of the next questions for outcomes.
    var outcomeErrors: [SyncError] = []
    /// How many changes a page of a zone holds.
    var pageCountMax = Int.max

    private(set) var replies: [IdempotencyKey: ModifyRecordsReply] = [:]
    private(set) var zoneReplies: [IdempotencyKey: ModifyZonesReply] = [:]
    private(set) var closedKeys: Set<IdempotencyKey> = []
    /// Every batch that arrived.
    private(set) var batches: [ModifyRecordsRequest] = []
    private(set) var log: [Entry] = []
    private var nextTag = 1

    /// A change that others can fetch; the position in the log is its token.
    enum Entry {
        case saved(Record, IdempotencyKey?)
        case deleted(Record.ID, Record.RecordType, IdempotencyKey?)
        case zoneSaved(RecordZone.ID)
        case zoneDeleted(RecordZone.ID, Database.DatabaseChange.Deletion.Reason)
    }

    /// The server's answer to a request.
    mutating func answer(_ effect: EngineEffect) -> EngineInput {
        switch effect {
        case .askAccount(let id): .accountStatusReceived(id, account)
        case .modifyZones(let id, let request, _): .zonesModified(id, modifyZones(request))
        case .modifyRecords(let id, let request, _):
            .recordsModified(id, modifyRecords(request))
        case .askOutcome(let id, let request, _): .outcomeReceived(id, outcome(of: request))
        case .fetchDatabaseChanges(let id, let request, _):
            .databaseChangesFetched(id, .success(databaseChanges(request)))
        case .fetchZoneChanges(let id, let request, _):
            .zoneChangesFetched(id, zoneChanges(request))
        case .asset(let effect): answer(effect)
        case .cancelRequest, .deliver, .requestBatch, .requestFetchOptions, .endCall:
            .woke
        }
    }

    mutating func modifyRecords(
        _ request: ModifyRecordsRequest
    ) -> Result<ModifyRecordsReply, SyncError> {
        batches.append(request)
        if !requestErrors.isEmpty { return .failure(requestErrors.removeFirst()) }
        if let key = request.idempotencyKey {
            if let reply = replies[key] { return .success(reply) }
            if closedKeys.contains(key) { return .failure(SyncError(.invalidArguments)) }
        }
        guard request.recordsToSave.count + request.recordsToDelete.count <= batchCountMax else {
            return .failure(SyncError(.limitExceeded))
        }
        let before = (records, log, nextTag)
        var reply = ModifyRecordsReply(
            saveResults: request.recordsToSave.map { save($0, request.idempotencyKey) },
            deleteErrors: request.recordsToDelete.map { delete($0, request.idempotencyKey) }
        )
        if request.isAtomicByZone, reply.failAtomically(request) {
            // Enough for tests: an atomic request that fails in one zone writes in none.
            (records, log, nextTag) = before
        }
        if keepsKeys, let key = request.idempotencyKey { replies[key] = reply }
        guard lostAnswerCount == 0 else {
            lostAnswerCount -= 1
            return .failure(SyncError(.serverResponseLost))
        }
        return .success(reply)
    }

    private mutating func save(
        _ record: Record,
        _ key: IdempotencyKey?
    ) -> Result<Record, SyncError> {
        let id = record.recordID
        if let error = recordErrors[id] { return .failure(error) }
        guard zones.contains(id.zoneID) else { return .failure(SyncError(.zoneNotFound)) }
        let present = records[id]
        guard present?.recordChangeTag == record.recordChangeTag else {
            guard let present else { return .failure(SyncError(.unknownItem)) }
            return .failure(.serverRecordChanged(client: nil, server: present, ancestor: nil))
        }
        if let parent = record.parent?.recordID, records[parent] == nil {
            return .failure(SyncError(.referenceViolation))
        }
        let stored = put((present ?? record).merging(changesOf: record))
        log.append(.saved(stored, key))
        return .success(stored)
    }

    /// Stores a version as another device would.
    @discardableResult
    mutating func put(_ record: Record) -> Record {
        let stamp = Record.Stamp(
            timestamp: Timestamp(millisecondsSince1970: Int64(nextTag)),
            userRecordName: "ann"
        )
        let stored = record.stored(
            changeTag: "\(nextTag)",
            creation: stamp,
            modification: stamp
        )
        nextTag += 1
        records[record.recordID] = stored
        return stored
    }

    /// Stores a version as another device would, and lets it be fetched.
    mutating func saveElsewhere(_ record: Record) { log.append(.saved(put(record), nil)) }

    mutating func deleteElsewhere(_ id: Record.ID) {
        guard let record = records.removeValue(forKey: id) else { return }
        log.append(.deleted(id, record.recordType, nil))
    }

    mutating func deleteZoneElsewhere(
        _ id: RecordZone.ID,
        _ reason: Database.DatabaseChange.Deletion.Reason = .deleted
    ) {
        zones.remove(id)
        records = records.filter { $0.key.zoneID != id }
        log.append(.zoneDeleted(id, reason))
    }

    private mutating func delete(_ deletion: RecordDeletion, _ key: IdempotencyKey?) -> SyncError? {
        let id = deletion.recordID
        if let error = recordErrors[id] { return error }
        guard zones.contains(id.zoneID) else { return SyncError(.zoneNotFound) }
        if let tag = deletion.expectedChangeTag, records[id]?.recordChangeTag != tag {
            return .serverRecordChanged(client: nil, server: records[id], ancestor: nil)
        }
        guard let record = records.removeValue(forKey: id) else {
            return SyncError(.unknownItem)
        }
        log.append(.deleted(id, record.recordType, key))
        return nil
    }

    private mutating func modifyZones(
        _ request: ModifyZonesRequest
    ) -> Result<ModifyZonesReply, SyncError> {
        if !requestErrors.isEmpty { return .failure(requestErrors.removeFirst()) }
        if let key = request.idempotencyKey {
            if let reply = zoneReplies[key] { return .success(reply) }
            if closedKeys.contains(key) { return .failure(SyncError(.serverRejectedRequest)) }
        }
        var reply = ModifyZonesReply(saveResults: [], deleteErrors: [])
        for zone in request.zonesToSave {
            if let error = zoneErrors[zone.zoneID] {
                reply.saveResults.append(.failure(error))
                continue
            }
            zones.insert(zone.zoneID)
            log.append(.zoneSaved(zone.zoneID))
            reply.saveResults.append(.success(zone))
        }
        for zoneID in request.zoneIDsToDelete {
            reply.deleteErrors.append(zoneErrors[zoneID])
            if zoneErrors[zoneID] == nil { deleteZoneElsewhere(zoneID) }
        }
        if keepsKeys, let key = request.idempotencyKey { zoneReplies[key] = reply }
        return .success(reply)
    }

    private mutating func outcome(
        of request: SendOutcomeRequest
    ) -> Result<SendOutcome, SyncError> {
        if !outcomeErrors.isEmpty { return .failure(outcomeErrors.removeFirst()) }
        guard keepsKeys else { return .success(.unsupported) }
        if let reply = replies[request.idempotencyKey] { return .success(.known(reply)) }
        if zoneReplies[request.idempotencyKey] != nil {
            return .failure(SyncError(.invalidArguments))
        }
        closedKeys.insert(request.idempotencyKey)
        return .success(.closed)
    }
}

extension ModifyRecordsReply {
    /// Makes one failure the failure of all; false if there was none.
    fileprivate mutating func failAtomically(_ request: ModifyRecordsRequest) -> Bool {
        let didFail =
            deleteErrors.contains { $0 != nil }
            || saveResults.contains { if case .failure = $0 { true } else { false } }
        guard didFail else { return false }
        for position in saveResults.indices {
            if case .success = saveResults[position] {
                saveResults[position] = .failure(SyncError(.batchRequestFailed))
            }
        }
        for position in deleteErrors.indices where deleteErrors[position] == nil {
            deleteErrors[position] = SyncError(.batchRequestFailed)
        }
        return true
    }
}
