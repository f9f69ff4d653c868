import RecordModel
import SyncCore

// What the app does with events.

extension World {
    mutating func handleEvent(_ id: EventID, _ event: SyncEvent, on device: Int) {
        devices[device].eventNames.append(event.name)
        if throwsAt(event.name, on: device) {
            return handle(.eventHandled(id, didThrow: true), on: device)
        }
        let parts = parts(for: event, on: device)
        switch event {
        case .stateUpdate(let update):
            store(update, on: device)
            if !devices[device].owed.isEmpty {
                let owed = devices[device].owed
                devices[device].owed = []
                commit(owed, on: device, "owed")
            }
        case .accountChange, .fetchedDatabaseChanges, .fetchedRecordZoneChanges,
            .sentDatabaseChanges, .sentRecordZoneChanges, .willFetchChanges,
            .willFetchRecordZoneChanges, .didFetchRecordZoneChanges, .didFetchChanges,
            .willSendChanges, .didSendChanges, .abandonedChanges:
            if breakage == .stateBeforeData {
                devices[device].owed += parts
            } else if !parts.isEmpty {
                commit(parts, on: device, event.name)
            }
            if case .sentRecordZoneChanges(let sent) = event { nameLost(in: sent, on: device) }
        }
        handle(.eventHandled(id, didThrow: false), on: device)
    }

    /// An app that stores snapshots only finds edits that the engine forgot while an older version
    /// of them was on its way.
    private mutating func nameLost(
        in sent: SyncEvent.SentRecordZoneChanges,
        on device: Int
    ) {
        guard !story.storesEntries else { return }
        let failed = sent.failedRecordDeletes.keys.sorted()
        for id in sent.savedRecords.map(\.recordID) + sent.deletedRecordIDs + failed {
            guard let row = devices[device].disk.rows[id], !row.isUnlisted,
                !row.unsent.isEmpty || row.isDeleted,
                devices[device].core.state.records.status(of: id) == nil
            else { continue }
            name(id, on: device)
        }
    }

    /// A row that is to be sent and not pending: its edits were made after the stored state.
    mutating func name(_ id: Record.ID, on device: Int) {
        devices[device].named.insert(id)
        if !devices[device].disk.lost.contains(id) {
            faults.append("\(id) was lost outside of the window")
        }
    }

    private mutating func throwsAt(_ name: String, on device: Int) -> Bool {
        guard
            let position = devices[device].throwing.firstIndex(where: { name.hasPrefix($0.event) })
        else { return false }
        devices[device].throwing[position].times -= 1
        if devices[device].throwing[position].times == 0 {
            devices[device].throwing.remove(at: position)
        }
        return true
    }

    private func parts(for event: SyncEvent, on device: Int) -> [Part] {
        switch event {
        case .accountChange(let change): accountParts(change, on: device)
        case .fetchedDatabaseChanges(let changes):
            changes.deletions.map { zoneDeletionPart($0, on: device) }
        case .fetchedRecordZoneChanges(let changes): fetchedParts(changes)
        case .sentDatabaseChanges(let sent): zoneParts(sent)
        case .sentRecordZoneChanges(let sent): sentParts(sent, on: device)
        case .willFetchRecordZoneChanges(let fetch): beginningParts(fetch)
        case .didFetchRecordZoneChanges(let fetch): endParts(fetch, on: device)
        case .abandonedChanges(let abandoned): abandonedParts(abandoned)
        case .stateUpdate, .willFetchChanges, .didFetchChanges, .willSendChanges,
            .didSendChanges:
            []
        }
    }

    // MARK: Accounts and zones

    private func accountParts(_ change: SyncEvent.AccountChange, on device: Int) -> [Part] {
        let user: String
        switch change.changeType {
        case .signOut: return []
        case .signIn(let current): user = current.recordName
        case .switchAccounts(_, let current): user = current.recordName
        }
        return [
            Part { disk in
                if let account = disk.account, account != user {
                    disk.removeAllRows("account \(account) left")
                }
                disk.account = user
            }
        ]
    }

    private func zoneDeletionPart(
        _ deletion: Database.DatabaseChange.Deletion,
        on device: Int
    ) -> Part {
        switch deletion.reason {
        case .deleted, .purged:
            return Part { $0.removeRows(in: deletion.zoneID, "its zone is gone") }
        case .encryptedDataReset:
            return zoneRebirthPart(deletion.zoneID, on: device)
        }
    }

    /// What is here may be the last copy: all of it goes into a new zone.
    func zoneRebirthPart(_ zoneID: RecordZone.ID, on device: Int) -> Part {
        let rows = devices[device].disk.sortedRows.filter {
            $0.key.zoneID == zoneID && !$0.value.isDeleted
        }
        return Part(
            changes: rows.map { .saveRecord($0.key) },
            zoneChanges: [.saveZone(RecordZone(zoneID: zoneID))]
        ) { disk in
            for (id, row) in disk.sortedRows where id.zoneID == zoneID {
                if row.isDeleted {
                    disk.removeRow(id, "its zone is gone")
                } else {
                    disk.rows[id]?.detach(keepingBase: true)
                }
            }
        }
    }

    private func zoneParts(_ sent: SyncEvent.SentDatabaseChanges) -> [Part] {
        let saves = sent.failedZoneSaves.filter { !$0.error.isKept }.map { failure in
            Part(zoneChanges: [.saveZone(failure.zone)]) { $0.reported.append(failure.error) }
        }
        let deletions = sent.failedZoneDeletes.sorted { $0.key < $1.key }
            .filter { !$0.value.isKept }
            .map { zoneID, error in
                Part(zoneChanges: [.deleteZone(zoneID)]) { $0.reported.append(error) }
            }
        let deleted = sent.deletedZoneIDs.map { zoneID in
            Part { disk in
                // What has a version lived in the zone's former life.
                for (id, row) in disk.sortedRows where id.zoneID == zoneID && row.fields != nil {
                    disk.removeRow(id, "the app deleted its zone")
                }
            }
        }
        return saves + deletions + deleted
    }

    private func abandonedParts(_ abandoned: SyncEvent.AbandonedChanges) -> [Part] {
        abandoned.recordZoneChanges.map { change in
            Part { $0.removeRow(change.recordID, "\(abandoned.reason)") }
        }
    }

    // MARK: Fetches

    private func beginningParts(_ fetch: SyncEvent.WillFetchRecordZoneChanges) -> [Part] {
        guard case .full(let id, _) = fetch.kind else { return [] }
        return [Part { $0.fullFetches[fetch.zoneID] = id }]
    }

    /// After an expired token, what was not listed is gone from the server.
    private func endParts(
        _ fetch: SyncEvent.DidFetchRecordZoneChanges,
        on device: Int
    ) -> [Part] {
        guard fetch.error == nil, case .full(let full, let reason) = fetch.kind else { return [] }
        let pending = Set(devices[device].core.pendingRecordZoneChanges.map(\.recordID))
        let end = Part { $0.fullFetches[fetch.zoneID] = nil }
        guard reason == .tokenExpired else { return [end] }
        let unlisted = devices[device].disk.sortedRows.filter { id, row in
            id.zoneID == fetch.zoneID && row.stamp != full && row.fields != nil
        }
        return unlisted.map { id, row in
            if row.unsent.isEmpty, !pending.contains(id) {
                return Part { $0.removeRow(id, "it was not listed after an expired token") }
            }
            // The server has no version of it: what is pending makes a new record.
            return Part { $0.rows[id]?.detach(keepingBase: true) }
        } + [end]
    }

    private func fetchedParts(_ changes: SyncEvent.FetchedRecordZoneChanges) -> [Part] {
        var stamp: UInt64?
        if case .full(let id, _) = changes.kind { stamp = id }
        let saves = changes.modifications.map { modification in
            Part { $0.fetched(modification.record, stamp: stamp) }
        }
        return saves
            + changes.deletions.map { deletion in Part { $0.fetchedDeletion(deletion.recordID) } }
    }
}

extension Disk {
    /// Somebody saved a record; what is here and not there stays to be sent.
    fileprivate mutating func fetched(_ record: Record, stamp: UInt64?) {
        var row = rows[record.recordID] ?? Row()
        row.rebase(on: record)
        // Whoever deletes has seen this version now.
        if row.isDeleted { drop(row.tags, "deleted by the app") }
        if let stamp { row.stamp = stamp }
        rows[record.recordID] = row
    }

    fileprivate mutating func fetchedDeletion(_ id: Record.ID) {
        guard let row = rows[id] else { return }
        if row.unsent.isEmpty || row.isDeleted {
            removeRow(id, "deleted by somebody")
        } else {
            drop(row.base, "deleted by somebody")
            rows[id]?.detach(keepingBase: false)
        }
    }
}

extension SyncEvent {
    var name: String { String(description.prefix { $0 != "(" }) }
}
