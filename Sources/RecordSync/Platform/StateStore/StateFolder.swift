import SyncCore

/// The folder of a store while it is open: which files it has, and in which order they change.
///
/// | file | holds |
/// | --- | --- |
/// | `lock` | nothing; whoever has it open and locked has the folder |
/// | `snapshot` | a state's bytes |
/// | `journal` | a head, and a frame for each append |
/// | `snapshot.new`, `journal.new` | what somebody was writing who stopped: it does not count |
/// | `snapshot.damaged-1` … | what was set aside |
struct StateFolder: Sendable {
    let path: String
    let files: any FileSystem
    let syncsToDisk: Bool
    private let lock: Lock

    /// Held by whoever has the folder open.
    private final class Lock: Sendable {
        private let file: OpenFile
        private let files: any FileSystem

        init(_ file: OpenFile, _ files: any FileSystem) {
            self.file = file
            self.files = files
        }

        deinit { files.release(file) }
    }

    init(
        _ path: String,
        _ files: any FileSystem,
        syncsToDisk: Bool
    ) throws(FileStateStoreError) {
        let file: OpenFile?
        do {
            if try files.makeFolder(path), syncsToDisk {
                try files.syncFolder(Self.parent(of: path))
            }
            file = try files.lock("\(path)/lock")
        } catch {
            throw FileStateStoreError(error, isStoreUsable: false)
        }
        guard let file else { throw .inUse(folder: path) }
        self.path = path
        self.files = files
        self.syncsToDisk = syncsToDisk
        lock = Lock(file, files)
    }

    var snapshot: String { "\(path)/snapshot" }
    var journal: String { "\(path)/journal" }

    private static func parent(of path: String) -> String {
        let parts = path.split(separator: "/").dropLast()
        let parent = parts.joined(separator: "/")
        return path.hasPrefix("/") ? "/\(parent)" : parent.isEmpty ? "." : parent
    }
}

// What a store does.

extension StateFolder {
    /// Appends a frame; a failure takes back what was written of it.
    func append(
        _ frame: [UInt8],
        _ contents: inout FileStateStore.Contents
    ) throws(FileStateStoreError) {
        try checkUsable(contents)
        do {
            try syncName(&contents)
            try files.write(frame, at: contents.byteCount, to: contents.journal)
            if syncsToDisk { try files.sync(contents.journal) }
        } catch {
            takeBack(&contents, after: error)
            throw FileStateStoreError(error, isStoreUsable: contents.failure == nil)
        }
        contents.byteCount += frame.count
    }

    /// Puts a snapshot in the place of the stored one, then a journal of what it does not cover.
    ///
    /// 1. Write `snapshot.new`, sync it.
    /// 2. Rename it to `snapshot`, sync the folder. Until here the journal's entries that the
    ///    snapshot covers are needed; from here on they do no harm.
    /// 3. Write `journal.new`, sync it.
    /// 4. Rename it to `journal`, sync the folder. Until that is done nothing is appended: a loss
    ///    of power could bring back the old journal.
    func compact(
        _ snapshot: StateSerialization,
        _ bytes: [UInt8],
        _ contents: inout FileStateStore.Contents
    ) throws(FileStateStoreError) {
        try checkUsable(contents)
        try attempt { () throws(FileFailure) in
            files.release(try writeUnfinished(self.snapshot, bytes))
            try files.move(unfinished(self.snapshot), to: self.snapshot)
            if syncsToDisk { try files.syncFolder(path) }
        }
        contents.covered = snapshot.state.writers
        let old = try readJournal()
        try attempt { () throws(FileFailure) in
            if let damaged = old?.bytes, old?.file.damage != nil {
                _ = try copyAside(damaged)
            }
            let kept = (old?.file.entries ?? []).filter { !snapshot.covers($0) }
            try replaceJournal(owner: snapshot.owner, kept, &contents)
        }
    }

    private func checkUsable(
        _ contents: FileStateStore.Contents
    ) throws(FileStateStoreError) {
        if let reason = contents.failure { throw .unusable(folder: path, reason: reason) }
    }

    /// Cuts off what a failed append may have left: else the next one would stand behind it.
    private func takeBack(_ contents: inout FileStateStore.Contents, after failure: FileFailure) {
        do {
            try files.truncate(contents.journal, to: contents.byteCount)
            if syncsToDisk { try files.sync(contents.journal) }
        } catch {
            contents.failure =
                "after \(failure.call) failed (\(failure.reason)), \(error.call) failed, too "
                + "(\(error.reason))"
        }
    }

    private func syncName(_ contents: inout FileStateStore.Contents) throws(FileFailure) {
        guard !contents.isNameSynced else { return }
        try files.syncFolder(path)
        contents.isNameSynced = true
    }
}

// Files, written beside and moved into their place.

extension StateFolder {
    /// Runs calls of the file system after which the store goes on, whether they fail or not.
    func attempt<Value>(
        _ body: () throws(FileFailure) -> Value
    ) throws(FileStateStoreError) -> Value {
        do {
            return try body()
        } catch {
            try? removeUnfinished()
            throw FileStateStoreError(error, isStoreUsable: true)
        }
    }

    func removeUnfinished() throws(FileFailure) {
        try files.remove(unfinished(snapshot))
        try files.remove(unfinished(journal))
    }

    /// Reads the journal; nil if there is none.
    func readJournal() throws(FileStateStoreError) -> (bytes: [UInt8], file: JournalFile)? {
        let bytes: [UInt8]?
        do {
            bytes = try files.contents(of: journal)
        } catch {
            throw FileStateStoreError(error, isStoreUsable: true)
        }
        guard let bytes else { return nil }
        do {
            return (bytes, try JournalFile(reading: bytes))
        } catch {
            throw .newerFormat(file: journal, version: error.version)
        }
    }

    /// Puts a journal with these entries in the place of the one that is there.
    func replaceJournal(
        owner: StateSerialization,
        _ entries: [JournalEntry],
        _ contents: inout FileStateStore.Contents
    ) throws(FileFailure) {
        let (file, byteCount) = try replaceJournal(owner: owner, entries)
        files.release(contents.journal)
        contents.journal = file
        contents.byteCount = byteCount
        contents.isNameSynced = !syncsToDisk
        try syncName(&contents)
    }

    /// Puts a journal in its place and leaves the folder to be synced.
    func replaceJournal(
        owner: StateSerialization,
        _ entries: [JournalEntry]
    ) throws(FileFailure) -> (OpenFile, byteCount: Int) {
        let bytes = JournalFile.head(owner: owner) + JournalFile.frame(of: entries)
        let file = try writeUnfinished(journal, bytes)
        do {
            try files.move(unfinished(journal), to: journal)
        } catch {
            files.release(file)
            throw error
        }
        return (OpenFile(descriptor: file.descriptor, path: journal), bytes.count)
    }

    /// Keeps a copy of the damaged journal under a new name, and gives its path.
    func copyAside(_ bytes: [UInt8]) throws(FileFailure) -> String {
        let copy = try nameAside(of: journal)
        files.release(try writeUnfinished(journal, bytes))
        try files.move(unfinished(journal), to: copy)
        return copy
    }

    /// A path for a damaged file that no file has: `journal.damaged-1` and so on.
    func nameAside(of file: String) throws(FileFailure) -> String {
        let names = try files.names(in: path)
        var number = 1
        while names.contains(where: { "\(path)/\($0)" == "\(file).damaged-\(number)" }) {
            number += 1
        }
        return "\(file).damaged-\(number)"
    }

    private func unfinished(_ file: String) -> String { file + ".new" }

    private func writeUnfinished(
        _ path: String,
        _ bytes: [UInt8]
    ) throws(FileFailure) -> OpenFile {
        let file = try files.create(unfinished(path))
        do {
            try files.write(bytes, at: 0, to: file)
            if syncsToDisk { try files.sync(file) }
        } catch {
            files.release(file)
            throw error
        }
        return file
    }
}
