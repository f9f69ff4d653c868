package import RecordModel

extension Server {
    /// Forgets what is past its retention: tombstones, deleted zones, history and keys.
    ///
    /// Tokens from before a forgotten deletion expire. In transactions of a bounded size.
    package mutating func removeExpired(at now: Timestamp) throws(SyncError) {
        let tombstoneEnd = now.before(configuration.tombstoneRetentionMilliseconds)
        let historyEnd = now.before(configuration.historyRetentionMilliseconds)
        let keyEnd = now.before(configuration.keyRetentionMilliseconds)
        var accounts = try accounts(after: nil)
        while let last = accounts.last {
            for account in accounts {
                let database = DatabaseKey(account: account.name, scope: .private)
                try removeDeletions(in: database, before: tombstoneEnd)
            }
            accounts = try self.accounts(after: last.name)
        }
        while try write({
            try $0.storage.removeHistory(before: historyEnd, countMax: stepCountMax) == stepCountMax
        }) {}
        while try write({
            try $0.storage.removeAnswers(before: keyEnd, countMax: stepCountMax) == stepCountMax
        }) {}
    }

    private mutating func accounts(after name: String?) throws(SyncError) -> [StoredAccount] {
        try read { try $0.storage.accounts(after: name, countMax: stepCountMax) }
    }

    private mutating func removeDeletions(
        in database: DatabaseKey,
        before end: Timestamp
    ) throws(SyncError) {
        let zones = try read {
            try $0.storage.zones(in: database, after: .start, countMax: .max)
        }
        for zone in zones {
            switch zone.deletion {
            case nil:
                while try write({
                    try $0.removeTombstones(of: zone.zoneName, in: database, before: end)
                }) {}
            case .deleted where zone.stamp.timestamp < end:
                try write { try $0.forget(zone, in: database) }
            case .deleted, .purged, .encryptedDataReset:
                // A purged zone goes on answering that it was purged.
                continue
            }
        }
    }

    /// Removes some tombstones of a zone and says whether there may be more.
    private mutating func removeTombstones(
        of zoneName: String,
        in database: DatabaseKey,
        before end: Timestamp
    ) throws -> Bool {
        guard var zone = try storage.zone(zoneName, in: database) else { return false }
        let removed = try storage.removeTombstones(
            in: zone.key(in: database),
            before: end,
            countMax: stepCountMax
        )
        guard let highest = removed.highest else { return false }
        zone.floor = max(zone.floor, highest)
        try storage.put(zone, in: database)
        return removed.count == stepCountMax
    }

    private mutating func forget(_ zone: StoredZone, in key: DatabaseKey) throws {
        try storage.removeZone(zone.zoneName, in: key)
        var database = try storage.database(key)
        database.floor = max(database.floor, zone.position)
        try storage.put(database, at: key)
    }
}

extension Timestamp {
    fileprivate func before(_ milliseconds: Int64) -> Timestamp {
        Timestamp(millisecondsSince1970: millisecondsSince1970 - milliseconds)
    }
}

private let stepCountMax = 1000
