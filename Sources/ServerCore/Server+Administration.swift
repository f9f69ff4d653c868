package import RecordModel

extension Server {
    /// Removes the app's data of a zone, as a user does in the settings of a device.
    ///
    /// Engines are told `purged`; until the zone is saved again, whoever asks for it or writes to
    /// it is answered `userDeletedZone`.
    package mutating func purgeZone(
        _ zoneID: RecordZone.ID,
        of caller: ServerCaller,
        at now: Timestamp
    ) throws(SyncError) {
        try end(zoneID, because: .purged, of: caller, at: now)
    }

    /// Removes a zone whose encrypted data can no longer be read, as after a reset of the account.
    ///
    /// Engines are told `encryptedDataReset`; until the zone is saved again, whoever asks for it is
    /// answered `zoneNotFound` with `isAfterEncryptedDataReset`.
    package mutating func resetEncryptedData(
        in zoneID: RecordZone.ID,
        of caller: ServerCaller,
        at now: Timestamp
    ) throws(SyncError) {
        try end(zoneID, because: .encryptedDataReset, of: caller, at: now)
    }

    private mutating func end(
        _ zoneID: RecordZone.ID,
        because reason: Database.DatabaseChange.Deletion.Reason,
        of caller: ServerCaller,
        at now: Timestamp
    ) throws(SyncError) {
        try write { server in
            let zoneName = try caller.zoneName(of: zoneID)
            let zone = try server.zone(named: zoneName, in: caller.database)
            var commit = try server.beginCommit(for: caller, at: now)
            try server.end(zone, because: reason, in: &commit)
            try server.finish(commit)
        }
    }

    /// Begins a new history: all tokens expire, and engines are told that absence is no deletion.
    ///
    /// To be called when a backup was restored. An epoch's number is the time it began, or one more
    /// than the last if the clock is behind, so that two restores of one backup are two epochs.
    package mutating func startNewEpoch(at now: Timestamp) throws(SyncError) {
        try write { try $0.beginEpoch(at: now) }
    }

    mutating func beginEpoch(at now: Timestamp) throws {
        let time = UInt64(max(0, now.millisecondsSince1970))
        try storage.setEpoch(max(try storage.epoch() + 1, time))
    }

    /// Makes all tokens of a zone expire; the zone counts as changed, so engines find out.
    package mutating func expireTokens(
        of zoneID: RecordZone.ID,
        of caller: ServerCaller,
        at now: Timestamp
    ) throws(SyncError) {
        try write { server in
            let zoneName = try caller.zoneName(of: zoneID)
            var commit = try server.beginCommit(for: caller, at: now)
            let zone = try server.zone(named: zoneName, in: caller.database)
            try server.expireTokens(of: zone, in: &commit)
            try server.finish(commit)
        }
    }

    /// Makes all tokens of a database expire; those of its zones stay good.
    package mutating func expireDatabaseTokens(
        of caller: ServerCaller,
        at now: Timestamp
    ) throws(SyncError) {
        try write { server in
            let commit = try server.beginCommit(for: caller, at: now)
            try server.finish(commit)
            try server.raiseFloor(to: commit)
        }
    }

    private mutating func raiseFloor(to commit: Commit) throws {
        var database = try storage.database(commit.database)
        database.floor = .end(of: commit.sequence)
        try storage.put(database, at: commit.database)
    }

    /// Makes all tokens of a database and of its zones expire.
    package mutating func expireAllTokens(
        of caller: ServerCaller,
        at now: Timestamp
    ) throws(SyncError) {
        try write { server in
            var commit = try server.beginCommit(for: caller, at: now)
            let zones = try server.storage.zones(
                in: caller.database,
                after: .start,
                countMax: .max
            )
            for zone in zones where zone.deletion == nil {
                try server.expireTokens(of: zone, in: &commit)
            }
            // The default zone has no row before its first change, but tokens all the same.
            let name = RecordZone.ID.defaultZoneName
            if try server.storage.zone(name, in: caller.database) == nil,
                let zone = try server.storedZone(named: name, in: caller.database)
            {
                try server.expireTokens(of: zone, in: &commit)
            }
            try server.finish(commit)
            try server.raiseFloor(to: commit)
        }
    }

    private mutating func expireTokens(
        of zone: StoredZone,
        in commit: inout Commit
    ) throws {
        var zone = zone
        zone.position = commit.nextZonePosition()
        zone.floor = .end(of: commit.sequence)
        try storage.put(zone, in: commit.database)
    }

    /// What happened to a record in the present life of its zone, the oldest first.
    package mutating func history(
        of recordID: Record.ID,
        of caller: ServerCaller
    ) throws(SyncError) -> [HistoryEntry] {
        try read { server in
            let zoneName = try caller.zoneName(of: recordID.zoneID)
            let zone = try server.zone(named: zoneName, in: caller.database)
            let key = zone.key(in: caller.database)
            return try server.storage.history(of: recordID.recordName, in: key)
        }
    }
}
