internal import RecordModel
internal import SyncCore

/// What the demonstration's app keeps on a device; it outlives a launch.
struct DemoStore: Sendable {
    /// A record of the app's.
    struct Row: Sendable {
        /// The server's version with its system fields, and the edits that were not sent over it.
        var record: Record
        /// Counts the edits, so that one made during a send is told from the one that was sent.
        var version = 0

        var localVersion: String { "\(version)" }

        /// True if the server has not confirmed everything.
        var isUnsent: Bool { record.recordChangeTag == nil || !record.changedKeys().isEmpty }
    }

    var rows: [Record.ID: Row] = [:]
    /// Records that were deleted here, until the server confirms it.
    var deletedIDs: Set<Record.ID> = []
    /// The engine's state, stored with the rows it belongs to.
    var state: StateSerialization?
    var diary = DemoDiary()

    /// The records in the order of their names.
    var sortedRecords: [Record] {
        rows.values.map(\.record).sorted { $0.recordID < $1.recordID }
    }
}

// What the engine tells.

extension DemoStore {
    /// Takes what other devices did.
    ///
    /// An unsent edit stays: it meets the server's version as a conflict when it is sent. A
    /// deletion wins over everything.
    mutating func take(_ changes: SyncEvent.FetchedRecordZoneChanges) {
        diary.fetchedRecordCount += changes.modifications.count
        diary.fetchedDeletionCount += changes.deletions.count
        for modification in changes.modifications {
            let id = modification.record.recordID
            guard !deletedIDs.contains(id), rows[id]?.isUnsent != true else { continue }
            rows[id] = Row(record: modification.record)
        }
        for deletion in changes.deletions { rows[deletion.recordID] = nil }
    }

    /// Takes what became of a batch, and gives the records that must be sent again.
    mutating func take(
        _ sent: SyncEvent.SentRecordZoneChanges,
        on device: String,
        _ fields: DemoFields
    ) -> [Record.ID] {
        diary.sentRecordCount += sent.savedRecords.count
        diary.sentDeletionCount += sent.deletedRecordIDs.count
        for saved in sent.savedRecords { confirm(saved, sent.localVersions[saved.recordID]) }
        for id in sent.deletedRecordIDs { deletedIDs.remove(id) }
        for (id, error) in sent.failedRecordDeletes.sorted(by: { $0.key < $1.key })
        where !error.isKept {
            deletedIDs.remove(id)
            diary.refusals.append(DemoRefusal(recordID: id, error: error))
        }
        return sent.failedRecordSaves.compactMap { failure in
            fail(failure.record.recordID, failure.error, on: device, fields)
        }
    }

    private mutating func confirm(_ saved: Record, _ localVersion: String?) {
        guard let row = rows[saved.recordID] else { return }
        let isEditedMeanwhile = row.localVersion != localVersion
        rows[saved.recordID]?.record =
            isEditedMeanwhile ? saved.merging(changesOf: row.record) : saved
    }

    /// Does what a failed save asks for, and gives the record if it must be sent again.
    private mutating func fail(
        _ id: Record.ID,
        _ error: SyncError,
        on device: String,
        _ fields: DemoFields
    ) -> Record.ID? {
        guard let row = rows[id] else { return nil }
        if error.code == .serverRecordChanged, let server = error.serverRecord {
            let ancestor = error.ancestorRecord
            return merge(row, over: server, ancestor: ancestor, on: device, fields)
        }
        if error.code == .unknownItem {
            // It was deleted on another device: a deletion wins.
            rows[id] = nil
            return nil
        }
        // A single record over the limit cannot be halved, so the engine hands it back.
        if error.isKept, error.code != .limitExceeded { return nil }
        diary.refusals.append(DemoRefusal(recordID: id, error: error))
        if row.record.recordChangeTag == nil { rows[id] = nil }
        return nil
    }

    private mutating func merge(
        _ row: Row,
        over server: Record,
        ancestor: Record?,
        on device: String,
        _ fields: DemoFields
    ) -> Record.ID? {
        let merged = fields.merge(row.record, over: server, ancestor: ancestor)
        let otherDevice: String = server[fields.editor] ?? "another device"
        diary.conflicts.append(
            DemoConflict(
                recordID: server.recordID,
                device: device,
                otherDevice: otherDevice,
                winner: merged.isMineLater ? device : otherDevice
            )
        )
        let mergedRow = Row(record: merged.record, version: row.version + 1)
        rows[server.recordID] = mergedRow
        return mergedRow.isUnsent ? server.recordID : nil
    }
}
