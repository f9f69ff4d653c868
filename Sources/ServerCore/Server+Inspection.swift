package import RecordModel

extension Server {
    /// The records of a zone, whatever the account's standing, by the time of their last change.
    package mutating func records(
        in zoneID: RecordZone.ID,
        of caller: ServerCaller
    ) throws(SyncError) -> [Record] {
        try read { server in
            let zoneName = try caller.zoneName(of: zoneID)
            let zone = try server.zone(named: zoneName, in: caller.database)
            let page = try server.storage.records(
                in: zone.key(in: caller.database),
                after: .start,
                hidingTombstonesThrough: .max,
                limit: PageLimit(countMax: .max)
            )
            return page.rows.compactMap(\.record)
        }
    }

    /// A record, whatever the account's standing; nil if there is none.
    package mutating func record(
        _ recordID: Record.ID,
        of caller: ServerCaller
    ) throws(SyncError) -> Record? {
        try read { server in
            let zoneName = try caller.zoneName(of: recordID.zoneID)
            let zone = try server.zone(named: zoneName, in: caller.database)
            let key = zone.key(in: caller.database)
            return try server.storage.record(recordID.recordName, in: key)?.record
        }
    }

    /// The zones of a database that are there, by the time of their last change; the default zone
    /// counts from its first change.
    package mutating func zoneIDs(of caller: ServerCaller) throws(SyncError) -> [RecordZone.ID] {
        try read { server in
            let zones = try server.storage.zones(
                in: caller.database,
                after: .start,
                countMax: .max
            )
            return zones.filter { $0.deletion == nil }.map(\.recordZone.zoneID)
        }
    }

    /// How far a token of a zone has come: the life of the zone and the place in its log; nil for
    /// what is no token of this server.
    package func place(
        of token: ServerChangeToken,
        in zoneID: RecordZone.ID,
        of caller: ServerCaller
    ) -> (generation: UInt64, position: LogPosition)? {
        let codec = TokenCodec(key: configuration.tokenKey)
        let feed = Feed.zone(caller.database, zoneName: zoneID.zoneName)
        return codec.bookmark(in: token, of: feed).map { ($0.generation, $0.position) }
    }

    /// The head of a database's log: it moves with every commit.
    package mutating func head(of caller: ServerCaller) throws(SyncError) -> UInt64 {
        try read { try $0.storage.database(caller.database).head }
    }
}
