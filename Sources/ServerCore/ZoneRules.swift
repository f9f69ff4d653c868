import RecordModel

extension Server {
    /// The zone, if it is there.
    ///
    /// The default zone is there from the beginning, without a row.
    func zone(named zoneName: String, in database: DatabaseKey) throws -> StoredZone {
        let stored = try storedZone(named: zoneName, in: database)
        guard let stored else { throw SyncError(.zoneNotFound, "there is no zone \(zoneName)") }
        switch stored.deletion {
        case nil:
            return stored
        case .deleted:
            throw SyncError(.zoneNotFound, "zone \(zoneName) was deleted")
        case .purged:
            throw SyncError(.userDeletedZone, "the user removed the data of zone \(zoneName)")
        case .encryptedDataReset:
            throw SyncError.zoneNotFoundAfterEncryptedDataReset(
                "zone \(zoneName) went when the user reset the encrypted data"
            )
        }
    }

    /// The zone's row, of a zone that is gone too.
    func storedZone(named zoneName: String, in database: DatabaseKey) throws -> StoredZone? {
        if let stored = try storage.zone(zoneName, in: database) { return stored }
        guard zoneName == RecordZone.ID.defaultZoneName, database.scope == .private else {
            return nil
        }
        let beginning = Timestamp(millisecondsSince1970: 0)
        return StoredZone(
            zoneName: zoneName,
            generation: 0,
            position: .start,
            stamp: Record.Stamp(timestamp: beginning, userRecordName: database.account)
        )
    }

    /// Ends a life of a zone: its records and tombstones go, and a row stays that says why.
    ///
    /// What the user removed or can no longer read leaves no history either.
    mutating func end(
        _ zone: StoredZone,
        because reason: Database.DatabaseChange.Deletion.Reason,
        in commit: inout Commit
    ) throws {
        var zone = zone
        let key = zone.key(in: commit.database)
        try storage.removeRecords(in: key)
        if reason != .deleted { try storage.removeHistory(in: key) }
        commit.usedByteCountChange -= zone.byteCount
        zone.byteCount = 0
        zone.deletion = reason
        zone.floor = .start
        zone.position = commit.nextZonePosition()
        zone.stamp = commit.stamp
        try storage.put(zone, in: commit.database)
    }
}

extension StoredZone {
    /// Names the zone's present life.
    func key(in database: DatabaseKey) -> ZoneKey {
        ZoneKey(database: database, zoneName: zoneName, generation: generation)
    }

    /// The zone as answers give it.
    ///
    /// Every zone is fetched by itself and saved atomically, the default zone too, unlike the one
    /// of CloudKit's private database.
    var recordZone: RecordZone { RecordZone(zoneID: RecordZone.ID(zoneName: zoneName)) }
}
