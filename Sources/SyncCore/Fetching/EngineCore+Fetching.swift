import RecordModel

// A fetch: its announcement, the changed zones, then zone after zone, then its end.

extension EngineCore {
    mutating func announceFetch() {
        guard let operation = session.fetch.current else { return }
        session.fetch.current?.isAnnounced = true
        session.fetch.phase = .awaitingDelegate(.announcement)
        session.delegateQueue.add(
            .willFetchChanges(.init(context: operation.context)),
            .fetchAnnounced
        )
    }

    mutating func followFetch(_ followUp: FollowUp) {
        switch followUp {
        case .fetchAnnounced:
            guard case .awaitingDelegate(.announcement) = session.fetch.phase else { return }
            fetchDatabasePage()
        case .databasePageReported(let reply, let entry):
            takeDatabasePage(reply, before: entry)
        case .zoneAnnounced(let zoneID):
            guard case .awaitingDelegate(.zoneAnnouncement(zoneID)) = session.fetch.phase else {
                return
            }
            fetchZonePage(zoneID)
        case .zonePageReported(let zoneID, let token, let moreComing, let kind, _):
            takeZonePage(zoneID, token, moreComing: moreComing, kind: kind)
        case .zoneConcluded(let zoneID):
            missIfGone(zoneID)
            guard case .awaitingDelegate(.zoneConclusion(zoneID)) = session.fetch.phase else {
                return
            }
            nextZone()
        case .fetchConcluded:
            session.delegateQueue.addStateUpdate(.fetchStored)
        case .fetchStored:
            endFetch()
        case .nothing, .formerAccount, .accountAnnounced, .accountChangeAnnounced, .sendAnnounced,
            .zonesMarkStored, .zonesReported, .inFlightMarkStored, .batchReported,
            .zoneChangesAbandoned,
            .sendConcluded, .sendStored:
            return
        }
    }
}
