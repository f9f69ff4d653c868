import RecordModel
import SyncCore

// What the app does with events.

extension World {
    mutating func handleEvent(_ id: EventID, _ event: SyncEvent, on device: Int) {
        checkers.order.note(event, on: device).map { report(.correctness, "event order", $0) }
        if devices[device].throwCount > 0, !isHealed {
            devices[device].throwCount -= 1
            noteFault(.handlerThrows)
            return endHandling(id, event, didThrow: true, on: device)
        }
        if case .stateUpdate(let update) = event {
            return handleState(id, update, on: device)
        }
        checkCauses(of: event, on: device)
        let parts = parts(for: event, on: device)
        if dies(at: event, parts, on: device) { return }
        if devices[device].isStoreFailing, !parts.isEmpty {
            noteFault(.storeFails)
            return endHandling(id, event, didThrow: true, on: device)
        }
        if parts.contains(where: { !$0.changes.isEmpty || !$0.zoneChanges.isEmpty }) {
            noteFault(.handlerCallsEngine)
        }
        commit(parts, on: device)
        if case .sentRecordZoneChanges(let sent) = event { listForgotten(in: sent, on: device) }
        endHandling(id, event, didThrow: false, on: device)
    }

    private mutating func endHandling(
        _ id: EventID,
        _ event: SyncEvent,
        didThrow: Bool,
        on device: Int
    ) {
        checkers.order.end(event, didThrow: didThrow, on: device)
        handle(.eventHandled(id, didThrow: didThrow), on: device)
    }

    private mutating func handleState(
        _ id: EventID,
        _ update: SyncEvent.StateUpdate,
        on device: Int
    ) {
        switch devices[device].crashPoint {
        case .beforeStateStored: return crash(device, .crashBeforeStateStored)
        case .tornWrite:
            let entries = Array(update.entries)
            guard let cut = entries.last else { break }
            for entry in entries.dropLast() { devices[device].disk.append(entry) }
            if devices[device].character.storesEntries {
                let bytes = cut.bytes
                devices[device].disk.tornTail = Array(bytes.prefix(bytes.count / 2))
            }
            return crash(device, .tornWrite)
        case .betweenPages, .whileAcknowledging, .inFullFetch, nil: break
        }
        checkState(update.stateSerialization, on: device)
        let isStored = store(update, on: device)
        endHandling(id, .stateUpdate(update), didThrow: !isStored, on: device)
    }

    /// True if the process dies while the app handles this.
    private mutating func dies(at event: SyncEvent, _ parts: [Part], on device: Int) -> Bool {
        switch (devices[device].crashPoint, event) {
        case (.whileAcknowledging, .sentRecordZoneChanges) where parts.count > 1:
            commitHalf(parts, on: device)
            crash(device, .crashWhileAcknowledging)
            return true
        case (.betweenPages, .fetchedRecordZoneChanges):
            commit(parts, on: device)
            crash(device, .crashBetweenPages)
            return true
        case (.inFullFetch, .fetchedRecordZoneChanges(let page)) where page.kind != .incremental:
            commitHalf(parts, on: device)
            crash(device, .crashInFullFetch)
            return true
        case _: return false  // Everything else lives on.
        }
    }

    /// An app that stores snapshots only finds edits that the engine forgot while an older version
    /// of them was on its way.
    private mutating func listForgotten(
        in sent: SyncEvent.SentRecordZoneChanges,
        on device: Int
    ) {
        guard !devices[device].character.storesEntries else { return }
        let ids =
            sent.savedRecords.map(\.recordID) + sent.deletedRecordIDs
            + sent.failedRecordDeletes.keys.sorted()
        for id in ids {
            guard let row = devices[device].disk.rows[id], !row.isUnlisted, row.isToBeSent,
                devices[device].core.state.records.status(of: id) == nil
            else { continue }
            commit(
                [Part(changes: [row.isDeleted ? .deleteRecord(id) : .saveRecord(id)])],
                on: device
            )
        }
    }

    private mutating func parts(for event: SyncEvent, on device: Int) -> [Part] {
        switch event {
        case .accountChange(let change): accountParts(change, on: device)
        case .fetchedDatabaseChanges(let changes):
            changes.deletions.map { zoneDeletionPart($0, on: device) }
        case .fetchedRecordZoneChanges(let changes): fetchedParts(changes, on: device)
        case .sentDatabaseChanges(let sent): zoneParts(sent)
        case .sentRecordZoneChanges(let sent): sentParts(sent, on: device)
        case .willFetchRecordZoneChanges(let fetch): beginningParts(fetch)
        case .didFetchRecordZoneChanges(let fetch): endParts(fetch, on: device)
        case .abandonedChanges(let abandoned): abandonedParts(abandoned, on: device)
        case .stateUpdate, .willFetchChanges, .didFetchChanges, .willSendChanges,
            .didSendChanges:
            []
        }
    }

    // MARK: Accounts and zones

    private func accountParts(_ change: SyncEvent.AccountChange, on device: Int) -> [Part] {
        guard let user = change.currentUser?.recordName else { return [] }
        return [
            Part { disk in
                if let account = disk.account, account != user {
                    disk.removeAllRows("account \(account) left")
                    disk.fullFetches = OrderedTable()
                }
                disk.account = user
                // The engine begins anew, so nobody tells what went while nobody was signed in.
                for (id, row) in disk.rows.pairs where row.fields != nil {
                    disk.rows[id]?.isUnconfirmedEcho = true
                }
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
        let rows = devices[device].disk.rows.pairs.filter {
            $0.key.zoneID == zoneID && !$0.value.isDeleted
        }
        return Part(
            changes: rows.map { .saveRecord($0.key) },
            zoneChanges: [.saveZone(RecordZone(zoneID: zoneID))]
        ) { disk in
            for (id, row) in disk.rows.pairs where id.zoneID == zoneID {
                if row.isDeleted {
                    disk.removeRow(id, "its zone is gone")
                } else {
                    disk.rows[id]?.detach(keepingBase: true)
                    disk.rows[id]?.isUnlisted = false
                }
            }
        }
    }

    private func zoneParts(_ sent: SyncEvent.SentDatabaseChanges) -> [Part] {
        let saves = sent.failedZoneSaves.filter { !$0.error.isKept }.map { failure in
            Part(zoneChanges: [.saveZone(failure.zone)])
        }
        let deletions = sent.failedZoneDeletes.sorted { $0.key < $1.key }
            .filter { !$0.value.isKept }
            .map { zoneID, _ in Part(zoneChanges: [.deleteZone(zoneID)]) }
        let deleted = sent.deletedZoneIDs.map { zoneID in
            Part { disk in
                // What has a version lived in the zone's former life.
                for (id, row) in disk.rows.pairs where id.zoneID == zoneID && row.fields != nil {
                    disk.removeRow(id, "the app deleted its zone")
                }
            }
        }
        return saves + deletions + deleted
    }

    private func abandonedParts(
        _ abandoned: SyncEvent.AbandonedChanges,
        on device: Int
    ) -> [Part] {
        if case .accountChanged(let user) = abandoned.reason,
            user.recordName != devices[device].disk.account
        {
            // The rows of that account went with it.
            return []
        }
        return abandoned.recordZoneChanges.map { change in
            Part { $0.removeRow(change.recordID, "\(abandoned.reason)") }
        }
    }

    // MARK: Fetches

    private func beginningParts(_ fetch: SyncEvent.WillFetchRecordZoneChanges) -> [Part] {
        guard case .full(let id, _) = fetch.kind else { return [] }
        return [Part { $0.fullFetches[fetch.zoneID] = id }]
    }

    /// At the end of a full fetch: what was not listed is gone, or the server lacks it.
    private mutating func endParts(
        _ fetch: SyncEvent.DidFetchRecordZoneChanges,
        on device: Int
    ) -> [Part] {
        guard case .full(let full, let reason) = fetch.kind else { return [] }
        if fetch.error?.code == .zoneNotFound, reason == .newHistory || reason == .stateDamaged,
            devices[device].disk.rows.keys.contains(where: { $0.zoneID == fetch.zoneID })
        {
            return [zoneRebirthPart(fetch.zoneID, on: device)]
        }
        if let error = fetch.error {
            return missingZoneParts(fetch.zoneID, error, reason, on: device)
        }
        let pending = Set(devices[device].core.pendingRecordZoneChanges.map(\.recordID))
        let end = Part { $0.fullFetches[fetch.zoneID] = nil }
        let unlisted = devices[device].disk.rows.pairs.filter { id, row in
            id.zoneID == fetch.zoneID && row.stamp != full && row.fields != nil
        }
        guard reason != .firstFetch else {
            return unlisted.map { id, _ in Part { $0.rows[id]?.isUnconfirmedEcho = true } } + [end]
        }
        guard reason.isAbsenceDeletion else {
            return unlisted.map { id, row -> Part in
                // The server lacks what this device has: it is sent again as new.
                if row.isDeleted {
                    return Part { $0.removeRow(id, "deleted by the app, and not listed") }
                }
                return Part(changes: [.saveRecord(id)]) { $0.rows[id]?.detach(keepingBase: true) }
            } + [end]
        }
        for (id, row) in unlisted where !row.isDirty && !pending.contains(id) {
            checkDeletion(of: id, "a full fetch that did not list it", on: device)
        }
        return unlisted.map { id, row in
            if !row.isDirty, !pending.contains(id) {
                return Part { $0.removeRow(id, "it was not listed by a full fetch") }
            }
            // The server has no version of it: what is pending makes a new record.
            return Part { $0.rows[id]?.detach(keepingBase: true) }
        } + [end]
    }

    /// The zone of a first fetch is not there although this device saved in it.
    private func missingZoneParts(
        _ zoneID: RecordZone.ID,
        _ error: SyncError,
        _ reason: SyncEvent.FullFetchReason,
        on device: Int
    ) -> [Part] {
        switch error.code {
        case .userDeletedZone: return [Part { $0.removeRows(in: zoneID, "its zone is gone") }]
        case .zoneNotFound where error.isAfterEncryptedDataReset:
            return [zoneRebirthPart(zoneID, on: device)]
        case .zoneNotFound where reason == .firstFetch:
            return [
                Part { disk in
                    for (id, row) in disk.rows.pairs
                    where id.zoneID == zoneID && row.fields != nil && !row.isDirty {
                        disk.removeRow(id, "its zone is gone")
                    }
                }
            ]
        case _: return []  // It is tried again.
        }
    }

    private func fetchedParts(
        _ changes: SyncEvent.FetchedRecordZoneChanges,
        on device: Int
    ) -> [Part] {
        let registerCount = devices[device].character.registerCount
        var stamp: UInt64?
        var isOlderHistory = false
        if case .full(let id, let reason) = changes.kind {
            stamp = id
            isOlderHistory = reason == .newHistory || reason == .stateDamaged
        }
        let saves = changes.modifications.map { modification in
            let record = modification.record
            let lacks =
                isOlderHistory
                && devices[device].disk.rows[record.recordID].map { row in
                    !row.isDeleted && !Set(row.base).isSubset(of: record.tags)
                } == true
            return Part(changes: lacks ? [.saveRecord(record.recordID)] : []) {
                $0.fetched(record, stamp: stamp, keeping: lacks, registerCount)
            }
        }
        return saves
            + changes.deletions.map { deletion in Part { $0.fetchedDeletion(deletion.recordID) } }
    }
}

extension Disk {
    /// Somebody saved a record; what is here and not there stays to be sent.
    fileprivate mutating func fetched(
        _ record: Record,
        stamp: UInt64?,
        keeping keepsMissing: Bool,
        _ registerCount: Int
    ) {
        var row = rows[record.recordID] ?? Row()
        if keepsMissing { row.keepWhatIsMissing(in: record) }
        // What a record lacks that was there before went with its former life.
        drop(row.base.filter { !record.tags.contains($0) }, "made anew by somebody")
        row.rebase(on: record, registerCount: registerCount)
        // Whoever deletes has seen this version now.
        if row.isDeleted { drop(row.tags, "deleted by the app") }
        if let stamp { row.stamp = stamp }
        rows[record.recordID] = row
        seenChangeTags.insert(record.recordChangeTag ?? "")
    }

    fileprivate mutating func fetchedDeletion(_ id: Record.ID) {
        guard let row = rows[id] else { return }
        if !row.isDirty || row.isDeleted {
            removeRow(id, "deleted by somebody")
        } else {
            drop(row.base, "deleted by somebody")
            rows[id]?.detach(keepingBase: false)
        }
    }
}
