import RecordModel
import SyncCore

// What the app does with what became of a batch, and how it makes one.

extension World {
    mutating func sentParts(_ sent: SyncEvent.SentRecordZoneChanges, on device: Int) -> [Part] {
        let registerCount = devices[device].character.registerCount
        let failureCount = sent.failedRecordSaves.count + sent.failedRecordDeletes.count
        if failureCount > 0, sent.savedRecords.count + sent.deletedRecordIDs.count > 0 {
            noteFault(.partialFailure)
        }
        for failure in sent.failedRecordSaves {
            switch failure.error.code {
            case .serverRecordChanged:
                counts.conflicts += 1
                noteFault(.conflict)
                tell(device, .conflict, "conflict over \(failure.record.recordID)")
            case .unknownItem: noteFault(.deletedWhileEdited)
            case .limitExceeded: noteFault(.recordTooLarge)
            case .quotaExceeded: noteFault(.quotaExceeded)
            case .permissionFailure: noteFault(.permissionRefused)
            case _: continue
            }
        }
        let saved = sent.savedRecords.map { record in Part { $0.saved(record, registerCount) } }
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

    private func failedSavePart(_ id: Record.ID, _ error: SyncError, on device: Int) -> Part? {
        let registerCount = devices[device].character.registerCount
        guard let row = devices[device].disk.rows[id], !row.isDeleted else { return nil }
        switch error.code {
        case .serverRecordChanged:
            guard let server = error.serverRecord else { break }
            var merged = row
            merged.rebase(on: server, registerCount: registerCount)
            return Part(changes: merged.isDirty ? [.saveRecord(id)] : []) { disk in
                disk.noteLoss(of: id, by: server)
                disk.rows[id]?.rebase(on: server, registerCount: registerCount)
                disk.rows[id]?.isUnlisted = false
                disk.seenChangeTags.insert(server.recordChangeTag ?? "")
            }
        case .unknownItem:
            return Part(changes: [.saveRecord(id)]) { disk in
                disk.rows[id]?.detach(keepingBase: true)
                disk.rows[id]?.isUnlisted = false
            }
        case .zoneNotFound:
            return zoneRebirthPart(id.zoneID, on: device)
        case .userDeletedZone:
            return Part { $0.removeRow(id, "the user removed its zone") }
        case .referenceViolation where row.parent != nil:
            return Part(changes: [.saveRecord(id)]) { $0.rows[id]?.parent = nil }
        case .limitExceeded:
            return Part { $0.giveUp(id, error) }
        case _:
            break
        }
        // The user sees the failure and asks again, a few times.
        let count = devices[device].disk.reportCounts[id] ?? 0
        guard count < Disk.reportCountMax else { return Part { $0.giveUp(id, error) } }
        return Part(changes: [.saveRecord(id)]) { disk in
            disk.reportCounts[id] = count + 1
            disk.rows[id]?.isUnlisted = false
        }
    }

    private func failedDeletionPart(_ id: Record.ID, _ error: SyncError, on device: Int) -> Part {
        let registerCount = devices[device].character.registerCount
        switch error.code {
        case .serverRecordChanged where error.serverRecord != nil:
            // Somebody edited what was to be deleted: the edit wins.
            return Part { disk in
                guard let server = error.serverRecord, disk.rows[id]?.isDeleted == true else {
                    return
                }
                disk.noteLoss(of: id, by: server)
                disk.rows[id]?.giveUp()
                disk.rows[id]?.rebase(on: server, registerCount: registerCount)
                disk.rows[id]?.isDeleted = false
                disk.seenChangeTags.insert(server.recordChangeTag ?? "")
            }
        case .unknownItem, .zoneNotFound, .userDeletedZone:
            return Part { $0.deletionConfirmed(id) }
        case _:
            // What was made again meanwhile is not deleted again.
            guard devices[device].disk.rows[id]?.isDeleted == true else { return Part() }
            let count = devices[device].disk.reportCounts[id] ?? 0
            guard count >= Disk.reportCountMax else {
                return Part(changes: [.deleteRecord(id)]) { $0.reportCounts[id] = count + 1 }
            }
            // The user lives with it: the record stays.
            return Part { disk in
                disk.rows[id]?.isDeleted = false
                if disk.rows[id]?.fields == nil {
                    disk.removeRow(id, "\(error.code)")
                } else {
                    disk.rows[id]?.giveUp()
                }
            }
        }
    }

    mutating func provideBatch(_ id: QuestionID, _ context: SendChangesContext, on device: Int) {
        if devices[device].throwCount > 0, !isHealed {
            devices[device].throwCount -= 1
            noteFault(.handlerThrows)
            return handle(.batchFailed(id), on: device)
        }
        let queue = Queue(devices[device].core, now: now(on: device))
        var builder = BatchBuilder(source: queue, scope: context.options.scope)
        while case let question = builder.nextQuestion(), !question.isEmpty {
            builder.take(inOrder: question.map { answer($0, on: device) })
        }
        devices[device].core = queue.core
        for effect in queue.effects { take(effect, on: device) }
        var batch = builder.finish() ?? unlistedBatch(context, on: device)
        batch?.atomicByZone = devices[device].character.isAtomic
        if devices[device].character.deletesConditionally {
            for id in batch?.recordIDsToDelete ?? [] {
                // A row that is gone has no version: a deletion must not hit what somebody made.
                let row = devices[device].disk.rows[id]
                let changeTag = row?.isDeleted == true ? row?.fields?.recordChangeTag : nil
                batch?.expectedChangeTags[id] = changeTag ?? "none"
            }
        }
        if random.isLucky(15), let first = batch?.recordsToSave.first {
            // The user edits while the batch is being made.
            noteFault(.editDuringSend)
            var chance = SplitMix64(seed: random.next())
            edit(first.recordID, on: device, &chance)
        }
        handle(.batchProvided(id, batch), on: device)
    }

    mutating func provideOptions(
        _ id: QuestionID,
        _ context: FetchChangesContext,
        on device: Int
    ) {
        if devices[device].throwCount > 0, !isHealed {
            devices[device].throwCount -= 1
            noteFault(.handlerThrows)
            return handle(.fetchOptionsFailed(id), on: device)
        }
        var options = context.options
        if random.isLucky(20) {
            options.prioritizedZoneIDs = [zoneID(random.roll(self.options.zoneCount))]
        }
        handle(.fetchOptionsProvided(id, options), on: device)
    }

    private func answer(_ id: Record.ID, on device: Int) -> RecordProviderAnswer {
        if id == devices[device].postponed, !isHealed { return .later }
        guard let row = devices[device].disk.rows[id], !row.isDeleted,
            row.fields == nil || row.isDirty
        else { return .gone }
        return .record(row.record(id))
    }

    /// What the app changed and did not list.
    private func unlistedBatch(
        _ context: SendChangesContext,
        on device: Int
    ) -> RecordZoneChangeBatch? {
        guard devices[device].core.state.hasPendingUntrackedChanges else { return nil }
        let rows = devices[device].disk.rows.pairs.filter { id, row in
            row.isUnlisted && row.isDirty && !row.isDeleted && context.options.scope.contains(id)
                && devices[device].core.state.records.status(of: id) == nil
        }
        let limit = devices[device].core.limits.batchCountMax
        return rows.isEmpty
            ? nil
            : RecordZoneChangeBatch(
                recordsToSave: rows.prefix(limit).map { $0.value.record($0.key) }
            )
    }
}

extension Disk {
    /// What a record lacks that was there before went with its former life.
    fileprivate mutating func noteLoss(of id: Record.ID, by record: Record) {
        drop((rows[id]?.base ?? []).filter { !record.tags.contains($0) }, "made anew by somebody")
    }

    fileprivate mutating func saved(_ record: Record, _ registerCount: Int) {
        // An edit that was taken back too late is there all the same.
        var row = rows[record.recordID] ?? Row()
        row.rebase(on: record, registerCount: registerCount)
        rows[record.recordID] = row
        reportCounts[record.recordID] = nil
        seenChangeTags.insert(record.recordChangeTag ?? "")
        // The listing under way may have passed it by already.
        if let full = fullFetches[record.recordID.zoneID] {
            rows[record.recordID]?.stamp = full
            // Or it was saved in a former life of the zone: the answer does not say.
            rows[record.recordID]?.isUnconfirmedEcho = true
        }
    }

    fileprivate mutating func deletionConfirmed(_ id: Record.ID) {
        guard let row = rows[id] else { return }
        if row.isDeleted || !row.isDirty {
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
        reportCounts[id] = nil
        if row.fields == nil {
            removeRow(id, "\(error.code)")
        } else {
            rows[id]?.giveUp()
        }
    }
}
