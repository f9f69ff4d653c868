package import RecordModel

/// Why a storage could not do its work; the request has no effect.
package enum StorageError: Error, Hashable, Sendable {
    /// Busy, full or out of reach: the same request may succeed later.
    case unavailable(String)
    /// What is stored cannot be read: trying again does not help.
    case damaged(String)
}

/// What a transaction is for.
package enum StorageAccess: Hashable, Sendable {
    /// Only reads; it sees one state throughout.
    case reading
    /// Reads and writes; there is one at a time.
    case writing
}

/// Where a server keeps what it must not lose: the synchronous seam below the rules.
///
/// Every call stands between `begin` and `commit` or `rollback`, of which there is one pair a
/// request. A storage may gather the commits of several requests into one flush, if no answer of
/// them leaves before it. All lists come in the order their function names, never in another.
package protocol ServerStorage: Sendable {
    // MARK: Transactions

    /// Begins the transaction of a request.
    mutating func begin(_ access: StorageAccess) throws(StorageError)
    /// Makes the transaction's writes last.
    mutating func commit() throws(StorageError)
    /// Undoes the transaction's writes.
    mutating func rollback()

    // MARK: The server

    /// The epoch; 0 in a new storage.
    func epoch() throws(StorageError) -> UInt64
    mutating func setEpoch(_ epoch: UInt64) throws(StorageError)

    // MARK: Accounts and devices

    func account(_ name: String) throws(StorageError) -> StoredAccount?
    mutating func put(_ account: StoredAccount) throws(StorageError)
    /// The accounts behind a name, by name.
    func accounts(after name: String?, countMax: Int) throws(StorageError) -> [StoredAccount]
    func device(_ deviceID: String, of account: String) throws(StorageError) -> StoredDevice?
    mutating func put(_ device: StoredDevice, of account: String) throws(StorageError)
    /// The devices of an account, by id.
    func devices(of account: String) throws(StorageError) -> [StoredDevice]

    // MARK: Databases and zones

    /// The database; one that was never written is at its beginning.
    func database(_ key: DatabaseKey) throws(StorageError) -> StoredDatabase
    mutating func put(_ database: StoredDatabase, at key: DatabaseKey) throws(StorageError)
    func zone(_ zoneName: String, in database: DatabaseKey) throws(StorageError) -> StoredZone?
    mutating func put(_ zone: StoredZone, in database: DatabaseKey) throws(StorageError)
    /// Forgets a zone's row; its records were removed before.
    mutating func removeZone(_ zoneName: String, in database: DatabaseKey) throws(StorageError)
    /// The zones behind a position, by position, those that are gone too.
    func zones(
        in database: DatabaseKey,
        after position: LogPosition,
        countMax: Int
    ) throws(StorageError) -> [StoredZone]

    // MARK: Records

    /// The record, or its tombstone.
    func record(_ recordName: String, in zone: ZoneKey) throws(StorageError) -> StoredRecord?
    /// Puts a record or a tombstone in the place of what has its name; its position is the highest.
    mutating func put(_ record: StoredRecord, in zone: ZoneKey) throws(StorageError)
    /// The records and tombstones behind a position, by position, without the tombstones of commits
    /// up to the given one.
    func records(
        in zone: ZoneKey,
        after position: LogPosition,
        hidingTombstonesThrough sequence: UInt64,
        limit: PageLimit
    ) throws(StorageError) -> RecordPage
    /// Removes all records and tombstones of a life of a zone; they hold no file any more.
    mutating func removeRecords(in zone: ZoneKey) throws(StorageError)
    /// Removes tombstones made before an instant, the oldest positions first.
    mutating func removeTombstones(
        in zone: ZoneKey,
        before timestamp: Timestamp,
        countMax: Int
    ) throws(StorageError) -> RemovedTombstones
    /// The names of the records that link to one with `deleteSelf`, by name.
    func deleteSelfSources(
        of recordName: String,
        in zone: ZoneKey,
        countMax: Int
    ) throws(StorageError) -> [String]

    // MARK: History

    mutating func append(_ entry: HistoryEntry, in zone: ZoneKey) throws(StorageError)
    /// What happened to a record in a life of its zone, the oldest first.
    func history(of recordName: String, in zone: ZoneKey) throws(StorageError) -> [HistoryEntry]
    /// The stored version of a record that had a change tag.
    func version(
        _ changeTag: String,
        of recordName: String,
        in zone: ZoneKey
    ) throws(StorageError) -> Record?
    /// Removes the history of a life of a zone.
    mutating func removeHistory(in zone: ZoneKey) throws(StorageError)
    /// Removes entries from before an instant, the first appended first, and says how many.
    mutating func removeHistory(
        before timestamp: Timestamp,
        countMax: Int
    ) throws(StorageError) -> Int

    // MARK: Assets

    func asset(_ checksum: [UInt8], of account: String) throws(StorageError) -> StoredAsset?
    /// Puts a file; how many records hold it stays as it is.
    mutating func put(_ asset: StoredAsset, of account: String) throws(StorageError)
    mutating func removeAsset(
        _ checksum: [UInt8],
        of account: String
    ) throws(StorageError)
    /// Says which files a record holds, each once, in the place of what was said before.
    mutating func putAssetLinks(
        _ checksums: [[UInt8]],
        of recordName: String,
        in zone: ZoneKey
    ) throws(StorageError)
    /// Files that no record holds, last touched before an instant: by that instant, then checksum.
    func unheldAssets(
        of account: String,
        before timestamp: Timestamp,
        countMax: Int
    ) throws(StorageError) -> [StoredAsset]

    // MARK: Idempotency keys

    func answer(
        to key: IdempotencyKey,
        of account: String
    ) throws(StorageError) -> StoredAnswer?
    mutating func put(
        _ answer: StoredAnswer,
        to key: IdempotencyKey,
        of account: String
    ) throws(StorageError)
    /// Removes answers from before an instant, the first put first, and says how many.
    mutating func removeAnswers(
        before timestamp: Timestamp,
        countMax: Int
    ) throws(StorageError) -> Int
}
