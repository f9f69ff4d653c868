import RecordModel
import SyncCore

// What others changed: a page is what the log holds behind a token, each item once.

extension ScriptedServer {
    mutating func databaseChanges(_ request: DatabaseChangesRequest) -> DatabaseChangesReply {
        var modified = OrderedTable<RecordZone.ID, Bool>()
        var deleted = OrderedTable<RecordZone.ID, Database.DatabaseChange.Deletion.Reason>()
        for entry in log.dropFirst(request.since.map(position) ?? 0) {
            switch entry {
            case .saved(let record, _): modified[record.recordID.zoneID] = true
            case .deleted(let id, _, _): modified[id.zoneID] = true
            case .zoneSaved(let id):
                modified[id] = true
                deleted[id] = nil
            case .zoneDeleted(let id, let reason):
                modified[id] = nil
                deleted[id] = reason
            }
        }
        return DatabaseChangesReply(
            modifications: modified.keys.map { .init(zoneID: $0) },
            deletions: deleted.pairs.map { .init(zoneID: $0.key, reason: $0.value) },
            changeToken: token(log.count),
            moreComing: false
        )
    }

    mutating func zoneChanges(
        _ request: ZoneChangesRequest
    ) -> Result<ZoneChangesReply, SyncError> {
        guard zones.contains(request.zoneID) else { return .failure(SyncError(.zoneNotFound)) }
        if let error = zoneErrors[request.zoneID] { return .failure(error) }
        let start = request.since.map(position) ?? 0
        var changes = OrderedTable<Record.ID, Entry>()
        var end = start
        for entry in log.dropFirst(start) {
            guard changes.count < pageCountMax else { break }
            end += 1
            switch entry {
            case .saved(let record, _) where record.recordID.zoneID == request.zoneID:
                changes[record.recordID] = nil
                changes[record.recordID] = entry
            case .deleted(let id, _, _) where id.zoneID == request.zoneID:
                changes[id] = nil
                changes[id] = entry
            case .saved, .deleted, .zoneSaved, .zoneDeleted: continue
            }
        }
        var reply = ZoneChangesReply(
            modifications: [],
            deletions: [],
            changeToken: token(end),
            moreComing: end < log.count
        )
        for entry in changes.values {
            switch entry {
            case .saved(let record, let origin):
                reply.modifications.append(.init(record: record, origin: origin))
            case .deleted(let id, let type, let origin):
                guard request.since != nil || request.includesDeletions else { continue }
                reply.deletions.append(.init(recordID: id, recordType: type, origin: origin))
            case .zoneSaved, .zoneDeleted: continue
            }
        }
        return .success(reply)
    }

    private func token(_ position: Int) -> ServerChangeToken {
        ServerChangeToken(bytes: Array("\(position)".utf8))
    }

    private func position(_ token: ServerChangeToken) -> Int {
        Int(String(decoding: token.bytes, as: UTF8.self)) ?? 0
    }
}
