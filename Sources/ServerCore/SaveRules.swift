import RecordModel

/// What a save would store, before it is stamped.
struct AcceptedSave: Sendable {
    /// The record with the changes of the save.
    var record: Record
    /// What it takes the place of: an older version, a tombstone, or nothing.
    var old: StoredRecord?
    /// The size, as limits and quotas count it.
    var byteCount: Int
    /// The names its `deleteSelf` links point to, each once.
    var deleteSelfTargets: [String]
}

extension RecordSavePolicy {
    /// The record that a save makes of the server's; throws unless the policy lets it.
    ///
    /// - A save with a tag for a record that is not there is `unknownItem`, under every policy: it
    ///   was built on a version that somebody deleted, and must not bring it back.
    /// - By default the tag must be the server's; no tag means that nothing may be there. The
    ///   conflict carries the server's record and the version the save was built on, if it is
    ///   remembered. The client knows what it sent.
    /// - A record's type never changes.
    func merge(
        _ save: Record,
        over server: Record?,
        ancestor: () throws -> Record?
    ) throws -> Record {
        guard let server else {
            guard save.recordChangeTag == nil else {
                throw SyncError(
                    .unknownItem,
                    "\(save.recordID) is not there: save it without a change tag to make it anew"
                )
            }
            return save
        }
        if self == .ifServerRecordUnchanged, save.recordChangeTag != server.recordChangeTag {
            throw SyncError.serverRecordChanged(
                client: nil,
                server: server,
                ancestor: try ancestor(),
                "\(save.recordID) was not built on the server's version"
            )
        }
        guard save.recordType == server.recordType else {
            throw SyncError(
                .invalidArguments,
                "\(save.recordID) is a \(server.recordType), not a \(save.recordType)"
            )
        }
        switch self {
        case .ifServerRecordUnchanged, .changedKeys: return server.merging(changesOf: save)
        case .allKeys: return save
        }
    }
}

extension Server {
    /// The version of a record that a save or a deletion was built on, if it is remembered.
    func ancestor(
        of recordName: String,
        changeTag: String?,
        in zone: ZoneKey
    ) throws -> Record? {
        guard let changeTag else { return nil }
        return try storage.version(changeTag, of: recordName, in: zone)
    }

    /// Throws `limitExceeded` for a record that no request may hold, however small.
    func checkSize(_ byteCount: Int, of recordID: Record.ID) throws {
        let byteCountMax = configuration.limits.recordByteCountMax
        guard byteCount <= byteCountMax else {
            throw SyncError(
                .limitExceeded,
                "\(recordID) has \(byteCount) bytes, a record has at most \(byteCountMax)"
            )
        }
    }

    /// Throws `quotaExceeded` for a save that takes more room when there is too little.
    ///
    /// What takes no more room than before is always allowed, and so is every deletion.
    func checkQuota(_ byteCount: Int, growth: Int, of recordID: Record.ID) throws {
        guard let quota = configuration.quotaByteCount, growth > 0, byteCount > quota else {
            return
        }
        throw SyncError(
            .quotaExceeded,
            "\(recordID) does not fit: the account's records may take \(quota) bytes"
        )
    }
}
