package import RecordModel

extension Server {
    /// Answers which zones changed, each once with its last change, the caller's own writes too.
    package mutating func databaseChanges(
        _ request: DatabaseChangesRequest,
        from caller: ServerCaller,
        at now: Timestamp
    ) throws(SyncError) -> DatabaseChangesReply {
        try fetch(at: now) { try $0.databasePage(request, from: caller) }
    }

    private func databasePage(
        _ request: DatabaseChangesRequest,
        from caller: ServerCaller
    ) throws -> FetchAnswer<DatabaseChangesReply> {
        _ = try admit(caller)
        let feed = Feed.database(caller.database)
        let database = try storage.database(caller.database)
        let start = try start(of: request.since, in: feed, head: database.head)
        if case .beyondHead = start { return .beyondHead }
        let bookmark = try bookmark(
            from: start,
            generation: 0,
            floor: database.floor,
            head: database.head
        )
        let countMax = pageCount(wanted: request.resultsLimit)
        var zones = try storage.zones(
            in: caller.database,
            after: bookmark.position,
            countMax: countMax + 1
        )
        let isLast = zones.count <= countMax
        if !isLast { zones.removeLast() }
        let last = isLast ? nil : zones.last?.position
        let token = token(after: last, of: bookmark, in: feed, head: database.head)
        let shown = zones.filter {
            $0.deletion == nil || $0.position.sequence > bookmark.listedThrough
        }
        var reply = databaseReply(shown, token: token, isLast: isLast)
        if request.since == nil {
            reply.deletions += try deletions(among: request.knownZoneIDs, from: caller)
        }
        reply.historyID = try historyID()
        return .page(reply)
    }

    /// Which of the zones that a caller knows are gone, and why; those forgotten are not named.
    private func deletions(
        among zoneIDs: [RecordZone.ID],
        from caller: ServerCaller
    ) throws -> [Database.DatabaseChange.Deletion] {
        var seen: Set<String> = []
        var deletions: [Database.DatabaseChange.Deletion] = []
        for zoneID in zoneIDs.prefix(knownZoneCountMax) {
            guard let zoneName = try? caller.zoneName(of: zoneID), seen.insert(zoneName).inserted,
                let zone = try storage.zone(zoneName, in: caller.database),
                let reason = zone.deletion
            else { continue }
            deletions.append(.init(zoneID: zone.recordZone.zoneID, reason: reason))
        }
        return deletions
    }

    private func databaseReply(
        _ zones: [StoredZone],
        token: ServerChangeToken,
        isLast: Bool
    ) -> DatabaseChangesReply {
        var reply = DatabaseChangesReply(
            modifications: [],
            deletions: [],
            changeToken: token,
            moreComing: !isLast
        )
        for zone in zones {
            let zoneID = zone.recordZone.zoneID
            if let reason = zone.deletion {
                reply.deletions.append(.init(zoneID: zoneID, reason: reason))
            } else {
                reply.modifications.append(.init(zoneID: zoneID))
            }
        }
        return reply
    }
}

/// Zones beyond this number in one request are not looked at: a row is read for each.
private let knownZoneCountMax = 10_000
