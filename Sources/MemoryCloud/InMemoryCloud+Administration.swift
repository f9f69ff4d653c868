public import RecordModel
import RecordSync
import ServerCore

extension InMemoryCloud {
    /// Deletes a zone and all that is in it, as another app of the account does.
    public func deleteZone(_ zoneID: RecordZone.ID, account: String) throws(SyncError) {
        try administer(account) { world, caller throws(SyncError) in
            let request = ModifyZonesRequest(zoneIDsToDelete: [zoneID])
            let reply = try world.server.modifyZones(request, from: caller, at: world.now)
            if let error = reply.deleteErrors.first ?? nil { throw error }
        }
    }

    /// Removes the app's data of a zone, as a user does in the settings of a device.
    ///
    /// Devices are told `purged`, and `userDeletedZone` until the zone is saved again.
    public func purgeZone(_ zoneID: RecordZone.ID, account: String) throws(SyncError) {
        try administer(account) { world, caller throws(SyncError) in
            try world.server.purgeZone(zoneID, of: caller, at: world.now)
        }
    }

    /// Removes a zone whose encrypted data can no longer be read, as after a reset of the account.
    ///
    /// Devices are told `encryptedDataReset`.
    public func resetEncryptedData(
        in zoneID: RecordZone.ID,
        account: String
    ) throws(SyncError) {
        try administer(account) { world, caller throws(SyncError) in
            try world.server.resetEncryptedData(in: zoneID, of: caller, at: world.now)
        }
    }

    /// Saves records past all faults, as another device of the account does.
    ///
    /// Gives for each record the stored version, or why it was not saved. The default policy
    /// overwrites what is there. A zone that is missing is made.
    @discardableResult
    public func save(
        _ records: [Record],
        account: String,
        policy: RecordSavePolicy = .changedKeys
    ) throws(SyncError) -> [Result<Record, SyncError>] {
        try administer(account) { world, caller throws(SyncError) in
            var zoneIDs: [RecordZone.ID] = []
            for record in records where !zoneIDs.contains(record.recordID.zoneID) {
                zoneIDs.append(record.recordID.zoneID)
            }
            let zones = ModifyZonesRequest(zonesToSave: zoneIDs.map { RecordZone(zoneID: $0) })
            _ = try world.server.modifyZones(zones, from: caller, at: world.now)
            let request = ModifyRecordsRequest(recordsToSave: records, savePolicy: policy)
            let now = world.now
            return try world.server.modifyRecords(request, from: caller, at: now).saveResults
        }
    }

    /// Deletes records past all faults, as another device of the account does.
    public func delete(_ recordIDs: [Record.ID], account: String) throws(SyncError) {
        try administer(account) { world, caller throws(SyncError) in
            let request = ModifyRecordsRequest(
                recordsToDelete: recordIDs.map { RecordDeletion(recordID: $0) }
            )
            let reply = try world.server.modifyRecords(request, from: caller, at: world.now)
            if let error = reply.deleteErrors.compactMap({ $0 }).first { throw error }
        }
    }
}

extension InMemoryCloud {
    /// Makes all tokens of a zone expire: devices must fetch it from the beginning.
    public func expireTokens(of zoneID: RecordZone.ID, account: String) throws(SyncError) {
        try administer(account) { world, caller throws(SyncError) in
            try world.server.expireTokens(of: zoneID, of: caller, at: world.now)
        }
    }

    /// Makes all tokens of a database expire; those of its zones stay good.
    public func expireDatabaseTokens(account: String) throws(SyncError) {
        try administer(account) { world, caller throws(SyncError) in
            try world.server.expireDatabaseTokens(of: caller, at: world.now)
        }
    }

    /// Makes all tokens of a database and of its zones expire.
    public func expireAllTokens(account: String) throws(SyncError) {
        try administer(account) { world, caller throws(SyncError) in
            try world.server.expireAllTokens(of: caller, at: world.now)
        }
    }

    /// Forgets what is past its retention by the server's clock: deletions after 30 days, files
    /// that no record holds after 7.
    public func removeExpired() throws(SyncError) {
        try withWorld { world throws(SyncError) in
            try world.server.removeExpired(at: world.now)
            try world.removeUnheldFiles()
        }
    }

    /// Begins a new history, as after a backup was restored: all tokens expire.
    public func startNewEpoch() throws(SyncError) {
        try withWorld { world throws(SyncError) in
            try world.server.startNewEpoch(at: world.now)
        }
    }

    /// All data of a cloud at one moment.
    public struct Backup: Sendable {
        fileprivate let storage: MemoryStorage
        fileprivate let files: [String: [[UInt8]: [UInt8]]]
    }

    /// Takes a backup; it costs the same whatever the cloud holds.
    public func backup() -> Backup {
        withWorld { Backup(storage: $0.server.storage, files: $0.files) }
    }

    /// Puts the cloud's data back to what they were.
    ///
    /// A careful owner starts a new epoch with it; without one the server finds out when a device
    /// comes with a token from the time that was lost.
    public func restore(_ backup: Backup, startingNewEpoch: Bool = true) throws(SyncError) {
        try withWorld { world throws(SyncError) in
            world.server = Server(
                storage: backup.storage,
                configuration: world.server.configuration
            )
            world.files = backup.files
            if startingNewEpoch { try world.server.startNewEpoch(at: world.now) }
        }
    }

    /// Does something for an account from no device, and tells all its devices.
    @discardableResult
    private func administer<Value: Sendable>(
        _ account: String,
        _ body: (inout CloudWorld, ServerCaller) throws(SyncError) -> Value
    ) throws(SyncError) -> Value {
        let (value, targets) = try withWorld { world throws(SyncError) in
            try world.server.createAccount(account, at: world.now)
            world.setQuota(of: account)
            let caller = ServerCaller(account: account, deviceID: "administrator")
            let value = try body(&world, caller)
            return (value, world.devices.targets(of: caller))
        }
        for target in targets { target.yield(.databaseChanged) }
        return value
    }
}
