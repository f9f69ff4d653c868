import RecordModel

// How far the engine has come.

extension EngineCore {
    /// What is left, and what the newest operations have done.
    ///
    /// The cost grows with the number of zones and with what is in flight, not with what waits.
    package var progress: SyncProgress {
        let done = session.progress
        var table = OrderedTable<RecordZone.ID, SyncProgress.Counts>()
        for zone in remainingChanges {
            table[zone.zoneID, default: .init()].remaining = zone.remaining
        }
        for (zoneID, send) in done.send.pairs {
            table[zoneID, default: .init()].sentCount = send.sentCount
            table[zoneID, default: .init()].confirmedCount = send.confirmedCount
        }
        for (zoneID, count) in done.fetched.pairs {
            table[zoneID, default: .init()].fetchedCount = count
        }
        let unfetched = zoneIDsWithUnfetchedChanges
        for zoneID in unfetched where table[zoneID] == nil { table[zoneID] = .init() }
        return SyncProgress(
            zones: table.pairs.map { zoneID, counts in
                .init(
                    zoneID: zoneID,
                    counts: counts,
                    isFetchTotalKnown: !hasUnfetchedChanges(zoneID)
                )
            },
            isSending: session.send.current != nil,
            isFetching: session.fetch.current != nil,
            isSendTotalKnown: !state.hasPendingUntrackedChanges,
            isFetchTotalKnown: done.hasZoneList
                && !unfetched.contains(where: done.fetchScope.contains)
        )
    }

    private func hasUnfetchedChanges(_ zoneID: RecordZone.ID) -> Bool {
        state.zones[zoneID]?.hasUnfetchedChanges ?? false
    }

    /// Counts what the delegate has heard of, before the state follows.
    mutating func noteProgress(of event: SyncEvent, _ followUp: FollowUp) {
        switch followUp {
        case .zonePageReported(let zoneID, _, _, _, _):
            guard case .fetchedRecordZoneChanges(let page) = event else { return }
            session.progress.fetched[zoneID, default: 0] +=
                page.modifications.count + page.deletions.count
        case .batchReported(let key, _):
            // One of an earlier send is not this one's work.
            guard case .awaitingDelegate(.batch(key)) = session.send.phase,
                case .sentRecordZoneChanges(let sent) = event
            else { return }
            session.progress.noteConfirmed(sent.savedRecords.zoneRuns)
            session.progress.noteConfirmed(sent.deletedRecordIDs.lazy.map(\.zoneID).runs)
        case .zonesReported:
            guard case .awaitingDelegate(.zones) = session.send.phase,
                case .sentDatabaseChanges(let sent) = event
            else { return }
            session.progress.noteConfirmed(sent.savedZones.map(\.zoneID).runs)
            session.progress.noteConfirmed(sent.deletedZoneIDs.runs)
        case .nothing, .formerAccount, .accountAnnounced, .accountChangeAnnounced, .sendAnnounced,
            .databasePageReported, .zonesMarkStored, .inFlightMarkStored, .zoneChangesAbandoned,
            .sendConcluded,
            .sendStored,
            .fetchAnnounced, .zoneAnnounced, .zoneConcluded, .fetchConcluded, .fetchStored:
            return
        }
    }
}
