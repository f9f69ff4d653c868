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
    mutating func leaveBusyZonesAlone() {
        guard let operation = session.send.current else { return }
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
            guard let error = zoneBusyError(zoneID) else { continue }
            session.fetch.current?.visitedZones.insert(zoneID)
            guard operation.reason == .manual else { continue }
            session.fetch.current?.ending.itemErrors[.zone(zoneID)] = error
        }
    }

    /// Makes sure that a send comes when the first busy zone may be asked again.
    mutating func sendToBusyZonesLater() {
        guard configuration.isAutomatic,
            let end = session.zoneDelays.firstEnd(after: session.now)
        else { return }
        session.automatic.sendDue = min(session.automatic.sendDue ?? end, end)
    }

    /// Makes sure that a fetch comes when the first busy zone with news may be asked again.
    mutating func fetchBusyZonesLater() {
        let unfetched = Set(zoneIDsWithUnfetchedChanges)
        let busyZones = session.zoneDelays.busyZones(at: session.now)
        guard configuration.isAutomatic, busyZones.contains(where: unfetched.contains),
            let end = session.zoneDelays.firstEnd(after: session.now)
        else { return }
        session.automatic.fetchDue = min(session.automatic.fetchDue ?? end, end)
    }
}
