import RecordModel

// A send: its announcement, the zones, then batch after batch, then its end.

extension EngineCore {
    mutating func announceSend() {
        guard let operation = session.send.current else { return }
        session.send.current?.isAnnounced = true
        session.send.phase = .awaitingDelegate(.announcement)
        session.delegateQueue.add(
            .willSendChanges(.init(context: operation.context)),
            .sendAnnounced
        )
    }

    mutating func followSend(_ followUp: FollowUp) {
        switch followUp {
        case .sendAnnounced:
            guard case .awaitingDelegate(.announcement) = session.send.phase else { return }
            continueSend()
        case .zonesMarkStored(let key):
            sendMarkedZones(key)
        case .zonesReported(let key, let settled, let deleted):
            closeZoneSend(key, settled, deleted)
        case .inFlightMarkStored(let key):
            sendMarkedBatch(key)
        case .batchReported(let key, let dispositions):
            closeSend(key, dispositions)
        case .zoneChangesAbandoned(let ended):
            record(.zoneChangesAbandoned(ended))
            for end in ended {
                session.failureCounts.forget(end.change.recordID)
                unblockChildren(of: end.change.recordID)
            }
        case .sendConcluded:
            session.delegateQueue.addStateUpdate(.sendStored)
        case .sendStored:
            endSend()
        case .nothing, .formerAccount, .accountAnnounced, .accountChangeAnnounced, .fetchAnnounced,
            .databasePageReported, .zoneAnnounced, .zonePageReported, .zoneConcluded,
            .fetchConcluded, .fetchStored:
            return
        }
    }

    /// The next step of the present send: zones first, then the next batch.
    mutating func continueSend() {
        guard let operation = session.send.current else { return }
        if operation.ending.mustStop { return concludeSend() }
        if let error = retryDelayError() { return stopThrottledSend(error) }
        leaveBusyZonesAlone()
        if sendZones() { return }
        if openNextPart() { return }
        if leavesRestToNextPass { return concludeSend() }
        askForBatch(operation)
    }

    private mutating func askForBatch(_ operation: SendOperation) {
        let id = QuestionID(makeID())
        session.send.phase = .askingForBatch(id)
        session.send.current?.isUntrackedFlagNew = false
        session.send.current?.addedMeanwhile = []
        session.send.current?.walkEnd = state.records.nextSequence
        offerRaised()
        var options = operation.options
        options.scope = options.scope.excluding(operation.failedZones)
        session.delegateQueue.items.append(
            .batchQuestion(id, .init(reason: operation.reason, options: options, source: nil))
        )
    }

    mutating func batchFailed(_ id: QuestionID) {
        guard case .question(id) = session.delegateQueue.hand else { return }
        session.delegateQueue.hand = .empty
        guard case .askingForBatch(id) = session.send.phase else { return }
        breakSend(.delegateThrewAnswering(id))
    }

    mutating func batchProvided(_ id: QuestionID, _ batch: RecordZoneChangeBatch?) {
        guard case .question(id) = session.delegateQueue.hand else { return }
        session.delegateQueue.hand = .empty
        guard case .askingForBatch(id) = session.send.phase,
            let operation = session.send.current
        else { return }
        guard let batch, batch.count > 0 else { return noBatchProvided() }
        if let error = operation.refusal(of: batch) { return stopSend(error) }
        let sendable = batch.excluding(
            zones: operation.failedZones,
            records: operation.unfitIDs.union(operation.assetIDs)
        )
        guard sendable.count > 0 else { return concludeSend() }
        let light = puttingOffAssets(sendable)
        // What comes behind them may go.
        guard light.count > 0 else { return continueSend() }
        if createMissingZones(of: light) { return continueSend() }
        if let error = countUnlisted(light) { return stopSend(error) }
        if let walk = batch.walk { session.send.current?.walk = walk }
        if prepareAssets(of: light, walkBefore: operation.walk) { return }
        openSend(light, walkBefore: operation.walk)
    }

    /// No batch ends the stage, unless a handler or the provider added zones meanwhile.
    private mutating func noBatchProvided() {
        let wasAskedForAll = session.send.current?.asksForAll == true
        let isFlagNew = session.send.current?.isUntrackedFlagNew == true
        if state.hasPendingUntrackedChanges, wasAskedForAll, !isFlagNew {
            record(.untrackedChangesSet(false))
        }
        if sendZones() { return }
        if isToBeAskedOnceMore {
            session.send.current?.isAskedOnceMore = true
            return continueSend()
        }
        concludeSend()
    }

    /// True if the app gave no batch, and added changes while it was asked, for the first time
    /// since the last batch.
    private var isToBeAskedOnceMore: Bool {
        guard let operation = session.send.current, !operation.isAskedOnceMore else { return false }
        return operation.walkEnd < state.records.nextSequence || !operation.raisedIDs.isEmpty
    }

    /// Puts saves of unknown zones first, once; true if there are any.
    private mutating func createMissingZones(of batch: RecordZoneChangeBatch) -> Bool {
        guard configuration.createsMissingZones else { return false }
        var missing: [RecordZone.ID] = []
        for record in batch.recordsToSave {
            let zoneID = record.recordID.zoneID
            guard zoneID != .default, state.zones[zoneID]?.isMissing != false,
                session.ensuredZones.insert(zoneID).inserted
            else { continue }
            missing.append(zoneID)
        }
        guard !missing.isEmpty else { return false }
        record(.databaseChangesAdded(missing.map { .saveZone(RecordZone(zoneID: $0)) }))
        return true
    }

    /// A delegate that for ever offers changes which nobody listed must not spin for ever (I21).
    private mutating func countUnlisted(_ batch: RecordZoneChangeBatch) -> SyncError? {
        let isListed =
            state.hasPendingUntrackedChanges
            || batch.recordsToSave.contains { state.records.status(of: $0.recordID) != nil }
            || batch.recordIDsToDelete.contains { state.records.status(of: $0) != nil }
        let count = isListed ? 0 : (session.send.current?.unlistedBatchCount ?? 0) + 1
        session.send.current?.unlistedBatchCount = count
        guard count > EngineConfiguration.unlistedBatchCountMax else { return nil }
        return SyncError(
            .invalidArguments,
            "the delegate gave \(count) batches in a row without one pending change: "
                + "return nil when nothing is left to send"
        )
    }

    /// Marks a batch as in flight; it leaves once the state with the mark is stored (P9).
    mutating func openSend(_ batch: RecordZoneChangeBatch, walkBefore: WalkPosition) {
        let (opened, isInOrder) = opened(of: batch)
        if !isInOrder, let twice = batch.repeatedRecordID {
            return stopSend(SyncError(.invalidArguments, "the batch holds \(twice) twice"))
        }
        let key = markInFlight(opened)
        storeMark(of: BatchInFlight(key: key, batch: batch, walkBefore: walkBefore))
    }

    mutating func markInFlight(_ opened: [StateChange.OpenedChange]) -> IdempotencyKey {
        session.send.current?.isAskedOnceMore = false
        let key = record(.sendOpened(opened))
        keepWhatWasAddedMeanwhile(opened)
        return key
    }

    /// The changes of a batch with the entries they came from.
    ///
    /// In order are changes that are pending, each behind the one before in its zone, as the
    /// engine's own walk gives them: then none stands twice.
    func opened(
        of batch: RecordZoneChangeBatch
    ) -> (changes: [StateChange.OpenedChange], isInOrder: Bool) {
        var opened: [StateChange.OpenedChange] = []
        opened.reserveCapacity(batch.count)
        var isInOrder = true
        var guess: QueueIndex.Place?
        let (records, writers) = (state.records, state.writers)
        func open(
            _ change: PendingRecordZoneChange,
            _ recordType: Record.RecordType,
            _ walk: inout WalkPosition
        ) {
            let origin = records.origin(of: change, guess: &guess)
            if origin != nil, let next = guess, walk[next.zone] < next.slot {
                walk[next.zone] = next.slot
            } else {
                isInOrder = false
            }
            let entry = origin.map { origin in
                IdempotencyKey(writer: writers[Int(origin.writer)].writer, number: origin.number)
            }
            opened.append(.init(change: change, recordType: recordType, entry: entry))
        }
        var (saves, deletions) = (WalkPosition(), WalkPosition())
        for record in batch.recordsToSave {
            open(.saveRecord(record.recordID), record.recordType, &saves)
        }
        for recordID in batch.recordIDsToDelete { open(.deleteRecord(recordID), "", &deletions) }
        return (opened, isInOrder)
    }

    /// An edit made while its batch was being made may have come too late for it: it stays pending
    /// behind the flight.
    private mutating func keepWhatWasAddedMeanwhile(_ opened: [StateChange.OpenedChange]) {
        #if PLANTED_BUGS
            if makes(.editWhileBatchIsMadeLost) { return }
        #endif
        guard let added = session.send.current?.addedMeanwhile, !added.isEmpty else { return }
        let kept = opened.map(\.change).filter(added.contains)
        session.send.current?.addedMeanwhile.subtract(kept)
        guard !kept.isEmpty, let open = state.openSends.last else { return }
        var priorities: [Record.ID: SyncPriority] = [:]
        for (change, place) in zip(open.changes, open.returns) {
            guard case .oldPlace(let taken) = place else { continue }
            priorities[change.change.recordID] = taken.priority
        }
        let plain = kept.filter { priorities[$0.recordID] == nil }
        if !plain.isEmpty { record(.recordChangesAdded(plain)) }
        for priority in SyncPriority.allCases {
            let changes = kept.filter { priorities[$0.recordID] == priority }
            if !changes.isEmpty { record(.prioritizedChangesAdded(changes, priority)) }
        }
    }

    private mutating func storeMark(of flight: BatchInFlight) {
        session.send.phase = .storingMark(flight)
        #if PLANTED_BUGS
            if makes(.sendBeforeMark) {
                sendMarkedBatch(flight.key)
                return session.delegateQueue.addStateUpdate(.nothing)
            }
        #endif
        session.delegateQueue.addStateUpdate(.inFlightMarkStored(flight.key))
    }

    /// Gives the next part of a batch that was too large its own mark; false if there is none.
    private mutating func openNextPart() -> Bool {
        while let part = session.send.current?.parts.first {
            session.send.current?.parts.removeFirst()
            let failedZones = session.send.current?.failedZones ?? []
            let batch = part.batch.excluding(zones: failedZones, records: [])
            guard batch.count > 0 else {
                takeBackLeftovers(of: part.key)
                continue
            }
            let key = record(.sendPartOpened(of: part.key, batch.recordIDs))
            takeBackLeftovers(of: part.key)
            storeMark(of: BatchInFlight(key: key, batch: batch, walkBefore: part.walkBefore))
            return true
        }
        return false
    }

    /// What no further part of a batch will send is pending again: its zone failed meanwhile.
    private mutating func takeBackLeftovers(of key: IdempotencyKey) {
        guard session.send.current?.parts.contains(where: { $0.key == key }) == false else {
            return
        }
        takeBackUnsent(key)
    }

    private mutating func sendMarkedBatch(_ key: IdempotencyKey) {
        guard case .storingMark(let flight) = session.send.phase, flight.key == key else { return }
        guard session.send.current?.ending.mustStop == false else {
            return reportCancelled(flight)
        }
        if let error = retryDelayError() {
            session.send.current?.ending.error = error
            return fail(flight, error)
        }
        let id = RequestID(makeID())
        session.send.phase = .sendingBatch(id, flight)
        session.progress.noteSent(flight.batch.recordsToSave.zoneRuns)
        session.progress.noteSent(flight.batch.recordIDsToDelete.lazy.map(\.zoneID).runs)
        session.send.current?.sentBatchCount += 1
        #if PLANTED_BUGS
            if makes(.keyReused) {
                var request = flight.request
                request.idempotencyKey = IdempotencyKey(writer: flight.key.writer, number: 1)
                return perform(.modifyRecords(id, request, account: requestAccount))
            }
        #endif
        perform(.modifyRecords(id, flight.request, account: requestAccount))
    }

    /// A batch that was cancelled before it left is reported, and its changes stay pending.
    private mutating func reportCancelled(_ flight: BatchInFlight) {
        let error = SyncError(.operationCancelled, "cancelled before it was sent")
        fail(flight, error)
    }

    /// The state with the mark could not be stored: its changes are pending as before.
    mutating func takeBackUnsent(_ key: IdempotencyKey) {
        guard let open = state.openSends.first(where: { $0.key == key }) else { return }
        #if PLANTED_BUGS
            if makes(.unsentChangesForgotten) {
                record(.sendClosed(key, open.changes.map { _ in .surfaced }))
                return
            }
        #endif
        record(.sendClosed(key, open.changes.map { _ in .returned }))
    }

    private mutating func closeSend(
        _ key: IdempotencyKey,
        _ dispositions: [StateChange.Disposition]
    ) {
        guard let open = state.openSends.first(where: { $0.key == key }) else { return }
        #if PLANTED_BUGS
            let dispositions = planted(dispositions, of: open)
        #endif
        record(.sendClosed(key, dispositions))
        dropThrownPages(holding: open)
        if dispositions.contains(where: { $0 != .returned }) {
            session.send.current?.hasMoved = true
        }
        unblockChildren(of: open, dispositions)
        releaseHeldPage()
        settlementMoved()
        guard case .awaitingDelegate(.batch(key)) = session.send.phase else { return }
        continueSend()
    }
}

extension EngineCore {
    private mutating func unblockChildren(
        of open: EngineState.OpenSend,
        _ dispositions: [StateChange.Disposition]
    ) {
        guard !session.children.isEmpty else { return }
        for (change, disposition) in zip(open.changes, dispositions) {
            switch disposition {
            case .confirmed, .surfaced: unblockChildren(of: change.change.recordID)
            case .parked, .quarantined, .returned: continue
            }
        }
    }
}

// How a send ends.

extension EngineCore {
    /// Ends the present send early; `didSendChanges` still comes if `willSendChanges` did.
    mutating func stopSend(_ error: SyncError) {
        guard let operation = session.send.current else { return }
        if operation.ending.error == nil { session.send.current?.ending.error = error }
        concludeSend()
    }

    /// The server wants to be left alone: what it said of single items is error enough.
    private mutating func stopThrottledSend(_ error: SyncError) {
        guard session.send.current?.ending.itemErrors.isEmpty == true else {
            return concludeSend()
        }
        stopSend(error)
    }

    /// Ends the present send because the delegate threw.
    mutating func breakSend(_ failure: CallOutcome) {
        guard session.send.current != nil else { return }
        session.send.current?.ending.delegateFailure = failure
        session.send.current?.ending.isBroken = true
        concludeSend()
    }

    /// The delegate threw at `didSendChanges`: only the last state update is left.
    mutating func sendConclusionThrown(_ failure: CallOutcome) {
        session.send.current?.ending.delegateFailure = failure
        session.delegateQueue.addStateUpdate(.sendStored)
    }

    mutating func concludeSend() {
        guard let operation = session.send.current else { return }
        if case .awaitingDelegate(.conclusion) = session.send.phase { return }
        session.send.phase = .awaitingDelegate(.conclusion)
        session.send.current?.parts = []
        for part in operation.parts { takeBackUnsent(part.key) }
        guard operation.isAnnounced else {
            return session.delegateQueue.addStateUpdate(.sendStored)
        }
        let event = SyncEvent.DidSendChanges(
            context: operation.context,
            postponedChanges: operation.postponed
        )
        session.delegateQueue.add(.didSendChanges(event), .sendConcluded)
    }

    mutating func endSend() {
        guard let operation = session.send.current else { return }
        session.send.current = nil
        session.send.phase = .idle
        end(operation.calls, operation.ending.outcome)
        releaseHeldPage()
        settlementMoved()
        scheduleSend(after: operation)
    }
}

extension SendOperation {
    /// True if its questions are about all zones: else an answer of nil says nothing of the others.
    fileprivate var asksForAll: Bool { options.scope == .all && failedZones.isEmpty }

    /// Why a batch cannot be sent whatever it holds; nil if it can.
    fileprivate func refusal(of batch: RecordZoneChangeBatch) -> SyncError? {
        guard options.scope != .all,
            let outside = batch.recordIDs.first(where: { !options.scope.contains($0) })
        else { return nil }
        return SyncError(
            .invalidArguments,
            "the batch holds \(outside), which is outside the scope \(options.scope): "
                + "take only changes that context.options.scope contains"
        )
    }
}

extension RecordZoneChangeBatch {
    /// The first record that the batch names a second time; nil if there is none.
    var repeatedRecordID: Record.ID? {
        var seen = Set<Record.ID>(minimumCapacity: count)
        return recordIDs.first { !seen.insert($0).inserted }
    }
}

extension RecordZoneChangeBatch {
    /// The batch without the changes of some zones and records.
    fileprivate func excluding(
        zones: [RecordZone.ID],
        records: Set<Record.ID>
    ) -> RecordZoneChangeBatch {
        guard !zones.isEmpty || !records.isEmpty else { return self }
        return divided { zones.contains($0.zoneID) || records.contains($0) }.second
    }
}

extension RecordZoneChangeBatch {
    fileprivate var recordsWithoutFilePaths: [Record] {
        // Mostly none holds a file: then the list is handed on as it is.
        guard recordsToSave.contains(where: \.holdsAssets) else { return recordsToSave }
        return recordsToSave.map(\.withoutFilePaths)
    }
}

extension BatchInFlight {
    /// The request that sends the batch.
    var request: ModifyRecordsRequest {
        ModifyRecordsRequest(
            recordsToSave: batch.recordsWithoutFilePaths,
            recordsToDelete: batch.recordIDsToDelete.map {
                RecordDeletion(recordID: $0, expectedChangeTag: batch.expectedChangeTags[$0])
            },
            savePolicy: .ifServerRecordUnchanged,
            isAtomicByZone: batch.atomicByZone,
            idempotencyKey: key
        )
    }
}

extension ModifyRecordsReply {
    /// The reply that fails every change of a batch with one error.
    static func allFailing(
        with error: SyncError,
        like batch: RecordZoneChangeBatch
    ) -> ModifyRecordsReply {
        ModifyRecordsReply(
            saveResults: batch.recordsToSave.map { _ in .failure(error) },
            deleteErrors: batch.recordIDsToDelete.map { _ in error }
        )
    }
}

#if PLANTED_BUGS
    extension EngineCore {
        /// What a planted mistake makes of the end of a send.
        private mutating func planted(
            _ dispositions: [StateChange.Disposition],
            of open: EngineState.OpenSend
        ) -> [StateChange.Disposition] {
            if makes(.newerEditConfirmedToo) {
                removeRecordZoneChanges(open.changes.map(\.change))
            }
            guard makes(.failedChangesForgotten) else { return dispositions }
            return dispositions.map { $0 == .returned ? .surfaced : $0 }
        }
    }
#endif
