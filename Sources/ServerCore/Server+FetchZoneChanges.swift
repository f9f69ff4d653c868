package import RecordModel

extension Server {
    /// Answers which records of a zone changed, each once with its last change, by commit.
    ///
    /// Saves and deletions are in one order. `moreComing` is false exactly if nothing lies behind
    /// the page, and the token moves on even if the page is empty. A fetch from no token lists no
    /// deletions but those that happen while it goes on, unless the request includes them.
    package mutating func zoneChanges(
        _ request: ZoneChangesRequest,
        from caller: ServerCaller,
        at now: Timestamp
    ) throws(SyncError) -> ZoneChangesReply {
        try fetch(at: now) { try $0.zonePage(request, from: caller) }
    }

    private func zonePage(
        _ request: ZoneChangesRequest,
        from caller: ServerCaller
    ) throws -> FetchAnswer<ZoneChangesReply> {
        _ = try admit(caller)
        let zoneName = try caller.zoneName(of: request.zoneID)
        let feed = Feed.zone(caller.database, zoneName: zoneName)
        let head = try storage.database(caller.database).head
        // The token is looked at before the zone: after a restore the zone may be missing, and
        // the token is what tells.
        let start = try start(of: request.since, in: feed, head: head)
        if case .beyondHead = start { return .beyondHead }
        let zone = try zone(named: zoneName, in: caller.database)
        var bookmark = try bookmark(
            from: start,
            generation: zone.generation,
            floor: zone.floor,
            head: head
        )
        if request.since == nil, let changeTag = request.ownChangeTag,
            try isOfFormerLife(changeTag, of: zone)
        {
            throw expiredToken()
        }
        if request.since == nil, request.includesDeletions {
            bookmark.listedThrough = 0
            bookmark.floorAtStart = zone.floor
        }
        let page = try storage.records(
            in: zone.key(in: caller.database),
            after: bookmark.position,
            hidingTombstonesThrough: bookmark.listedThrough,
            limit: PageLimit(
                countMax: pageCount(wanted: request.resultsLimit),
                byteCountMax: configuration.pageByteCountMax
            )
        )
        let last = page.isLast ? nil : page.rows.last?.position
        var reply = zoneReply(
            page,
            of: zone,
            desiredKeys: request.desiredKeys,
            token: token(after: last, of: bookmark, in: feed, head: head)
        )
        reply.historyID = try historyID()
        #if PLANTED_BUGS
            if makes(.moreComingDenied) { reply.moreComing = false }
            if makes(.rowSkipped), reply.modifications.count > 1 {
                reply.modifications.removeLast()
            }
        #endif
        return .page(reply)
    }

    /// True if a record with this change tag was saved before the zone's present life began; a tag
    /// that is none, or of another history, says nothing.
    private func isOfFormerLife(_ changeTag: String, of zone: StoredZone) throws -> Bool {
        guard let tag = ChangeTag(changeTag), tag.epoch == (try storage.epoch()) else {
            return false
        }
        return tag.sequence < zone.generation
    }

    private func zoneReply(
        _ page: RecordPage,
        of zone: StoredZone,
        desiredKeys: [Record.FieldKey]?,
        token: ServerChangeToken
    ) -> ZoneChangesReply {
        var reply = ZoneChangesReply(
            modifications: [],
            deletions: [],
            changeToken: token,
            moreComing: !page.isLast
        )
        let zoneID = zone.recordZone.zoneID
        for row in page.rows {
            switch row.content {
            case .live(let record, _, _):
                let record = record.keeping(desiredKeys)
                reply.modifications.append(.init(record: record, origin: row.origin))
            case .deleted(let recordType):
                let recordID = Record.ID(recordName: row.recordName, zoneID: zoneID)
                reply.deletions.append(
                    .init(recordID: recordID, recordType: recordType, origin: row.origin)
                )
            }
        }
        return reply
    }
}
