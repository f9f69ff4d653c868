package import RecordModel

extension Server {
    /// Answers which zones changed.
    package mutating func databaseChanges(
        _ request: DatabaseChangesRequest,
        from caller: ServerCaller,
        at now: Timestamp
    ) throws(SyncError) -> DatabaseChangesReply { throw SyncError(.serviceUnavailable) }

    /// Answers which records of a zone changed.
    package mutating func zoneChanges(
        _ request: ZoneChangesRequest,
        from caller: ServerCaller,
        at now: Timestamp
    ) throws(SyncError) -> ZoneChangesReply { throw SyncError(.serviceUnavailable) }

    /// Saves and deletes zones.
    package mutating func modifyZones(
        _ request: ModifyZonesRequest,
        from caller: ServerCaller,
        at now: Timestamp
    ) throws(SyncError) -> ModifyZonesReply { throw SyncError(.serviceUnavailable) }

    /// Saves and deletes records.
    package mutating func modifyRecords(
        _ request: ModifyRecordsRequest,
        from caller: ServerCaller,
        at now: Timestamp
    ) throws(SyncError) -> ModifyRecordsReply { throw SyncError(.serviceUnavailable) }

    /// Answers what the server has of single records.
    package mutating func lookUpRecords(
        _ request: LookUpRecordsRequest,
        from caller: ServerCaller,
        at now: Timestamp
    ) throws(SyncError) -> LookUpRecordsReply { throw SyncError(.serviceUnavailable) }

    /// Answers what became of a send, and closes its key if it never arrived.
    package mutating func outcome(
        of request: SendOutcomeRequest,
        from caller: ServerCaller,
        at now: Timestamp
    ) throws(SyncError) -> SendOutcome { throw SyncError(.serviceUnavailable) }

    /// The user removes the app's data of a zone.
    package mutating func purgeZone(
        _ zoneID: RecordZone.ID,
        of caller: ServerCaller,
        at now: Timestamp
    ) throws(SyncError) { throw SyncError(.serviceUnavailable) }

    /// The user resets encrypted data of a zone.
    package mutating func resetEncryptedData(
        in zoneID: RecordZone.ID,
        of caller: ServerCaller,
        at now: Timestamp
    ) throws(SyncError) { throw SyncError(.serviceUnavailable) }

    /// Begins a new history, as after a restored backup.
    package mutating func startNewEpoch(at now: Timestamp) throws(SyncError) {
        throw SyncError(.serviceUnavailable)
    }

    /// Makes all tokens of a zone expire.
    package mutating func expireTokens(
        of zoneID: RecordZone.ID,
        of caller: ServerCaller,
        at now: Timestamp
    ) throws(SyncError) { throw SyncError(.serviceUnavailable) }

    /// Makes all tokens of a database and of its zones expire.
    package mutating func expireAllTokens(
        of caller: ServerCaller,
        at now: Timestamp
    ) throws(SyncError) { throw SyncError(.serviceUnavailable) }

    /// Forgets what is past its retention.
    package mutating func removeExpired(at now: Timestamp) throws(SyncError) {
        throw SyncError(.serviceUnavailable)
    }
}
