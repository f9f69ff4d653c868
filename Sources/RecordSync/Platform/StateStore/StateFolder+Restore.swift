import RecordModel
import SyncCore

// What opening does. Everything is read before anything is changed: a folder that a newer version
// wrote stays as it is.

extension StateFolder {
    /// What was found in a folder, and the open journal.
    struct Found {
        var stateSerialization: StateSerialization?
        var report: FileStateStore.Report
        var contents: FileStateStore.Contents
        /// The launches that wrote what was found.
        var writers: Set<WriterID>
    }

    /// What is in the snapshot's place.
    private enum StoredSnapshot {
        case none
        case whole(StateSerialization, byteCount: Int)
        case damaged(String, byteCount: Int)

        var state: StateSerialization? {
            guard case .whole(let state, _) = self else { return nil }
            return state
        }

        var byteCount: Int? {
            switch self {
            case .none: nil
            case .whole(_, let byteCount), .damaged(_, let byteCount): byteCount
            }
        }
    }

    func restore() throws(FileStateStoreError) -> Found {
        let snapshot = try readSnapshot()
        let journal = try readJournal()
        let owner = snapshot.state?.owner ?? journal?.file.owner ?? StateSerialization()
        let entries = journal?.file.entries ?? []
        let base = snapshot.state ?? (owner.namesOwner ? owner : nil)
        let isNew = base == nil && entries.isEmpty
        let replayed = entries.filter { snapshot.state?.covers($0) != true }
        let (contents, setAside) = try attempt { () throws(FileFailure) in
            try repair(snapshot, journal, owner: owner)
        }
        return Found(
            stateSerialization: isNew ? nil : StateSerialization(base, applying: entries),
            report: FileStateStore.Report(
                snapshotByteCount: snapshot.byteCount,
                journalByteCount: journal?.bytes.count,
                entryCount: entries.count,
                replayedEntryCount: replayed.count,
                cutByteCount: journal?.file.tornByteCount ?? 0,
                setAside: setAside
            ),
            contents: contents,
            writers: Set((snapshot.state?.state.writers ?? []).map(\.writer))
                .union(entries.map(\.id.writer))
        )
    }

    private func readSnapshot() throws(FileStateStoreError) -> StoredSnapshot {
        let bytes: [UInt8]?
        do {
            bytes = try files.contents(of: snapshot)
        } catch {
            throw FileStateStoreError(error, isStoreUsable: false)
        }
        guard let bytes else { return .none }
        do {
            return .whole(try StateSerialization(bytes: bytes), byteCount: bytes.count)
        } catch {
            switch error {
            case .damaged(_, let reason): return .damaged(reason, byteCount: bytes.count)
            case .newerFormat(_, let version):
                guard isVersionFlipped(bytes) else {
                    throw .newerFormat(file: snapshot, version: version)
                }
                return .damaged("its version is a damaged byte", byteCount: bytes.count)
            }
        }
    }

    /// A version that is no version but a damaged byte: all is right with this one in its place.
    private func isVersionFlipped(_ bytes: [UInt8]) -> Bool {
        var mended = bytes
        mended[StateEncoder.magic.count] = UInt8(StateEncoder.version)
        return (try? StateSerialization(bytes: mended)) != nil
    }

    /// Sets aside what is damaged, cuts off what is torn, and opens the journal.
    ///
    /// A damaged journal is copied first and then replaced by its whole entries at once: at no
    /// moment is there no journal.
    private func repair(
        _ snapshot: StoredSnapshot,
        _ journal: (bytes: [UInt8], file: JournalFile)?,
        owner: StateSerialization
    ) throws(FileFailure) -> (FileStateStore.Contents, [FileStateStore.SetAsideFile]) {
        let earlier = try files.names(in: path).filter { $0.contains(".damaged-") }.sorted()
        var setAside = earlier.map {
            FileStateStore.SetAsideFile(path: "\(path)/\($0)", damage: nil)
        }
        if case .damaged(let reason, _) = snapshot {
            let aside = try nameAside(of: self.snapshot)
            try files.move(self.snapshot, to: aside)
            setAside.append(.init(path: aside, damage: reason))
        }
        if let journal, let damage = journal.file.damage {
            setAside.append(.init(path: try copyAside(journal.bytes), damage: damage))
        }
        let (file, byteCount) = try openJournal(journal?.file, owner: owner)
        let contents = FileStateStore.Contents(
            journal: file,
            byteCount: byteCount,
            covered: snapshot.state?.state.writers ?? []
        )
        do {
            try removeUnfinished()
            if syncsToDisk { try files.syncFolder(path) }
        } catch {
            files.release(file)
            throw error
        }
        return (contents, setAside)
    }

    private func openJournal(
        _ journal: JournalFile?,
        owner: StateSerialization
    ) throws(FileFailure) -> (OpenFile, byteCount: Int) {
        guard let journal, journal.damage == nil else {
            return try replaceJournal(owner: owner, journal?.entries ?? [])
        }
        let file = try files.reopen(self.journal)
        guard journal.tornByteCount > 0 else { return (file, journal.byteCount) }
        do {
            try files.truncate(file, to: journal.byteCount)
            if syncsToDisk { try files.sync(file) }
        } catch {
            files.release(file)
            throw error
        }
        return (file, journal.byteCount)
    }
}
