import RecordModel
import SyncCore

/// What survives the end of a device's process: the app's rows, and the engine's state beside them.
struct Disk {
    var rows = OrderedTable<Record.ID, Row>()
    /// Whose rows these are.
    var account: String?
    /// The full fetch of each zone that the app heard of last.
    var fullFetches = OrderedTable<RecordZone.ID, UInt64>()

    /// The newest snapshot that the app stored.
    var snapshot: StateSerialization?
    /// The entries that it does not cover, in the order they were stored.
    var entries: [JournalEntry] = []
    /// The half of an entry that was being appended when the process died.
    var tornTail: [UInt8] = []
    /// The newest states that were handed out, with the entries stored since.
    var checkpoints: [Checkpoint] = []
    /// True if what is stored cannot be read.
    var isDamaged = false

    /// Every edit that was committed.
    var committed: [Edit] = []
    /// Edits that the app gave up, and why: it deleted them, or an event handed them back.
    var dropped: [String: String] = [:]
    /// How often an error about a record was told to the user.
    var reportCounts: [Record.ID: Int] = [:]
    /// The change tags of all versions that the app was told of.
    var seenChangeTags: Set<String> = []

    static let checkpointCountMax = 5
    static let reportCountMax = 3

    /// One edit, by the tag it appended.
    struct Edit {
        var tag: String
        var recordID: Record.ID
        var account: String?
    }

    /// A state that was handed out, and what was stored since.
    struct Checkpoint {
        var snapshot: StateSerialization
        var entries: [JournalEntry]
    }

    /// What a launch reads.
    enum Source: Hashable {
        case newest
        case checkpoint(Int)
    }

    mutating func append(_ entry: JournalEntry) {
        entries.append(entry)
        for number in checkpoints.indices { checkpoints[number].entries.append(entry) }
    }

    /// Takes note of a state that was handed out, whatever the app stores of it.
    mutating func note(_ snapshot: StateSerialization) {
        if checkpoints.count == Self.checkpointCountMax { checkpoints.removeFirst() }
        checkpoints.append(
            .init(snapshot: snapshot, entries: entries.filter { !snapshot.covers($0) })
        )
    }

    mutating func compact(_ snapshot: StateSerialization) {
        self.snapshot = snapshot
        entries.removeAll { snapshot.covers($0) }
    }

    /// A launch read a state: from here on it is the stored one.
    mutating func relaunched(from source: Source) {
        tornTail = []
        guard case .checkpoint(let number) = source, checkpoints.indices.contains(number) else {
            return
        }
        (snapshot, entries) = (checkpoints[number].snapshot, checkpoints[number].entries)
        checkpoints.removeSubrange((number + 1)...)
    }

    /// The state for the next launch, read from bytes as an app does; nil if there is none.
    func read(_ source: Source) throws(StateSerializationError) -> StateSerialization? {
        var stored: (snapshot: StateSerialization?, entries: [JournalEntry])
        switch source {
        case .newest: stored = (snapshot, entries)
        case .checkpoint(let number):
            stored = (checkpoints[number].snapshot, checkpoints[number].entries)
        }
        if stored.snapshot == nil, stored.entries.isEmpty { return nil }
        var read: [JournalEntry] = []
        for entry in stored.entries { read.append(try JournalEntry(bytes: entry.bytes)) }
        if !tornTail.isEmpty, let entry = try? JournalEntry(bytes: tornTail) { read.append(entry) }
        var snapshot: StateSerialization?
        if let state = stored.snapshot {
            var bytes = state.bytes
            if isDamaged, !bytes.isEmpty { bytes[bytes.count / 2] ^= 0x55 }
            snapshot = try StateSerialization(bytes: bytes)
        }
        return StateSerialization(snapshot, applying: read)
    }

    /// True if a launch would know of a send.
    func holdsMark(_ key: IdempotencyKey) -> Bool {
        entries.contains { $0.id == key } || snapshot?.state.covers(key) == true
    }

    /// Gives up the edits of a row.
    mutating func drop(_ tags: [String], _ reason: String) {
        for tag in tags { dropped[tag] = reason }
    }

    mutating func removeRow(_ id: Record.ID, _ reason: String) {
        guard let row = rows[id] else { return }
        rows[id] = nil
        drop(row.tags, reason)
    }

    mutating func removeRows(in zoneID: RecordZone.ID, _ reason: String) {
        for id in rows.keys where id.zoneID == zoneID { removeRow(id, reason) }
    }

    mutating func removeAllRows(_ reason: String) {
        for id in rows.keys { removeRow(id, reason) }
    }
}
