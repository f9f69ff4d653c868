import RecordModel

// How the fetch of a zone, and a fetch, end.

extension EngineCore {
    /// Ends the fetch of a zone; the others go on.
    ///
    /// `isKept` says that a page of it waits for the delegate to take it.
    mutating func concludeZone(
        _ zoneID: RecordZone.ID,
        error: SyncError?,
        isKept: Bool = false
    ) {
        guard let operation = session.fetch.current else { return }
        session.fetch.current?.visitedZones.insert(zoneID)
        if let error { session.fetch.current?.ending.itemErrors[.zone(zoneID)] = error }
        guard let open = operation.openZone, open.id == zoneID else {
            // A page of an earlier fetch that was offered again: this one has not come to it.
            return
        }
        session.fetch.current?.openZone = nil
        session.fetch.phase = .awaitingDelegate(.zoneConclusion(zoneID))
        let reported =
            isKept
            ? SyncError(.operationCancelled, "the delegate threw: the page is offered again")
            : error
        session.delegateQueue.add(
            .didFetchRecordZoneChanges(
                .init(zoneID: zoneID, error: reported, kind: open.kind)
            ),
            .zoneConcluded(zoneID)
        )
    }

    /// A zone that the server does not have is not asked for again and again: the list of zones
    /// tells when it is there.
    ///
    /// Until that list tells that it is gone, the app does not know; and if it is made again before
    /// then, the list never tells. So the next fetch of it is a full one, whose absences are
    /// deletions.
    mutating func missIfGone(_ zoneID: RecordZone.ID) {
        switch session.fetch.current?.ending.itemErrors[.zone(zoneID)]?.code {
        case .zoneNotFound, .userDeletedZone:
            #if PLANTED_BUGS
                if makes(.missingZoneForgotten) {
                    record(.zoneForgotten(zoneID))
                    return
                }
            #endif
            record(.zoneMissed(zoneID))
        case _: return
        }
    }

    /// Ends the present fetch early; what was begun is concluded.
    mutating func stopFetch(_ error: SyncError) {
        guard let operation = session.fetch.current else { return }
        if operation.ending.error == nil { session.fetch.current?.ending.error = error }
        concludeFetch()
    }

    /// Ends the present fetch because the delegate threw.
    mutating func breakFetch(_ failure: CallOutcome) {
        guard session.fetch.current != nil else { return }
        session.fetch.current?.ending.delegateFailure = failure
        session.fetch.current?.ending.isBroken = true
        concludeFetch()
    }

    /// The delegate threw at `didFetchChanges`: only the last state update is left.
    mutating func fetchConclusionThrown(_ failure: CallOutcome) {
        session.fetch.current?.ending.delegateFailure = failure
        session.delegateQueue.addStateUpdate(.fetchStored)
    }

    mutating func concludeFetch() {
        guard let operation = session.fetch.current else { return }
        if case .awaitingDelegate(.conclusion) = session.fetch.phase { return }
        session.fetch.phase = .awaitingDelegate(.conclusion)
        session.fetch.confirmed = []
        guard operation.isAnnounced else {
            return session.delegateQueue.addStateUpdate(.fetchStored)
        }
        if let open = operation.openZone {
            session.fetch.current?.openZone = nil
            let error = operation.ending.reasonToStop
            session.delegateQueue.add(
                .didFetchRecordZoneChanges(
                    .init(zoneID: open.id, error: error, kind: open.kind)
                )
            )
        }
        session.delegateQueue.add(
            .didFetchChanges(.init(context: operation.context)),
            .fetchConcluded
        )
    }

    mutating func endFetch() {
        guard let operation = session.fetch.current else { return }
        session.fetch.current = nil
        session.fetch.phase = .idle
        end(operation.calls, operation.ending.outcome)
        scheduleFetch(after: operation)
    }
}
