public import RecordModel

/// One durable change of an engine's state, small enough to be stored with each of them.
///
/// Store entries in the order they come. A later launch replays, onto the stored snapshot, those
/// that the snapshot does not cover.
public struct JournalEntry: Hashable, Sendable, Identifiable {
    /// The launch that made the entry, and its number there.
    public let id: IdempotencyKey
    package let change: StateChange
    /// What was the case when it was made.
    package let context: EntryContext

    package init(
        id: IdempotencyKey,
        change: StateChange,
        context: EntryContext = EntryContext()
    ) {
        self.id = id
        self.change = change
        self.context = context
    }

    /// The entry as bytes, the form to store, with a version and a checksum.
    public var bytes: [UInt8] { JournalEntryEncoder.encode(self) }

    /// Takes stored bytes back; throws if they are damaged or come from a newer version.
    public init(bytes: [UInt8]) throws(StateSerializationError) {
        self = try JournalEntryDecoder.decode(bytes)
    }
}

extension JournalEntry: Codable {
    /// Reads the entry from its base64 text.
    public init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let bytes = Base64.decode(Array(text.utf8)) else {
            throw StateSerializationError.damaged(
                bytes: Array(text.utf8),
                reason: "it is not base64"
            )
        }
        try self.init(bytes: bytes)
    }

    /// Writes the entry as one base64 text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(Base64.encode(bytes))
    }
}

/// Makes entries for an engine that another process runs.
///
/// Only one process runs an engine on a state. Another one, such as an extension that edits the
/// same store, writes entries of its own and stores them where the engine's entries are; the next
/// launch of the engine replays them.
public struct JournalWriter: Sendable {
    private let writer: WriterID
    private var nextNumber: UInt64 = 1

    /// Makes a writer under an id that nobody else uses: draw its bits at random.
    public init(writer: WriterID) { self.writer = writer }

    /// Makes the entry of pending changes of records.
    public mutating func entry(
        pendingRecordZoneChanges changes: [PendingRecordZoneChange]
    ) -> JournalEntry { entry(.recordChangesAdded(changes)) }

    /// Makes the entry of pending changes of records with a priority of their own.
    public mutating func entry(
        pendingRecordZoneChanges changes: [PendingRecordZoneChange],
        priority: SyncPriority
    ) -> JournalEntry { entry(.prioritizedChangesAdded(changes, priority)) }

    /// Makes the entry of pending changes of zones.
    public mutating func entry(
        pendingDatabaseChanges changes: [PendingDatabaseChange]
    ) -> JournalEntry { entry(.databaseChangesAdded(changes)) }

    private mutating func entry(_ change: StateChange) -> JournalEntry {
        defer { nextNumber += 1 }
        return JournalEntry(id: .init(writer: writer, number: nextNumber), change: change)
    }
}

/// The entries since the last state update, in the order they were made.
public struct JournalEntries: Sequence, Hashable, Sendable {
    // Chunks, so that a new entry never pays for a copy of all others.
    private static let chunkSize = 512
    private var chunks: [[JournalEntry]] = []

    /// The number of entries.
    public private(set) var count = 0

    /// Makes a list, such as a test needs.
    public init(_ entries: some Sequence<JournalEntry> = []) {
        for entry in entries { append(entry) }
    }

    /// True if there is no entry.
    public var isEmpty: Bool { count == 0 }

    /// Walks over the entries in their order.
    public func makeIterator() -> FlattenSequence<[[JournalEntry]]>.Iterator {
        chunks.joined().makeIterator()
    }

    package mutating func append(_ entry: JournalEntry) {
        if count % Self.chunkSize == 0 {
            chunks.append([])
            chunks[chunks.count - 1].reserveCapacity(Self.chunkSize)
        }
        chunks[chunks.count - 1].append(entry)
        count += 1
    }

    /// The entries behind the first `count`.
    package func dropping(first count: Int) -> JournalEntries {
        guard count < self.count else { return JournalEntries() }
        return JournalEntries(dropFirst(count))
    }
}
