import RecordModel

// One thing at a time in the delegate's hands (P3), in order (P2).

extension EngineCore {
    /// Gives the delegate what comes next, if its hands are empty.
    mutating func fillDelegatesHand() {
        while case .empty = session.delegateQueue.hand, !session.delegateQueue.items.isEmpty {
            switch session.delegateQueue.items.removeFirst() {
            case .event(let event, let followUp) where isOvertaken(event):
                fetchPageAgain(followUp)
            case .event(let event, let followUp): deliver(event, followUp)
            case .stateUpdate(let followUps): deliverStateUpdate(followUps)
            case .batchQuestion(let id, let context): askForBatch(id, context)
            case .fetchOptionsQuestion(let id, let context): askForOptions(id, context)
            }
            startNextSend()
            startNextFetch()
        }
    }

    /// Asks, unless the question is stale by now, or a handler added zones, which go first.
    private mutating func askForBatch(_ id: QuestionID, _ context: SendChangesContext) {
        guard case .askingForBatch(id) = session.send.phase, !sendZones() else { return }
        session.delegateQueue.hand = .question(id)
        perform(.requestBatch(id, context))
    }

    private mutating func askForOptions(_ id: QuestionID, _ context: FetchChangesContext) {
        guard case .askingOptions(id) = session.fetch.phase else { return }
        session.delegateQueue.hand = .question(id)
        perform(.requestFetchOptions(id, context))
    }

    /// True for a page whose records went into a batch since it was fetched: what the server will
    /// make of them is not known, so the page is not told now.
    private func isOvertaken(_ event: SyncEvent) -> Bool {
        guard case .fetchedRecordZoneChanges(let page) = event else { return false }
        return state.openSends.contains { page.contains(anyOf: $0.recordIDs) }
    }

    /// A page that is not told is asked for again, by this fetch or by a later one: its token is
    /// not in the state.
    private mutating func fetchPageAgain(_ followUp: FollowUp) {
        guard case .zonePageReported(let zoneID, _, _, _, _) = followUp,
            case .awaitingDelegate(.zonePage(zoneID)) = session.fetch.phase
        else { return }
        fetchPageAgain(zoneID)
    }

    /// Forgets pages that the delegate threw at, where a send has made newer versions since.
    mutating func dropThrownPages(holding open: EngineState.OpenSend) {
        guard !session.delegateQueue.thrown.isEmpty else { return }
        let recordIDs = open.recordIDs
        session.delegateQueue.thrown.removeAll { item in
            guard case .event(.fetchedRecordZoneChanges(let page), _) = item else { return false }
            return page.contains(anyOf: recordIDs)
        }
    }

    private mutating func deliver(_ event: SyncEvent, _ followUp: FollowUp) {
        let id = EventID(makeID())
        session.delegateQueue.hand = .event(id, event, followUp)
        session.delegateQueue.folderInHand = followUp.folder
        perform(.deliver(id, event))
    }

    /// Takes the snapshot now, as it leaves.
    private mutating func deliverStateUpdate(_ followUps: [FollowUp]) {
        guard session.stateVersion != session.storedVersion else {
            for followUp in followUps { follow(followUp) }
            return
        }
        session.stateUpdateDue = nil
        guard !session.delegateQueue.keepsAccountNews else { return withhold(followUps) }
        let id = EventID(makeID())
        let update = stateUpdate()
        session.delegateQueue.hand = .stateUpdate(id, update, session.stateVersion, followUps)
        perform(.deliver(id, .stateUpdate(update)))
    }

    /// The state names an account, or the end of one, that the delegate threw at: whoever went on
    /// from it would never hear of that.
    private mutating func withhold(_ followUps: [FollowUp]) {
        for followUp in followUps {
            switch followUp {
            case .inFlightMarkStored(let key): takeBackUnsent(key)
            case .zonesMarkStored(let key): takeBackUnsentZones(key)
            case _:
                // What waits for its mark is held back, and nothing else.
                follow(followUp)
                continue
            }
            stopSend(SyncError(.notAuthenticated, "the delegate has not taken the account's news"))
        }
    }

    mutating func eventHandled(_ id: EventID, didThrow: Bool) {
        switch session.delegateQueue.hand {
        case .event(id, let event, let followUp):
            session.delegateQueue.hand = .empty
            if didThrow {
                delegateThrew(id, event, followUp)
            } else {
                noteProgress(of: event, followUp)
                follow(followUp)
                rescheduleStateUpdate(didThrow: false)
            }
        case .stateUpdate(id, let update, let version, let followUps):
            session.delegateQueue.hand = .empty
            if !didThrow {
                session.storedVersion = version
                stateUpdateHandled(update)
            }
            for followUp in followUps {
                if didThrow { stateWasNotStored(id, followUp) } else { follow(followUp) }
            }
            rescheduleStateUpdate(didThrow: didThrow)
        case .empty, .event, .stateUpdate, .question:
            return
        }
    }

    /// A state that could not be stored is offered again after a while, in automatic mode.
    private mutating func rescheduleStateUpdate(didThrow: Bool) {
        guard session.stateVersion != session.storedVersion, session.stateUpdateDue == nil,
            !didThrow || configuration.isAutomatic
        else { return }
        let delay =
            didThrow
            ? configuration.policy.backoffMin : EngineConfiguration.stateUpdateDelay
        session.stateUpdateDue = session.now.advanced(by: delay)
    }

    /// What the delegate did not take is kept; nothing that depends on it advances.
    private mutating func delegateThrew(
        _ id: EventID,
        _ event: SyncEvent,
        _ followUp: FollowUp
    ) {
        let failure = CallOutcome.delegateThrew(id)
        switch followUp {
        case .zonePageReported(let zoneID, _, _, _, _):
            keep(event, followUp)
            zonePageNotTaken(zoneID, failure)
        case .databasePageReported:
            keep(event, followUp)
            breakFetch(failure)
        case .batchReported(let key, _):
            keep(event, followUp)
            batchNotTaken(key, event, failure)
        case .zonesReported:
            keep(event, followUp)
            breakSend(failure)
        case .accountAnnounced, .accountChangeAnnounced, .zoneChangesAbandoned:
            keep(event, followUp)
            session.laterSighting = nil
            breakSend(failure)
            breakFetch(failure)
        case .sendAnnounced:
            breakSend(failure)
        case .sendConcluded:
            sendConclusionThrown(failure)
        case .fetchAnnounced, .zoneAnnounced, .zoneConcluded:
            breakFetch(failure)
        case .fetchConcluded:
            fetchConclusionThrown(failure)
        case .nothing:
            newsNotTaken(event, failure)
        case .formerAccount:
            return
        case .inFlightMarkStored, .zonesMarkStored, .sendStored, .fetchStored:
            preconditionFailure("these follow a state update only")
        }
    }

    /// The delegate did not take news on which nothing else depends.
    private mutating func newsNotTaken(_ event: SyncEvent, _ failure: CallOutcome) {
        // The end of a zone is not told twice.
        if case .didFetchRecordZoneChanges = event { return breakFetch(failure) }
        keep(event, .nothing)
        breakSend(failure)
        breakFetch(failure)
    }

    /// The delegate did not take a page: its zone waits for the next fetch.
    private mutating func zonePageNotTaken(_ zoneID: RecordZone.ID, _ failure: CallOutcome) {
        if session.fetch.current?.openZone?.id == zoneID {
            session.fetch.current?.ending.delegateFailure = failure
        } else {
            failLanes(failure)
        }
        concludeZone(zoneID, error: nil, isKept: true)
    }

    /// The delegate did not take what became of a batch: its zones wait for the next send.
    private mutating func batchNotTaken(
        _ key: IdempotencyKey,
        _ event: SyncEvent,
        _ failure: CallOutcome
    ) {
        excludeZones(of: event)
        if case .awaitingDelegate(.batch(key)) = session.send.phase {
            session.send.current?.ending.delegateFailure = failure
            continueSend()
        } else {
            // A batch of an earlier operation: whoever offered it again has failed.
            failLanes(failure)
        }
        releaseHeldPage()
    }

    /// Lets the operations under way fail; those that wait for what was thrown at end now.
    private mutating func failLanes(_ failure: CallOutcome) {
        session.send.current?.ending.delegateFailure = failure
        session.fetch.current?.ending.delegateFailure = failure
        if case .awaitingSettlement = session.send.phase { breakSend(failure) }
        if case .awaitingSettlement = session.fetch.phase { breakFetch(failure) }
    }

    private mutating func keep(_ event: SyncEvent, _ followUp: FollowUp) {
        session.delegateQueue.thrown.append(.event(event, followUp))
    }

    private mutating func stateWasNotStored(_ id: EventID, _ followUp: FollowUp) {
        let failure = CallOutcome.delegateThrew(id)
        switch followUp {
        case .inFlightMarkStored(let key):
            // Not stored, so not sent: a relaunch would know nothing of the send.
            takeBackUnsent(key)
            breakSend(failure)
        case .zonesMarkStored(let key):
            takeBackUnsentZones(key)
            breakSend(failure)
        case .sendStored:
            session.send.current?.ending.delegateFailure = failure
            endSend()
        case .fetchStored:
            session.fetch.current?.ending.delegateFailure = failure
            endFetch()
        case .nothing:
            return
        case .formerAccount, .accountAnnounced, .accountChangeAnnounced, .sendAnnounced,
            .zonesReported, .batchReported, .zoneChangesAbandoned, .sendConcluded, .fetchAnnounced,
            .databasePageReported, .zoneAnnounced, .zonePageReported, .zoneConcluded,
            .fetchConcluded:
            preconditionFailure("these follow other events")
        }
    }

    /// Puts what the delegate threw at back in front of everything else.
    mutating func redeliverThrownEvents() {
        guard !session.delegateQueue.thrown.isEmpty else { return }
        session.delegateQueue.items.insert(contentsOf: session.delegateQueue.thrown, at: 0)
        session.delegateQueue.thrown = []
    }

    /// Goes on where an event that was handled belongs.
    mutating func follow(_ followUp: FollowUp) {
        switch followUp {
        case .nothing, .formerAccount:
            return
        case .accountAnnounced(let userRecordName):
            accountAnnounced(userRecordName)
        case .accountChangeAnnounced:
            accountIsVerified()
        case .sendAnnounced, .zonesMarkStored, .zonesReported, .inFlightMarkStored,
            .batchReported, .zoneChangesAbandoned, .sendConcluded, .sendStored:
            followSend(followUp)
        case .fetchAnnounced, .databasePageReported, .zoneAnnounced, .zonePageReported,
            .zoneConcluded, .fetchConcluded, .fetchStored:
            followFetch(followUp)
        }
    }
}

extension SyncEvent.FetchedRecordZoneChanges {
    fileprivate func contains(anyOf recordIDs: Set<Record.ID>) -> Bool {
        modifications.contains { recordIDs.contains($0.record.recordID) }
            || deletions.contains { recordIDs.contains($0.recordID) }
    }
}
