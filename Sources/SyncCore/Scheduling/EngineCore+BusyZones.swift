import RecordModel

// Zones that the server asked to leave alone for a while; the others go on.

extension EngineCore {
    /// Why a zone must not be asked for now; nil if it may.
    func zoneBusyError(_ zoneID: RecordZone.ID) -> SyncError? {
        session.zoneDelays.rest(of: zoneID, at: session.now).map { rest in
            SyncError(
                .zoneBusy,
                "the server asked to leave zone \(zoneID) alone",
                retryAfterSeconds: rest.inSeconds
            )
        }
    }

    /// Busy zones wait for a later send; a call that has something for them is told so.
    ///
    /// A send that nobody called leaves out zones that failed, too.
    mutating func leaveBusyZonesAlone() {
        guard let operation = session.send.current else { return }
        if operation.reason == .scheduled {
            for zoneID in session.scheduler.sendBackoffs.waitingZones(at: session.now) {
                session.send.current?.unsavedZones.insert(zoneID)
                guard session.send.current?.failedZones.contains(zoneID) == false else { continue }
                session.send.current?.failedZones.append(zoneID)
            }
        }
        for zoneID in session.zoneDelays.busyZones(at: session.now)
        where operation.options.scope.containsZone(zoneID) {
            session.send.current?.unsavedZones.insert(zoneID)
            guard session.send.current?.failedZones.contains(zoneID) == false else { continue }
            session.send.current?.failedZones.append(zoneID)
            guard operation.reason == .manual, hasWork(for: zoneID, in: operation.options.scope)
            else { continue }
            let error = zoneBusyError(zoneID)
            session.send.current?.ending.itemErrors[.zone(zoneID)] = error
        }
    }

    private func hasWork(for zoneID: RecordZone.ID, in scope: SendChangesOptions.Scope) -> Bool {
        if state.databaseChanges.entries.contains(where: { $0.change.zoneID == zoneID }) {
            return true
        }
        var part = SendChangesOptions.Scope.zoneIDs([zoneID])
        if case .recordIDs(let recordIDs) = scope {
            part = .recordIDs(recordIDs.filter { $0.zoneID == zoneID })
        }
        return state.records.hasOfferable(after: WalkPosition(), in: part)
    }

    /// Busy zones wait for a later fetch; a call is told so.
    mutating func passOverBusyZones(of zoneIDs: [RecordZone.ID]) {
        guard let operation = session.fetch.current else { return }
        for zoneID in zoneIDs {
            guard let error = zoneBusyError(zoneID) else {
                if operation.isUncalled, isWaiting(zoneID, session.scheduler.fetchBackoffs) {
                    session.fetch.current?.visitedZones.insert(zoneID)
                }
                continue
            }
            session.fetch.current?.visitedZones.insert(zoneID)
            if operation.isUncalled {
                tryAgainLater(zoneID)
            } else {
                session.fetch.current?.ending.itemErrors[.zone(zoneID)] = error
            }
        }
    }

    /// Makes sure that a fetch comes when the zone may be asked again.
    private mutating func tryAgainLater(_ zoneID: RecordZone.ID) {
        guard session.scheduler.fetchBackoffs[zoneID] == nil else { return }
        let delay = delay(of: zoneID, session.scheduler.fetchBackoffs)
        session.scheduler.fetchBackoffs.fail(zoneID, delay)
    }

    private func isWaiting(_ zoneID: RecordZone.ID, _ backoffs: ZoneBackoffs) -> Bool {
        backoffs[zoneID].map { $0.until > session.now } ?? false
    }
}
