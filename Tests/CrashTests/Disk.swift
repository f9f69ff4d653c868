import RecordModel
import SyncCore

/// What survives the end of a device's process: the app's rows, and the engine's state beside them.
struct Disk {
    var rows: [Record.ID: Row] = [:]
    /// Whose rows these are.
    var account: String?
    /// The full fetch of each zone that the app heard of last.
    var fullFetches: [RecordZone.ID: UInt64] = [:]

    /// The newest snapshot that the app stored.
    var snapshot: StateSerialization?
    /// The entries that it does not cover, in the order they were stored.
    var entries: [JournalEntry] = []
    /// The half of an entry that was being appended when the process died.
    var tornTail: [UInt8] = []
    /// Every state that was ever handed out, with the entries stored since that it does not cover.
    var handedOut: [Checkpoint] = []

    /// Every edit that was committed, with the account it was made under.
    var committed: [String: (recordID: Record.ID, account: String?)] = [:]
    /// Edits that the app gave up, and why: it deleted them, or an event handed them back.
    var dropped: [String: String] = [:]
    /// Failures that were reported to the app, and after which it asked again.
    var reported: [SyncError] = []
    /// Records that the app removed because an error said that the server has them no more.
    var believed: Set<Record.ID> = []
    /// What an app that stores snapshots only asked for and no stored state holds yet.
    var window: [Record.ID] = []
    /// What was asked for and not stored when a process died.
    var lost: [Record.ID] = []
    /// The steps of the story that are done for this device.
    var doneSteps = 0
    var tagCount = 0
    /// Entries so far, and the one that a faulty store forgets.
    var entryCount = 0
    var forgottenEntry: Int?

    /// A state that was handed out, and what was stored since.
    struct Checkpoint {
        var snapshot: StateSerialization
        var entries: [JournalEntry]
    }

    /// What a launch reads.
    enum Source: Hashable {
        /// The newest snapshot and the entries behind it.
        case newest
        /// A state that was handed out earlier, and the entries behind that one.
        case handedOut(Int)
    }

    mutating func append(_ entry: JournalEntry) {
        entryCount += 1
        guard entryCount != forgottenEntry else { return }
        entries.append(entry)
        for number in handedOut.indices { handedOut[number].entries.append(entry) }
    }

    /// Takes note of a state that was handed out, whatever the app stores of it.
    mutating func note(_ snapshot: StateSerialization) {
        handedOut.append(
            .init(snapshot: snapshot, entries: entries.filter { !snapshot.covers($0) })
        )
    }

    /// A launch read a state: from here on it is the stored one.
    mutating func relaunched(from source: Source) {
        guard case .handedOut(let number) = source else { return }
        (snapshot, entries) = (handedOut[number].snapshot, handedOut[number].entries)
    }

    /// The state for the next launch, read from bytes as an app does; nil if there is none.
    func read(_ source: Source) throws -> StateSerialization? {
        let stored: (snapshot: StateSerialization?, entries: [JournalEntry])
        switch source {
        case .newest: stored = (snapshot, entries)
        case .handedOut(let number):
            stored = (handedOut[number].snapshot, handedOut[number].entries)
        }
        if stored.snapshot == nil, stored.entries.isEmpty { return nil }
        var read: [JournalEntry] = []
        for entry in stored.entries { read.append(try JournalEntry(bytes: entry.bytes)) }
        if !tornTail.isEmpty, let entry = try? JournalEntry(bytes: tornTail) { read.append(entry) }
        let snapshot = try stored.snapshot.map { try StateSerialization(bytes: $0.bytes) }
        return StateSerialization(snapshot, applying: read)
    }

    /// True if a launch would know of a send.
    func holdsMark(_ key: IdempotencyKey) -> Bool {
        snapshot?.state.covers(key) == true || entries.contains { $0.id == key }
    }

    var sortedRows: [(key: Record.ID, value: Row)] {
        rows.sorted { $0.key < $1.key }
    }

    /// Gives up the edits of a row.
    mutating func drop(_ tags: [String], _ reason: String) {
        for tag in tags { dropped[tag] = reason }
    }

    mutating func removeRow(_ id: Record.ID, _ reason: String) {
        guard let row = rows.removeValue(forKey: id) else { return }
        drop(row.tags, reason)
    }

    mutating func removeRows(in zoneID: RecordZone.ID, _ reason: String) {
        for (id, _) in sortedRows where id.zoneID == zoneID { removeRow(id, reason) }
    }

    mutating func removeAllRows(_ reason: String) {
        for (id, _) in sortedRows { removeRow(id, reason) }
    }
}
