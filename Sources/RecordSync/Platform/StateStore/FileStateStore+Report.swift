public import SyncCore

extension FileStateStore {
    /// What opening a folder gives.
    public struct Opening: Sendable {
        /// The store, which is open as long as somebody holds it.
        public let store: FileStateStore
        /// The state to make the engine with; nil if nothing was ever stored.
        public let stateSerialization: StateSerialization?
        /// What was found.
        public let report: Report
    }

    /// What a store found when it was opened, and what it did about it.
    public struct Report: Hashable, Sendable, CustomStringConvertible {
        /// The size of the snapshot; nil if there was none.
        public let snapshotByteCount: Int?
        /// The size of the journal; nil if there was none, as in a folder that is new.
        public let journalByteCount: Int?
        /// The entries in the journal.
        public let entryCount: Int
        /// Those of them that the snapshot did not hold.
        public let replayedEntryCount: Int
        /// The bytes cut off at the journal's end: entries that were never acknowledged.
        public let cutByteCount: Int
        /// Damaged files under their new names, those of earlier openings too.
        ///
        /// They stay, and are told again at each opening, until the app moves or deletes them.
        public let setAside: [SetAsideFile]

        /// True if no damage was found, now or earlier; a journal that was cut is not damaged.
        public var isWhole: Bool { setAside.isEmpty }

        /// What was found, in one line for a log.
        public var description: String {
            let snapshot = snapshotByteCount.map { "a snapshot of \($0) bytes" } ?? "no snapshot"
            let journal = journalByteCount.map { "a journal of \($0) bytes" } ?? "no journal"
            let cut = cutByteCount > 0 ? ["\(cutByteCount) bytes cut off its torn end"] : []
            let parts =
                ["\(snapshot), \(journal)"] + cut
                + ["\(replayedEntryCount) of \(entryCount) entries replayed"]
                + setAside.map(\.description)
            return parts.joined(separator: "; ")
        }
    }

    /// A damaged file that was kept under a new name.
    public struct SetAsideFile: Hashable, Sendable, CustomStringConvertible {
        /// Where it is now.
        public let path: String
        /// What is wrong with it; nil if an earlier opening set it aside.
        public let damage: String?

        /// Its path and what is wrong.
        public var description: String {
            "\(path) set aside: \(damage ?? "found damaged at an earlier opening")"
        }
    }
}
