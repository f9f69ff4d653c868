import RecordModel

// Sends of earlier whose outcome is not known: asked for before anything new goes out.

extension EngineCore {
    /// Open sends that nobody is dealing with.
    var unsettledSends: [EngineState.OpenSend] {
        state.openSends.filter { open in
            !activeKeys.contains(open.key) && !reportedKeys.contains(open.key)
        }
    }

    /// The keys that the present send is dealing with.
    private var activeKeys: [IdempotencyKey] {
        (activeKey.map { [$0] } ?? []) + (session.send.current?.parts.map(\.key) ?? [])
    }

    /// The key of the batch that the present send is dealing with.
    private var activeKey: IdempotencyKey? {
        switch session.send.phase {
        case .storingMark(let flight), .sendingBatch(_, let flight),
            .askingOutcome(_, let flight, _):
            flight.key
        case .awaitingDelegate(.batch(let key)): key
        case .idle, .awaitingAccount, .awaitingSettlement, .awaitingDelegate, .storingZonesMark,
            .sendingZones, .askingZonesOutcome, .askingForBatch,
            .preparingAssets:
            nil
        }
    }

    /// Keys whose outcome is known, the delegate has or will have it, or threw at it.
    private var reportedKeys: [IdempotencyKey] {
        session.delegateQueue.thrown.compactMap(\.reportedKey) + keysOnTheirWay
    }

    /// Keys whose outcome the delegate has in hand or gets without another call.
    private var keysOnTheirWay: [IdempotencyKey] {
        var items = session.delegateQueue.items
        if case .event(_, let event, let followUp) = session.delegateQueue.hand {
            items.append(.event(event, followUp))
        }
        return items.compactMap(\.reportedKey)
    }

    /// True if an open send will be closed without another call of the app.
    func isBeingSettled(_ open: EngineState.OpenSend) -> Bool {
        open.key == activeKey || keysOnTheirWay.contains(open.key)
    }

    mutating func settleThenSend() {
        session.send.phase = .awaitingSettlement
        if isSettled() { announceSend() }
    }

    mutating func settleThenFetch() {
        session.fetch.phase = .awaitingSettlement
        if isSettled() { announceFetch() }
    }

    /// True if no send of earlier is open; else the server is asked, and the lanes go on later.
    private mutating func isSettled() -> Bool {
        guard let open = unsettledSends.first else { return true }
        #if PLANTED_BUGS
            if makes(.outcomeNotAsked) { return true }
        #endif
        if session.settling == nil {
            let id = RequestID(makeID())
            session.settling = (id, open.key)
            perform(
                .askOutcome(id, .init(idempotencyKey: open.key), account: requestAccount)
            )
        }
        return false
    }

    mutating func outcomeReceived(
        _ id: RequestID,
        _ result: Result<SendOutcome, SyncError>
    ) {
        if case .askingOutcome(id, let flight, let lost) = session.send.phase {
            return outcomeReceived(of: flight, lost: lost, result)
        }
        if case .askingZonesOutcome(id, let key) = session.send.phase {
            return zonesOutcomeReceived(key, result)
        }
        guard let settling = session.settling, settling.request == id else { return }
        session.settling = nil
        guard let open = state.openSends.first(where: { $0.key == settling.key }) else { return }
        switch result {
        case .success(.known(let reply)) where reply.fits(open):
            report(open, reply)
        case .success(let outcome):
            offerAgain(open, outcome)
        case .failure(let error):
            noteRetryDelay(of: error)
            if RequestOutcome(error.code) == .askAccount { session.isAccountVerified = false }
            if isOutcomeDenied(open.key, error) { return offerAgain(open, .unsupported) }
            if case .awaitingSettlement = session.send.phase { stopSend(error) }
            if case .awaitingSettlement = session.fetch.phase { stopFetch(error) }
        }
    }

    /// The server has not taken it and never will, or does not say: its changes stand where they
    /// stood, to be sent again.
    private mutating func offerAgain(_ open: EngineState.OpenSend, _ outcome: SendOutcome) {
        session.outcomeRefusalCounts[open.key] = nil
        noteResend(of: open.changes.map(\.change.recordID), outcome)
        record(.sendClosed(open.key, open.changes.map { _ in .returned }))
        settlementMoved()
    }

    /// Lets the lanes that wait for settlement go on, or asks for the next open send.
    mutating func settlementMoved() {
        if case .awaitingSettlement = session.send.phase, isSettled() { announceSend() }
        if case .awaitingSettlement = session.fetch.phase, isSettled() { announceFetch() }
    }
}

extension DelegateQueue.Item {
    /// The batch whose outcome this tells of.
    fileprivate var reportedKey: IdempotencyKey? {
        guard case .event(_, .batchReported(let key, _)) = self else { return nil }
        return key
    }
}

extension ModifyRecordsReply {
    /// True if it has a result for each change of the send.
    fileprivate func fits(_ open: EngineState.OpenSend) -> Bool {
        let saves = open.changes.count { $0.change.isSave }
        return saveResults.count == saves
            && saveResults.count + deleteErrors.count == open.changes.count
            && zip(saveResults, open.changes).allSatisfy { $0.isAbout($1.change.recordID) }
    }
}
