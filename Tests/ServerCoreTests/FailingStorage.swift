import RecordModel
import ServerCore
import Synchronization

/// A storage in memory of which one call fails, counted from when it is armed.
struct FailingStorage: ServerStorage {
    var base = MemoryStorage()
    private let callsUntilFailure = Countdown()

    /// How many calls go well before one fails; nil lets all go well.
    func fail(after count: Int?) { callsUntilFailure.rest.withLock { $0 = count } }

    /// True if no call failed since it was armed.
    var isArmed: Bool { callsUntilFailure.rest.withLock { $0 != nil } }

    private func call() throws(StorageError) {
        let fails = callsUntilFailure.rest.withLock { rest in
            guard let count = rest else { return false }
            rest = count == 0 ? nil : count - 1
            return count == 0
        }
        if fails { throw .unavailable("the disk is full") }
    }

    private final class Countdown: Sendable {
        let rest = Mutex<Int?>(nil)
    }
}

extension FailingStorage {
    mutating func begin(_ access: StorageAccess) throws(StorageError) {
        try call()
        base.begin(access)
    }

    mutating func commit() throws(StorageError) {
        try call()
        base.commit()
    }

    mutating func rollback() { base.rollback() }

    func epoch() throws(StorageError) -> UInt64 {
        try call()
        return base.epoch()
    }

    mutating func setEpoch(_ epoch: UInt64) throws(StorageError) {
        try call()
        base.setEpoch(epoch)
    }

    func account(_ name: String) throws(StorageError) -> StoredAccount? {
        try call()
        return base.account(name)
    }

    mutating func put(_ account: StoredAccount) throws(StorageError) {
        try call()
        base.put(account)
    }

    func accounts(after name: String?, countMax: Int) throws(StorageError) -> [StoredAccount] {
        try call()
        return base.accounts(after: name, countMax: countMax)
    }

    func device(_ deviceID: String, of account: String) throws(StorageError) -> StoredDevice? {
        try call()
        return base.device(deviceID, of: account)
    }

    mutating func put(_ device: StoredDevice, of account: String) throws(StorageError) {
        try call()
        base.put(device, of: account)
    }

    func devices(of account: String) throws(StorageError) -> [StoredDevice] {
        try call()
        return base.devices(of: account)
    }

    func database(_ key: DatabaseKey) throws(StorageError) -> StoredDatabase {
        try call()
        return base.database(key)
    }

    mutating func put(_ database: StoredDatabase, at key: DatabaseKey) throws(StorageError) {
        try call()
        base.put(database, at: key)
    }

    func zone(_ zoneName: String, in database: DatabaseKey) throws(StorageError) -> StoredZone? {
        try call()
        return base.zone(zoneName, in: database)
    }

    mutating func put(_ zone: StoredZone, in database: DatabaseKey) throws(StorageError) {
        try call()
        base.put(zone, in: database)
    }

    mutating func removeZone(_ zoneName: String, in database: DatabaseKey) throws(StorageError) {
        try call()
        base.removeZone(zoneName, in: database)
    }

    func zones(
        in database: DatabaseKey,
        after position: LogPosition,
        countMax: Int
    ) throws(StorageError) -> [StoredZone] {
        try call()
        return base.zones(in: database, after: position, countMax: countMax)
    }
}

extension FailingStorage {
    func record(_ recordName: String, in zone: ZoneKey) throws(StorageError) -> StoredRecord? {
        try call()
        return base.record(recordName, in: zone)
    }

    mutating func put(_ record: StoredRecord, in zone: ZoneKey) throws(StorageError) {
        try call()
        base.put(record, in: zone)
    }

    func records(
        in zone: ZoneKey,
        after position: LogPosition,
        hidingTombstonesThrough sequence: UInt64,
        limit: PageLimit
    ) throws(StorageError) -> RecordPage {
        try call()
        return base.records(
            in: zone,
            after: position,
            hidingTombstonesThrough: sequence,
            limit: limit
        )
    }

    mutating func removeRecords(in zone: ZoneKey) throws(StorageError) {
        try call()
        base.removeRecords(in: zone)
    }

    mutating func removeTombstones(
        in zone: ZoneKey,
        before timestamp: Timestamp,
        countMax: Int
    ) throws(StorageError) -> RemovedTombstones {
        try call()
        return base.removeTombstones(in: zone, before: timestamp, countMax: countMax)
    }

    func deleteSelfSources(
        of recordName: String,
        in zone: ZoneKey,
        countMax: Int
    ) throws(StorageError) -> [String] {
        try call()
        return base.deleteSelfSources(of: recordName, in: zone, countMax: countMax)
    }

    mutating func append(_ entry: HistoryEntry, in zone: ZoneKey) throws(StorageError) {
        try call()
        base.append(entry, in: zone)
    }

    func history(of recordName: String, in zone: ZoneKey) throws(StorageError) -> [HistoryEntry] {
        try call()
        return base.history(of: recordName, in: zone)
    }

    func version(
        _ changeTag: String,
        of recordName: String,
        in zone: ZoneKey
    ) throws(StorageError) -> Record? {
        try call()
        return base.version(changeTag, of: recordName, in: zone)
    }

    mutating func removeHistory(in zone: ZoneKey) throws(StorageError) {
        try call()
        base.removeHistory(in: zone)
    }

    mutating func removeHistory(
        before timestamp: Timestamp,
        countMax: Int
    ) throws(StorageError) -> Int {
        try call()
        return base.removeHistory(before: timestamp, countMax: countMax)
    }

    func asset(
        _ checksum: [UInt8],
        of account: String
    ) throws(StorageError) -> StoredAsset? {
        try call()
        return base.asset(checksum, of: account)
    }

    mutating func put(_ asset: StoredAsset, of account: String) throws(StorageError) {
        try call()
        base.put(asset, of: account)
    }

    mutating func removeAsset(
        _ checksum: [UInt8],
        of account: String
    ) throws(StorageError) {
        try call()
        base.removeAsset(checksum, of: account)
    }

    mutating func putAssetLinks(
        _ checksums: [[UInt8]],
        of recordName: String,
        in zone: ZoneKey
    ) throws(StorageError) {
        try call()
        base.putAssetLinks(checksums, of: recordName, in: zone)
    }

    func unheldAssets(
        of account: String,
        before timestamp: Timestamp,
        countMax: Int
    ) throws(StorageError) -> [StoredAsset] {
        try call()
        return base.unheldAssets(of: account, before: timestamp, countMax: countMax)
    }

    func answer(
        to key: IdempotencyKey,
        of account: String
    ) throws(StorageError) -> StoredAnswer? {
        try call()
        return base.answer(to: key, of: account)
    }

    mutating func put(
        _ answer: StoredAnswer,
        to key: IdempotencyKey,
        of account: String
    ) throws(StorageError) {
        try call()
        base.put(answer, to: key, of: account)
    }

    mutating func removeAnswers(
        before timestamp: Timestamp,
        countMax: Int
    ) throws(StorageError) -> Int {
        try call()
        return base.removeAnswers(before: timestamp, countMax: countMax)
    }
}
