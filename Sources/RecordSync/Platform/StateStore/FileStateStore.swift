public import SyncCore

/// Keeps an engine's state in a folder: a snapshot, and a journal of what changed since.
///
/// For apps that have no transaction of their own to put the state into. Open the folder at launch,
/// make the engine with the state that comes back, and hand each state update to `handle(_:)`,
/// after the data of the events before it is stored. What a call stored is on the disk when it
/// returns, and is all there or not at all, whenever the process or the machine stops.
///
/// One store at a time has a folder open. Every call may wait for the disk; calls from several
/// threads take turns. `Docs/Storage.md` goes through the order of an app's writes.
public final class FileStateStore: Sendable {
    private let folder: StateFolder
    private let formerWriters: Set<WriterID>
    private let contents: Guarded<Contents>

    /// What the files are like.
    struct Contents: Sendable {
        var journal: OpenFile
        var byteCount: Int
        /// False while a loss of power might bring back the journal's predecessor.
        var isNameSynced = true
        /// The entries that the stored snapshot holds.
        var covered: [EngineState.WriterCoverage]
        /// Why nothing can be stored any more.
        var failure: String?
    }

    /// Opens a folder, making it if need be, and restores the state in it.
    ///
    /// A torn end of the journal is cut off. A damaged file is set aside under a new name; of a
    /// damaged journal the whole entries are restored. The report tells of both. Throws, and
    /// changes nothing, if another store has the folder open or a newer version wrote it.
    ///
    /// With `syncsToDisk` false, what was stored survives the end of the process, but not a loss of
    /// power.
    public static func open(
        _ folder: String,
        syncsToDisk: Bool = true
    ) throws(FileStateStoreError) -> Opening {
        try open(folder, SystemFiles(), syncsToDisk: syncsToDisk)
    }

    package static func open(
        _ path: String,
        _ files: some FileSystem,
        syncsToDisk: Bool = true
    ) throws(FileStateStoreError) -> Opening {
        let folder = try StateFolder(path, files, syncsToDisk: syncsToDisk)
        let found = try folder.restore()
        return Opening(
            store: FileStateStore(folder, found),
            stateSerialization: found.stateSerialization,
            report: found.report
        )
    }

    private init(_ folder: StateFolder, _ found: StateFolder.Found) {
        self.folder = folder
        formerWriters = found.writers
        contents = Guarded(found.contents)
    }

    deinit { contents.withLock { folder.files.release($0.journal) } }

    /// Stores what a state update brings: its entries, or its snapshot when compacting is advised.
    ///
    /// Throw on what it throws: the engine then tells the update again, and sends nothing of it.
    public func handle(_ update: SyncEvent.StateUpdate) throws(FileStateStoreError) {
        if update.isCompactingAdvised {
            try compact(update.stateSerialization)
        } else {
            try append(update.entries)
        }
    }

    /// Stores an entry that was prepared: before the edit that belongs to it, and before `apply`.
    public func append(_ entry: JournalEntry) throws(FileStateStoreError) {
        try append(CollectionOfOne(entry))
    }

    /// Stores entries behind those that are stored: all of them, or none if it throws.
    public func append(
        _ entries: some Sequence<JournalEntry>
    ) throws(FileStateStoreError) {
        let frame = JournalFile.frame(of: Array(entries))
        guard !frame.isEmpty else { return }
        try contents.withLock { contents throws(FileStateStoreError) in
            try folder.append(frame, &contents)
        }
    }

    /// Stores a snapshot in place of what it covers; entries that it does not cover stay.
    ///
    /// The new snapshot takes the old one's place before a new journal takes the old one's: between
    /// the two the journal holds entries that the snapshot covers, which replaying leaves out. A
    /// snapshot older than the stored one changes nothing. If it throws, what was stored is stored.
    public func compact(_ snapshot: StateSerialization) throws(FileStateStoreError) {
        let bytes = snapshot.bytes
        try contents.withLock { contents throws(FileStateStoreError) in
            guard !isOutdated(snapshot, contents.covered) else { return }
            try folder.compact(snapshot, bytes, &contents)
        }
    }

    /// True if the stored snapshot holds an entry that this one does not.
    ///
    /// A snapshot need not name a former launch of which no entry can come again.
    private func isOutdated(
        _ snapshot: StateSerialization,
        _ stored: [EngineState.WriterCoverage]
    ) -> Bool {
        stored.contains { stored in
            let new = snapshot.state.writers.first { $0.writer == stored.writer }?.covered
            if new?.isEmpty ?? true, formerWriters.contains(stored.writer) { return false }
            return !stored.covered.ranges.allSatisfy { range in
                new?.ranges.contains { range.clamped(to: $0) == range } ?? false
            }
        }
    }
}
