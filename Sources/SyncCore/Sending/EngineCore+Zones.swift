import RecordModel

// Changes of zones: they go out before records, and again whenever a handler added some.

extension EngineCore {
    /// Sends the next pending changes of zones in scope; false if there are none.
    ///
    /// One whose answer was lost goes first, as it was and under its key: if it arrived, the server
    /// answers as it did then, and whatever of it arrives still later has no effect. If the app has
    /// taken some of it back, the server is asked first, so that it is not done after all.
    mutating func sendZones() -> Bool {
        guard let operation = session.send.current else { return false }
        if let open = nextOpenZoneSend(of: operation) {
            if open.entries.allSatisfy(state.databaseChanges.entries.contains) {
                sendZones(open)
            } else {
                askOutcome(of: open)
            }
            return true
        }
        let entries = nextZoneEntries(of: operation)
        guard !entries.isEmpty else { return false }
        let key = record(.zoneSendOpened(ending(entries)))
        session.send.phase = .storingZonesMark(key)
        session.delegateQueue.addStateUpdate(.zonesMarkStored(key))
        return true
    }

    private func nextOpenZoneSend(of operation: SendOperation) -> EngineState.OpenZoneSend? {
        let reported = session.delegateQueue.reportedZoneKeys
        return state.openZoneSends.first { open in
            let zoneIDs = open.entries.map(\.change.zoneID)
            return !reported.contains(open.key)
                && zoneIDs.contains(where: operation.options.scope.containsZone)
                && !zoneIDs.contains(where: operation.unsavedZones.contains)
        }
    }

    private mutating func askOutcome(of open: EngineState.OpenZoneSend) {
        let id = RequestID(makeID())
        session.send.phase = .askingZonesOutcome(id, open.key)
        perform(.askOutcome(id, .init(idempotencyKey: open.key), account: requestAccount))
    }

    /// The server's word on changes of zones, some of which the app has taken back.
    mutating func zonesOutcomeReceived(
        _ key: IdempotencyKey,
        _ result: Result<SendOutcome, SyncError>
    ) {
        guard let open = state.openZoneSends.first(where: { $0.key == key }) else { return }
        switch result {
        case .success:
            // It has not arrived and never will, or nobody knows: what still waits goes out anew.
            takeBackUnsentZones(key)
            continueSend()
        case .failure(let error) where error.code == .invalidArguments:
            // It was done: the same request again brings the answer and nothing else.
            sendZones(open)
        case .failure(let error):
            noteRetryDelay(of: error)
            if RequestOutcome(error.code) == .askAccount { session.isAccountVerified = false }
            guard isOutcomeDenied(key, error) else { return stopSend(error) }
            takeBackUnsentZones(key)
            continueSend()
        }
    }

    /// The state with the mark was stored: the changes leave, unless the send is to stop.
    mutating func sendMarkedZones(_ key: IdempotencyKey) {
        guard case .storingZonesMark(key) = session.send.phase,
            let open = state.openZoneSends.first(where: { $0.key == key })
        else { return }
        if session.send.current?.ending.mustStop == true {
            takeBackUnsentZones(key)
            return concludeSend()
        }
        if let error = retryDelayError() {
            takeBackUnsentZones(key)
            return stopSend(error)
        }
        sendZones(open)
    }

    private mutating func sendZones(_ open: EngineState.OpenZoneSend) {
        var request = ModifyZonesRequest(idempotencyKey: open.key)
        for entry in open.entries {
            switch entry.change {
            case .saveZone(let zone): request.zonesToSave.append(zone)
            case .deleteZone(let zoneID): request.zoneIDsToDelete.append(zoneID)
            }
        }
        let id = RequestID(makeID())
        session.send.phase = .sendingZones(id, open.key)
        session.progress.noteSent(open.entries.map(\.change.zoneID).runs)
        perform(.modifyZones(id, request, account: requestAccount))
    }

    /// Changes of zones had no effect: they wait as if they had not been sent.
    mutating func takeBackUnsentZones(_ key: IdempotencyKey) {
        guard state.openZoneSends.contains(where: { $0.key == key }) else { return }
        record(.zoneSendClosed(key, []))
    }

    /// The delegate has heard what became of zones.
    mutating func closeZoneSend(
        _ key: IdempotencyKey,
        _ settled: [PendingZoneChanges.Entry],
        _ deleted: [RecordZone.ID]
    ) {
        record(.zoneSendClosed(key, ending(settled)))
        if !settled.isEmpty { session.send.current?.hasMoved = true }
        for zoneID in deleted { forgetZone(zoneID) }
        guard case .awaitingDelegate(.zones(key)) = session.send.phase else { return }
        continueSend()
    }

    /// A request saves before it deletes, so a zone's second change waits for the next one.
    private func nextZoneEntries(of operation: SendOperation) -> [PendingZoneChanges.Entry] {
        // What is in flight, or nobody knows the fate of, comes first.
        var zones = Set(state.openZoneSends.flatMap(\.entries).map(\.change.zoneID))
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
        guard case .sendingZones(id, let key) = session.send.phase else { return }
        session.send.phase = .awaitingDelegate(.zones(key))
        guard let open = state.openZoneSends.first(where: { $0.key == key }) else { return }
        switch result {
        case .success(let reply) where reply.fits(open.entries):
            reportZones(open, reply)
        case .success:
            takeBackUnsentZones(key)
            stopSend(SyncError(.internalError, "the server did not answer for each zone"))
        case .failure(let error):
            noteRetryDelay(of: error)
            zonesFailed(open, error)
        }
    }

    private mutating func zonesFailed(_ open: EngineState.OpenZoneSend, _ error: SyncError) {
        switch RequestOutcome(error.code) {
        case .askAccount:
            session.isAccountVerified = false
            stopSend(error)
        case .endOperation, .askOutcome:
            // Nobody knows: the next send asks again, under the same key.
            stopSend(error)
        case .split where open.entries.count > 1:
            session.limits.batchCountMax = max(1, open.entries.count / 2)
            session.progress.noteNotSent(open.entries.map(\.change.zoneID).runs)
            takeBackUnsentZones(open.key)
            continueSend()
        case .split, .failItems, .restartWithoutToken:
            let saves = open.entries.filter(\.isSave)
            let reply = ModifyZonesReply(
                saveResults: saves.map { _ in .failure(error) },
                deleteErrors: open.entries.dropFirst(saves.count).map { _ in error }
            )
            reportZones(open, reply)
        }
    }

    private mutating func reportZones(
        _ open: EngineState.OpenZoneSend,
        _ reply: ModifyZonesReply
    ) {
        let entries = open.entries
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
            .zonesReported(open.key, settled: outcome.settled, deleted: event.deletedZoneIDs)
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

extension DelegateQueue {
    /// Sends of zones whose outcome is known: the delegate has or will have it, or threw at it.
    fileprivate var reportedZoneKeys: [IdempotencyKey] {
        var items = items + thrown
        if case .event(_, let event, let followUp) = hand { items.append(.event(event, followUp)) }
        return items.compactMap { item in
            guard case .event(_, .zonesReported(let key, _, _)) = item else { return nil }
            return key
        }
    }
}
