import RecordModel

// The server's answer to a batch: from results to what becomes of each change.

extension EngineCore {
    mutating func recordsModified(
        _ id: RequestID,
        _ result: Result<ModifyRecordsReply, SyncError>
    ) {
        guard case .sendingBatch(let current, let flight) = session.send.phase else { return }
        #if PLANTED_BUGS
            let isTaken = current == id || makes(.lateAnswerTaken)
        #else
            let isTaken = current == id
        #endif
        guard isTaken else { return }
        switch result {
        case .success(let reply):
            guard reply.fits(flight.batch) else {
                let error = SyncError(
                    .internalError,
                    "the server answered for other changes than those of \(flight.batch)"
                )
                return requestFailed(flight, error)
            }
            growLimits()
            report(flight, reply, isAnswer: true)
        case .failure(let error):
            noteRetryDelay(of: error)
            requestFailed(flight, error)
        }
    }

    private mutating func requestFailed(_ flight: BatchInFlight, _ error: SyncError) {
        switch RequestOutcome(error.code) {
        case .endOperation:
            session.send.current?.ending.error = error
            fail(flight, error)
        case .askAccount:
            session.isAccountVerified = false
            session.send.current?.ending.error = error
            fail(flight, error)
        case .askOutcome:
            // The fetch of the same time may have heard that the server wants to be left alone. The
            // changes stay in flight, and the next operation asks first.
            if retryDelayError() != nil { return stopSend(error) }
            let id = RequestID(makeID())
            session.send.phase = .askingOutcome(id, flight, lost: error)
            perform(
                .askOutcome(id, .init(idempotencyKey: flight.key), account: requestAccount)
            )
        case .split:
            split(flight, error)
        case .failItems, .restartWithoutToken:
            fail(flight, error)
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
            report(flight, reply, isAnswer: true)
        case .success(let outcome):
            offerAgain(flight, lost: lost, outcome)
        case .failure(let error):
            // Nobody knows: the changes stay in flight, and the next operation asks first.
            noteRetryDelay(of: error)
            if RequestOutcome(error.code) == .askAccount { session.isAccountVerified = false }
            if isOutcomeDenied(flight.key, error) {
                return offerAgain(flight, lost: lost, .unsupported)
            }
            stopSend(error)
        }
    }

    /// It had no effect and never will have, or nobody knows: its changes are offered again.
    private mutating func offerAgain(
        _ flight: BatchInFlight,
        lost: SyncError,
        _ outcome: SendOutcome
    ) {
        noteResend(of: flight.batch.recordIDs, outcome)
        rememberFailure(of: flight.key)
        session.progress.noteNotSent(flight.batch.recordIDs.map(\.zoneID).runs)
        let count = (session.send.current?.lostAnswerCount ?? 0) + 1
        session.send.current?.lostAnswerCount = count
        session.send.current?.walk = flight.walkBefore
        takeBackUnsent(flight.key)
        if count >= EngineConfiguration.lostAnswerCountMax { return stopSend(lost) }
        releaseHeldPage()
        continueSend()
    }

    /// Remembers what the server may have taken already, unless it says that it has not.
    mutating func noteResend(of recordIDs: [Record.ID], _ outcome: SendOutcome) {
        if case .closed = outcome { return }
        session.resent.formUnion(recordIDs)
    }

    /// True once a server that is there and knows us has refused again and again to say what
    /// became of a send.
    ///
    /// To wait for its word would hold everything up for ever. The changes are sent again instead,
    /// as to a server that keeps no keys: change tags keep a second effect away, and a conflict
    /// with exactly what was sent counts as saved.
    mutating func isOutcomeDenied(_ key: IdempotencyKey, _ error: SyncError) -> Bool {
        guard ItemOutcome(error.code) != .retry else { return false }
        let count = (session.outcomeRefusalCounts[key] ?? 0) + 1
        let isDenied = count >= EngineConfiguration.outcomeRefusalCountMax
        session.outcomeRefusalCounts[key] = isDenied ? nil : count
        return isDenied
    }

    /// Sends a batch that was too large in halves, down to one record.
    private mutating func split(_ flight: BatchInFlight, _ error: SyncError) {
        guard let halves = flight.batch.halves else {
            return fail(flight, error)
        }
        session.limits.batchCountMax = max(1, flight.batch.count / 2)
        session.limits.batchByteCountMax = max(1, flight.request.byteCount / 2)
        session.progress.noteNotSent(flight.batch.recordIDs.map(\.zoneID).runs)
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
        session.progress.noteNotSent(off.recordIDs.map(\.zoneID).runs)
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

    private mutating func rememberFailure(of key: IdempotencyKey) {
        session.failedSends.append(key)
        guard session.failedSends.count > EngineConfiguration.rememberedFailureCountMax else {
            return
        }
        session.failedSends.removeFirst()
    }

    /// Reports a batch each of whose changes shares the failure of its request.
    mutating func fail(_ flight: BatchInFlight, _ error: SyncError) {
        rememberFailure(of: flight.key)
        report(flight, .allFailing(with: error, like: flight.batch), isAnswer: false)
    }

    /// Reports a batch; `isAnswer` says that the server spoke of each of its changes.
    private mutating func report(
        _ flight: BatchInFlight,
        _ reply: ModifyRecordsReply,
        isAnswer: Bool
    ) {
        var flight = flight
        var reply = reply.accepting(resent: session.resent, of: flight.batch)
        if !session.resent.isEmpty { session.resent.subtract(flight.batch.recordIDs) }
        splitOff(&flight, &reply)
        guard flight.batch.count > 0 else { return continueSend() }
        guard let open = state.openSends.first(where: { $0.key == flight.key }) else { return }
        session.send.phase = .awaitingDelegate(.batch(flight.key))
        let batch = flight.batch
        var outcome = outcome(of: open, records: batch.recordsToSave, reply)
        if isAnswer { quarantine(in: &outcome, of: open) }
        report(outcome, of: open, localVersions: batch.localVersions)
    }

    /// Reports a batch of an earlier launch or operation, whose records are not at hand.
    mutating func report(_ open: EngineState.OpenSend, _ reply: ModifyRecordsReply) {
        report(outcome(of: open, records: [], reply), of: open, localVersions: [:])
    }

    private func outcome(
        of open: EngineState.OpenSend,
        records: [Record],
        _ reply: ModifyRecordsReply
    ) -> BatchOutcome {
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
        return outcome
    }

    /// Tells the delegate what became of a batch; afterwards the state follows.
    private mutating func report(
        _ outcome: BatchOutcome,
        of open: EngineState.OpenSend,
        localVersions: [Record.ID: String]
    ) {
        session.outcomeRefusalCounts[open.key] = nil
        noteFailures(of: outcome)
        noteConfirmed(outcome)
        session.delegateQueue.add(
            .sentRecordZoneChanges(outcome.event(batchID: open.key, localVersions)),
            .batchReported(open.key, outcome.dispositions)
        )
    }

    /// Tells the delegate of changes that have not left and will not: their zones are well.
    mutating func reportUnsent(
        _ outcome: BatchOutcome,
        under key: IdempotencyKey,
        localVersions: [Record.ID: String]
    ) {
        for (recordID, error) in outcome.failures.pairs {
            session.send.current?.ending.itemErrors[.record(recordID)] = error
            session.send.current?.unfitIDs.insert(recordID)
        }
        session.delegateQueue.add(
            .sentRecordZoneChanges(outcome.event(batchID: key, localVersions)),
            .batchReported(key, outcome.dispositions)
        )
    }

    /// Items that failed are part of the call's error, and their zones wait for the next send.
    private mutating func noteFailures(of outcome: BatchOutcome) {
        for (recordID, error) in outcome.failures.pairs {
            noteRetryDelay(of: error, zoneID: recordID.zoneID)
            if error.code == .limitExceeded, outcome.canDivide {
                session.limits.batchCountMax = max(1, outcome.dispositions.count / 2)
                continue
            }
            session.send.current?.ending.itemErrors[.record(recordID)] = error
            if error.code == .limitExceeded {
                // Its zone is well: the others of the batch go on, this one waits if it comes back.
                session.send.current?.unfitIDs.insert(recordID)
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
        case .fetchingZone, .downloadingAssets, .holdingBack:
            session.fetch.confirmed.formUnion(outcome.saved.map(\.recordID))
            session.fetch.confirmed.formUnion(outcome.deleted)
            // A conflict shows the server's version, which may be newer than the page's.
            for (recordID, error) in outcome.failures.pairs where error.serverRecord != nil {
                session.fetch.confirmed.insert(recordID)
            }
        case .idle, .awaitingAccount, .awaitingSettlement, .awaitingDelegate,
            .fetchingDatabase, .askingOptions:
            return
        }
    }
}

extension ModifyRecordsReply {
    fileprivate func fits(_ batch: RecordZoneChangeBatch) -> Bool {
        saveResults.count == batch.recordsToSave.count
            && deleteErrors.count == batch.recordIDsToDelete.count
            && zip(saveResults, batch.recordsToSave).allSatisfy { $0.isAbout($1.recordID) }
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

extension Result where Success == Record, Failure == SyncError {
    /// True unless the server says that it saved something else than this record, or gives it a
    /// change tag that is absurd.
    func isAbout(_ recordID: Record.ID) -> Bool {
        switch self {
        case .failure: true
        case .success(let stored):
            stored.recordID == recordID && stored.hasChangeTagOfSaneLength
        }
    }
}
