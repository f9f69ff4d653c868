import RecordModel

/// A storage in memory: fast, and gone with the process.
///
/// Writes go into the tables at once, each with a step that undoes it, so a transaction costs what
/// it touches and not what the storage holds.
package struct MemoryStorage: ServerStorage {
    var epochNumber: UInt64 = 0
    var accounts: [String: StoredAccount] = [:]
    var devices: [String: [String: StoredDevice]] = [:]
    var databases: [DatabaseKey: MemoryDatabase] = [:]
    var historyQueue = MemoryQueue<HistoryPlace>()
    /// Files by account and checksum.
    var assets: [String: [[UInt8]: StoredAsset]] = [:]
    /// Which files the records of a life of a zone hold.
    var assetLinks: [ZoneKey: [String: [[UInt8]]]] = [:]
    var answers: [AnswerKey: StoredAnswer] = [:]
    var answerQueue = MemoryQueue<AnswerKey>()

    private var access: StorageAccess?
    private var undoSteps: [UndoStep] = []
    private var touchedZones: [ZoneKey] = []

    typealias UndoStep = @Sendable (inout MemoryStorage) -> Void

    /// Where an entry of the history is.
    struct HistoryPlace: Sendable {
        let zone: ZoneKey
        let recordName: String
    }

    /// A key of an account.
    struct AnswerKey: Hashable, Sendable {
        let account: String
        let key: IdempotencyKey
    }

    package init() {}

    package mutating func begin(_ access: StorageAccess) {
        precondition(self.access == nil, "a transaction began inside another")
        self.access = access
    }

    package mutating func commit() {
        precondition(access != nil, "a commit without a transaction")
        access = nil
        undoSteps.removeAll(keepingCapacity: true)
        compact()
    }

    package mutating func rollback() {
        for step in undoSteps.reversed() { step(&self) }
        undoSteps.removeAll(keepingCapacity: true)
        touchedZones.removeAll(keepingCapacity: true)
        access = nil
    }

    /// Keeps how to undo a write.
    mutating func undo(_ step: @escaping UndoStep) {
        precondition(access == .writing, "a write outside a writing transaction")
        undoSteps.append(step)
    }

    /// Remembers that a zone may have holes.
    mutating func touch(_ zone: ZoneKey) {
        if touchedZones.last != zone { touchedZones.append(zone) }
    }

    private mutating func compact() {
        historyQueue.compactIfSparse()
        answerQueue.compactIfSparse()
        for key in touchedZones {
            databases[key.database]?.zones.compactIfSparse { $0.zoneName }
            databases[key.database]?.lives[key]?.compactIfSparse()
            if life(key)?.isEmpty == true { databases[key.database]?.lives[key] = nil }
        }
        touchedZones.removeAll(keepingCapacity: true)
    }
}

/// A database in memory.
struct MemoryDatabase: Sendable {
    var stored = StoredDatabase()
    /// Zones by name and by position.
    var zones = MemoryFeed<StoredZone>()
    /// What is in each life of a zone.
    var lives: [ZoneKey: MemoryZone] = [:]
}
