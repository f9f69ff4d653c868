import CoreTestSupport
import RecordModel
import SyncCore

// What the app does with what became of a batch, and how it makes one.

extension World {
    func sentParts(_ sent: SyncEvent.SentRecordZoneChanges, on device: Int) -> [Part] {
        let saved = sent.savedRecords.map { record in Part { $0.saved(record) } }
        let deleted = sent.deletedRecordIDs.map { id in Part { $0.deletionConfirmed(id) } }
        let failedSaves = sent.failedRecordSaves.filter { !$0.error.isKept }
            .compactMap { failure in
                failedSavePart(failure.record.recordID, failure.error, on: device)
            }
        let failedDeletions = sent.failedRecordDeletes.sorted { $0.key < $1.key }
            .filter { !$0.value.isKept }
            .map { id, error in failedDeletionPart(id, error, on: device) }
        return saved + failedSaves + deleted + failedDeletions
    }

    private func failedSavePart(
        _ id: Record.ID,
        _ error: SyncError,
        on device: Int
    ) -> Part? {
        guard let row = devices[device].disk.rows[id], !row.isDeleted else { return nil }
        switch error.code {
        case .serverRecordChanged:
            guard let server = error.serverRecord else { break }
            var merged = row
            merged.rebase(on: server)
            let isNew = !merged.unsent.isEmpty
            return Part(changes: isNew ? [.saveRecord(id)] : []) { $0.rows[id]?.rebase(on: server) }
        case .unknownItem:
            return Part(changes: [.saveRecord(id)]) { $0.rows[id]?.detach(keepingBase: true) }
        case .zoneNotFound:
            return zoneRebirthPart(id.zoneID, on: device)
        case .userDeletedZone:
            return Part { disk in
                disk.believed.insert(id)
                disk.reported.append(error)
                disk.removeRow(id, "the user removed its zone")
            }
        case .referenceViolation where row.parent != nil:
            return Part(changes: [.saveRecord(id)]) { $0.rows[id]?.parent = nil }
        case .limitExceeded:
            return Part { $0.giveUp(id, error) }
        case _:
            break
        }
        // The user sees the failure and asks again, twice.
        guard devices[device].disk.reported.count < 6 else { return Part { $0.giveUp(id, error) } }
        return Part(changes: [.saveRecord(id)]) { $0.reported.append(error) }
    }

    private func failedDeletionPart(
        _ id: Record.ID,
        _ error: SyncError,
        on device: Int
    ) -> Part {
        switch error.code {
        case .serverRecordChanged where error.serverRecord != nil:
            // Somebody edited what was to be deleted: the edit wins.
            return Part { disk in
                guard let server = error.serverRecord, disk.rows[id]?.isDeleted == true else {
                    return
                }
                disk.rows[id]?.unsent = []
                disk.rows[id]?.rebase(on: server)
                disk.rows[id]?.isDeleted = false
            }
        case .unknownItem, .zoneNotFound, .userDeletedZone:
            return Part { disk in
                disk.believed.insert(id)
                disk.reported.append(error)
                disk.deletionConfirmed(id)
            }
        case _:
            // What was made again meanwhile is not deleted again.
            let isWanted = devices[device].disk.rows[id]?.isDeleted == true
            let isGivenUp = devices[device].disk.reported.count >= 6
            return Part(changes: isWanted && !isGivenUp ? [.deleteRecord(id)] : []) {
                $0.reported.append(error)
            }
        }
    }

    mutating func provideBatch(_ id: QuestionID, _ context: SendChangesContext, on device: Int) {
        if let position = devices[device].throwing.firstIndex(where: { $0.event == "batch" }) {
            devices[device].throwing.remove(at: position)
            return handle(.batchFailed(id), on: device)
        }
        let walk = Walk(devices[device].core, now: now(on: device))
        var builder = BatchBuilder(source: walk, scope: context.options.scope)
        while case let question = builder.nextQuestion(), !question.isEmpty {
            builder.take(inOrder: question.map { answer($0, on: device) })
        }
        devices[device].core = walk.core
        for effect in walk.effects { take(effect, on: device) }
        var batch = builder.finish() ?? unlistedBatch(context, on: device)
        batch?.atomicByZone = story.isAtomic
        for id in batch?.recordIDsToDelete ?? [] {
            // A row that is gone has no version: a deletion must not hit what somebody made anew.
            batch?.expectedChangeTags[id] =
                devices[device].disk.rows[id]?.fields?.recordChangeTag ?? "none"
        }
        handle(.batchProvided(id, batch), on: device)
    }

    private mutating func answer(_ id: Record.ID, on device: Int) -> RecordProviderAnswer {
        if id == devices[device].postponed { return .later }
        if !story.storesEntries, devices[device].disk.rows[id]?.isDeleted == true {
            // A save is pending of what was deleted: the deletion was lost.
            name(id, on: device)
        }
        guard let row = devices[device].disk.rows[id], !row.isDeleted,
            row.fields == nil || !row.unsent.isEmpty
        else { return .gone }
        return .record(row.record(id))
    }

    /// What the app changed and did not list.
    private func unlistedBatch(
        _ context: SendChangesContext,
        on device: Int
    ) -> RecordZoneChangeBatch? {
        guard devices[device].core.state.hasPendingUntrackedChanges else { return nil }
        let rows = devices[device].disk.sortedRows.filter { id, row in
            row.isUnlisted && !row.unsent.isEmpty && context.options.scope.contains(id)
                && devices[device].core.state.records.status(of: id) == nil
        }
        return rows.isEmpty
            ? nil : RecordZoneChangeBatch(recordsToSave: rows.map { $0.value.record($0.key) })
    }
}

extension Disk {
    fileprivate mutating func saved(_ record: Record) {
        // An edit that was taken back too late is there all the same.
        var row = rows[record.recordID] ?? Row()
        row.rebase(on: record)
        rows[record.recordID] = row
        // The listing under way may have passed it by already.
        if let full = fullFetches[record.recordID.zoneID] { rows[record.recordID]?.stamp = full }
    }

    fileprivate mutating func deletionConfirmed(_ id: Record.ID) {
        guard let row = rows[id] else { return }
        if row.isDeleted {
            removeRow(id, "deleted by the app")
        } else {
            // Made again meanwhile.
            rows[id]?.detach(keepingBase: true)
        }
    }

    /// The edits that the server does not take go; the row is the server's again.
    fileprivate mutating func giveUp(_ id: Record.ID, _ error: SyncError) {
        guard let row = rows[id] else { return }
        drop(row.unsent, "\(error.code)")
        reported.append(error)
        if row.fields == nil {
            removeRow(id, "\(error.code)")
        } else {
            rows[id]?.unsent = []
        }
    }
}
