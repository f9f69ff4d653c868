import RecordModel

// Changes of zones: they go out before records, and again whenever a handler added some.

extension EngineCore {
    /// Sends the next pending changes of zones in scope; false if there are none.
    mutating func sendZones() -> Bool {
        guard let operation = session.send.current else { return false }
        let entries = nextZoneEntries(of: operation)
        guard !entries.isEmpty else { return false }
        var request = ModifyZonesRequest()
        for entry in entries {
            switch entry.change {
            case .saveZone(let zone): request.zonesToSave.append(zone)
            case .deleteZone(let zoneID): request.zoneIDsToDelete.append(zoneID)
            }
        }
        let id = RequestID(makeID())
        session.send.current?.zonesInFlight = entries
        session.send.phase = .sendingZones(id, entries)
        session.progress.noteSent(entries.map(\.change.zoneID))
        perform(.modifyZones(id, request, account: requestAccount))
        return true
    }

    /// A request saves before it deletes, so a zone's second change waits for the next one.
    private func nextZoneEntries(of operation: SendOperation) -> [PendingZoneChanges.Entry] {
        var zones: Set<RecordZone.ID> = []
        var entries: [PendingZoneChanges.Entry] = []
        for entry in state.databaseChanges.entries {
            let zoneID = entry.change.zoneID
            guard entries.count < session.limits.batchCountMax,
                operation.options.scope.containsZone(zoneID),
                !operation.unsavedZones.contains(zoneID),
                zones.insert(zoneID).inserted
            else { continue }
            entries.append(entry)
        }
        // Saves first, as the request has them.
        return entries.filter(\.isSave) + entries.filter { !$0.isSave }
    }

    mutating func zonesModified(
        _ id: RequestID,
        _ result: Result<ModifyZonesReply, SyncError>
    ) {
        guard case .sendingZones(id, let entries) = session.send.phase else { return }
        session.send.phase = .awaitingDelegate(.zones)
        switch result {
        case .success(let reply) where reply.fits(entries):
            reportZones(entries, reply)
        case .success:
            stopSend(SyncError(.internalError, "the server did not answer for each zone"))
        case .failure(let error):
            noteRetryDelay(of: error)
            zonesFailed(entries, error)
        }
    }

    private mutating func zonesFailed(_ entries: [PendingZoneChanges.Entry], _ error: SyncError) {
        switch RequestOutcome(error.code) {
        case .askAccount:
            session.isAccountVerified = false
            stopSend(error)
        case .endOperation, .askOutcome:
            // Saving and deleting a zone twice does what doing it once does, so nothing is asked.
            stopSend(error)
        case .split where entries.count > 1:
            session.limits.batchCountMax = max(1, entries.count / 2)
            session.progress.noteNotSent(entries.map(\.change.zoneID))
            continueSend()
        case .split, .failItems, .restartWithoutToken:
            let saves = entries.filter(\.isSave)
            let reply = ModifyZonesReply(
                saveResults: saves.map { _ in .failure(error) },
                deleteErrors: entries.dropFirst(saves.count).map { _ in error }
            )
            reportZones(entries, reply)
        }
    }

    private mutating func reportZones(
        _ entries: [PendingZoneChanges.Entry],
        _ reply: ModifyZonesReply
    ) {
        let saves = entries.filter(\.isSave)
        let deletions = entries.filter { !$0.isSave }
        var outcome = ZonesOutcome()
        for (entry, result) in zip(saves, reply.saveResults) { outcome.addSave(entry, result) }
        for (entry, error) in zip(deletions, reply.deleteErrors) {
            outcome.addDeletion(entry, error)
        }
        for (zoneID, error) in outcome.failures.pairs {
            noteRetryDelay(of: error, zoneID: zoneID)
            session.send.current?.ending.itemErrors[.zone(zoneID)] = error
            session.send.current?.unsavedZones.insert(zoneID)
            if session.send.current?.failedZones.contains(zoneID) == false {
                session.send.current?.failedZones.append(zoneID)
            }
        }
        let event = outcome.event
        for zone in event.savedZones { session.deletedZones.remove(zone.zoneID) }
        session.delegateQueue.add(
            .sentDatabaseChanges(event),
            .zonesReported(settled: outcome.settled, deleted: event.deletedZoneIDs)
        )
        for entry in deletions where event.deletedZoneIDs.contains(entry.change.zoneID) {
            abandonChanges(of: entry.change.zoneID, before: state.entry(of: entry.origin))
        }
    }

    /// The server deleted the zone for this engine: a zone of that name that comes after it starts
    /// without a token, and with nothing that the engine did in the former one.
    mutating func forgetZone(_ zoneID: RecordZone.ID) {
        session.ensuredZones.remove(zoneID)
        session.deletedZones.insert(zoneID)
        if state.zones[zoneID] != nil { record(.zoneForgotten(zoneID)) }
    }

    /// Hands back the pending changes of a zone's former life: those asked for before an entry.
    mutating func abandonChanges(of zoneID: RecordZone.ID, before entry: IdempotencyKey) {
        let changes = state.records.changes(in: zoneID, before: state.origin(of: entry))
        guard !changes.isEmpty else { return }
        let abandoned = SyncEvent.AbandonedChanges(
            recordZoneChanges: changes,
            reason: .zoneDeleted(zoneID)
        )
        // What is asked for from here on is none of them, whatever its entry's number.
        let ended = changes.map { StateChange.EndedChange(change: $0, entry: self.entry(of: $0)) }
        session.delegateQueue.add(.abandonedChanges(abandoned), .zoneChangesAbandoned(ended))
    }
}

/// What became of changes of zones, zone by zone.
private struct ZonesOutcome {
    private var saved: [RecordZone] = []
    private var failedSaves: [SyncEvent.SentDatabaseChanges.FailedZoneSave] = []
    private var deleted: [RecordZone.ID] = []
    private var failedDeletes: [RecordZone.ID: SyncError] = [:]
    var failures = OrderedTable<RecordZone.ID, SyncError>()
    /// What leaves the queue: confirmed, or given to the app with its error.
    var settled: [PendingZoneChanges.Entry] = []

    mutating func addSave(
        _ entry: PendingZoneChanges.Entry,
        _ result: Result<RecordZone, SyncError>
    ) {
        switch result {
        case .success(let zone):
            saved.append(zone)
            settled.append(entry)
        case .failure(let error):
            if case .saveZone(let zone) = entry.change {
                failedSaves.append(.init(zone: zone, error: error))
            }
            fail(entry, error)
        }
    }

    mutating func addDeletion(_ entry: PendingZoneChanges.Entry, _ error: SyncError?) {
        if let error {
            failedDeletes[entry.change.zoneID] = error
            fail(entry, error)
        } else {
            deleted.append(entry.change.zoneID)
            settled.append(entry)
        }
    }

    private mutating func fail(_ entry: PendingZoneChanges.Entry, _ error: SyncError) {
        failures[entry.change.zoneID] = error
        switch ItemOutcome(error.code) {
        case .surface, .split: settled.append(entry)
        case .retry, .requeue, .park: return
        }
    }

    var event: SyncEvent.SentDatabaseChanges {
        .init(
            savedZones: saved,
            failedZoneSaves: failedSaves,
            deletedZoneIDs: deleted,
            failedZoneDeletes: failedDeletes
        )
    }
}

extension PendingZoneChanges.Entry {
    fileprivate var isSave: Bool {
        switch change {
        case .saveZone: true
        case .deleteZone: false
        }
    }
}

extension ModifyZonesReply {
    fileprivate func fits(_ entries: [PendingZoneChanges.Entry]) -> Bool {
        let saveCount = entries.filter(\.isSave).count
        return saveResults.count == saveCount && deleteErrors.count == entries.count - saveCount
            && zip(saveResults, entries.filter(\.isSave)).allSatisfy { result, entry in
                switch result {
                case .success(let zone): zone.zoneID == entry.change.zoneID
                case .failure: true
                }
            }
    }
}
