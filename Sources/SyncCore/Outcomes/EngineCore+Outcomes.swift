import RecordModel

// The server's answer to a batch: from results to what becomes of each change.

extension EngineCore {
    mutating func recordsModified(
        _ id: RequestID,
        _ result: Result<ModifyRecordsReply, SyncError>
    ) {
        guard case .sendingBatch(id, let flight) = session.send.phase else { return }
        switch result {
        case .success(let reply):
            guard reply.fits(flight.batch) else {
                let error = SyncError(
                    .internalError,
                    "the server answered \(reply.saveResults.count) saves and "
                        + "\(reply.deleteErrors.count) deletions of \(flight.batch)"
                )
                return requestFailed(flight, error)
            }
            growLimits()
            report(flight, reply)
        case .failure(let error):
            noteRetryDelay(of: error)
            requestFailed(flight, error)
        }
    }

    private mutating func requestFailed(_ flight: BatchInFlight, _ error: SyncError) {
        switch RequestOutcome(error.code) {
        case .endOperation:
            session.send.current?.ending.error = error
            report(flight, .allFailing(with: error, like: flight.batch))
        case .askAccount:
            session.isAccountVerified = false
            session.send.current?.ending.error = error
            report(flight, .allFailing(with: error, like: flight.batch))
        case .askOutcome:
            let id = RequestID(makeID())
            session.send.phase = .askingOutcome(id, flight, lost: error)
            perform(
                .askOutcome(id, .init(idempotencyKey: flight.key), account: requestAccount)
            )
        case .split:
            split(flight, error)
        case .failItems, .restartWithoutToken:
            report(flight, .allFailing(with: error, like: flight.batch))
        }
    }

    /// The server's word on a batch whose answer was lost.
    mutating func outcomeReceived(
        of flight: BatchInFlight,
        lost: SyncError,
        _ result: Result<SendOutcome, SyncError>
    ) {
        switch result {
        case .success(.known(let reply)) where reply.fits(flight.batch):
            report(flight, reply)
        case .success(let outcome):
            // It had no effect and never will have, or nobody knows: its changes are offered again.
            noteResend(of: flight.batch.recordIDs, outcome)
            session.progress.noteNotSent(flight.batch.recordIDs.map(\.zoneID))
            let count = (session.send.current?.lostAnswerCount ?? 0) + 1
            session.send.current?.lostAnswerCount = count
            session.send.current?.walk = flight.walkBefore
            takeBackUnsent(flight.key)
            if count >= EngineConfiguration.lostAnswerCountMax { return stopSend(lost) }
            releaseHeldPage()
            continueSend()
        case .failure(let error):
            // Nobody knows: the changes stay in flight, and the next operation asks first.
            noteRetryDelay(of: error)
            if RequestOutcome(error.code) == .askAccount { session.isAccountVerified = false }
            stopSend(error)
        }
    }

    /// Remembers what a server without keys may have taken already.
    mutating func noteResend(of recordIDs: [Record.ID], _ outcome: SendOutcome) {
        guard case .unsupported = outcome else { return }
        session.resent.formUnion(recordIDs)
    }

    /// Sends a batch that was too large in halves, down to one record.
    private mutating func split(_ flight: BatchInFlight, _ error: SyncError) {
        guard let halves = flight.batch.halves else {
            return report(flight, .allFailing(with: error, like: flight.batch))
        }
        session.limits.batchCountMax = max(1, flight.batch.count / 2)
        session.limits.batchByteCountMax = max(1, flight.request.byteCount / 2)
        session.progress.noteNotSent(flight.batch.recordIDs.map(\.zoneID))
        sendInParts(halves, of: flight, key: flight.key)
        continueSend()
    }

    private mutating func sendInParts(
        _ batches: [RecordZoneChangeBatch],
        of flight: BatchInFlight,
        key: IdempotencyKey
    ) {
        let parts = batches.map {
            BatchInFlight(key: key, batch: $0, walkBefore: flight.walkBefore)
        }
        session.send.current?.parts.insert(contentsOf: parts, at: 0)
    }

    /// Takes the items that were too large out of a batch of which others were not: they go out
    /// again in this same call, in parts, and nothing is told of them.
    private mutating func splitOff(
        _ flight: inout BatchInFlight,
        _ reply: inout ModifyRecordsReply
    ) {
        let tooLarge = flight.batch.tooLarge(in: reply)
        guard !tooLarge.isEmpty, flight.batch.halves != nil else { return }
        session.limits.batchCountMax = max(1, flight.batch.count / 2)
        let (off, rest) = flight.batch.divided { tooLarge.contains($0) }
        let key = record(.sendPartOpened(of: flight.key, off.recordIDs))
        session.progress.noteNotSent(off.recordIDs.map(\.zoneID))
        sendInParts(off.halves ?? [off], of: flight, key: key)
        reply = reply.keeping(flight.batch) { !tooLarge.contains($0) }
        flight.batch = rest
    }

    /// A success says that more may be tried again, up to what the server allows.
    private mutating func growLimits() {
        let most = configuration.limits
        session.limits.batchCountMax = min(most.batchCountMax, session.limits.batchCountMax * 2)
        session.limits.batchByteCountMax = min(
            most.batchByteCountMax,
            session.limits.batchByteCountMax * 2
        )
    }

    mutating func report(_ flight: BatchInFlight, _ reply: ModifyRecordsReply) {
        var flight = flight
        var reply = reply.accepting(resent: session.resent, of: flight.batch)
        session.resent.subtract(flight.batch.recordIDs)
        splitOff(&flight, &reply)
        guard flight.batch.count > 0 else { return continueSend() }
        guard let open = state.openSends.first(where: { $0.key == flight.key }) else { return }
        session.send.phase = .awaitingDelegate(.batch(flight.key))
        let batch = flight.batch
        reportBatch(open, records: batch.recordsToSave, reply, localVersions: batch.localVersions)
    }

    /// Tells the delegate what became of a batch; afterwards the state follows.
    ///
    /// `records` are those that were sent; after a relaunch there are none.
    mutating func reportBatch(
        _ open: EngineState.OpenSend,
        records: [Record],
        _ reply: ModifyRecordsReply,
        localVersions: [Record.ID: String]
    ) {
        var outcome = BatchOutcome(canDivide: records.isEmpty && open.changes.count > 1)
        for (position, result) in reply.saveResults.enumerated() {
            let change = open.changes[position]
            let sent =
                position < records.count
                ? records[position]
                : Record(recordType: change.recordType, recordID: change.change.recordID)
            outcome.addSave(of: sent, result)
        }
        for (position, error) in reply.deleteErrors.enumerated() {
            let change = open.changes[reply.saveResults.count + position]
            outcome.addDeletion(of: change.change.recordID, error)
        }
        noteFailures(of: outcome)
        noteConfirmed(outcome)
        session.delegateQueue.add(
            .sentRecordZoneChanges(outcome.event(batchID: open.key, localVersions)),
            .batchReported(open.key, outcome.dispositions)
        )
    }

    /// Items that failed are part of the call's error, and their zones wait for the next send.
    private mutating func noteFailures(of outcome: BatchOutcome) {
        for (recordID, error) in outcome.failures.pairs {
            noteRetryDelay(of: error)
            if error.code == .limitExceeded, outcome.canDivide {
                session.limits.batchCountMax = max(1, outcome.dispositions.count / 2)
                continue
            }
            session.send.current?.ending.itemErrors[.record(recordID)] = error
            if error.code == .limitExceeded {
                // Its zone is well: the others of the batch go on, this one waits if it comes back.
                session.send.current?.tooLargeIDs.insert(recordID)
            } else {
                exclude(recordID.zoneID)
            }
        }
    }

    private mutating func exclude(_ zoneID: RecordZone.ID) {
        guard session.send.current?.failedZones.contains(zoneID) == false else { return }
        session.send.current?.failedZones.append(zoneID)
    }

    /// Zones of an event that the delegate did not take wait for the next send.
    mutating func excludeZones(of event: SyncEvent) {
        guard case .sentRecordZoneChanges(let sent) = event else { return }
        for record in sent.savedRecords { exclude(record.recordID.zoneID) }
        for recordID in sent.deletedRecordIDs { exclude(recordID.zoneID) }
        for failure in sent.failedRecordSaves { exclude(failure.record.recordID.zoneID) }
    }

    /// A page that was asked for before this cannot tell whether it is newer.
    private mutating func noteConfirmed(_ outcome: BatchOutcome) {
        switch session.fetch.phase {
        case .fetchingZone, .holdingBack:
            session.fetch.confirmed.formUnion(outcome.saved.map(\.recordID))
            session.fetch.confirmed.formUnion(outcome.deleted)
        case .idle, .awaitingAccount, .awaitingSettlement, .awaitingDelegate,
            .fetchingDatabase, .askingOptions:
            return
        }
    }
}

/// What became of a batch, item by item.
private struct BatchOutcome {
    /// True if an item that was too large is sent again in a smaller batch, without a word.
    ///
    /// Of an earlier launch's batch nothing is at hand to be parted: its changes are pending again.
    let canDivide: Bool
    var saved: [Record] = []
    var deleted: [Record.ID] = []
    var failedSaves: [SyncEvent.SentRecordZoneChanges.FailedRecordSave] = []
    var failures = OrderedTable<Record.ID, SyncError>()
    var failedDeletes: [Record.ID: SyncError] = [:]
    var dispositions: [StateChange.Disposition] = []

    init(canDivide: Bool) { self.canDivide = canDivide }

    mutating func addSave(of record: Record, _ result: Result<Record, SyncError>) {
        switch result {
        case .success(let stored):
            saved.append(stored)
            dispositions.append(.confirmed(changeTag: stored.recordChangeTag))
        case .failure(let error):
            let error = error.with(clientRecord: record)
            failures[record.recordID] = error
            dispositions.append(disposition(of: error))
            if error.code == .limitExceeded, canDivide { return }
            failedSaves.append(.init(record: record, error: error))
        }
    }

    mutating func addDeletion(of recordID: Record.ID, _ error: SyncError?) {
        guard let error else {
            deleted.append(recordID)
            dispositions.append(.confirmed(changeTag: nil))
            return
        }
        failures[recordID] = error
        dispositions.append(disposition(of: error))
        if error.code == .limitExceeded, canDivide { return }
        failedDeletes[recordID] = error
    }

    private func disposition(of error: SyncError) -> StateChange.Disposition {
        switch ItemOutcome(error.code) {
        case .retry, .requeue: .returned
        case .park: .parked
        case .split: canDivide ? .returned : .surfaced
        case .surface: .surfaced
        }
    }

    func event(
        batchID: IdempotencyKey,
        _ localVersions: [Record.ID: String]
    ) -> SyncEvent.SentRecordZoneChanges {
        .init(
            savedRecords: saved,
            failedRecordSaves: failedSaves,
            deletedRecordIDs: deleted,
            failedRecordDeletes: failedDeletes,
            batchID: batchID,
            localVersions: localVersions
        )
    }
}

extension ModifyRecordsReply {
    fileprivate func fits(_ batch: RecordZoneChangeBatch) -> Bool {
        saveResults.count == batch.recordsToSave.count
            && deleteErrors.count == batch.recordIDsToDelete.count
    }

    /// The reply about some of a batch's items.
    fileprivate func keeping(
        _ batch: RecordZoneChangeBatch,
        where isKept: (Record.ID) -> Bool
    ) -> ModifyRecordsReply {
        ModifyRecordsReply(
            saveResults: zip(batch.recordsToSave, saveResults)
                .filter { isKept($0.0.recordID) }.map(\.1),
            deleteErrors: zip(batch.recordIDsToDelete, deleteErrors)
                .filter { isKept($0.0) }.map(\.1)
        )
    }
}
