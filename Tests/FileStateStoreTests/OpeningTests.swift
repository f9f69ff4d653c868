import RecordModel
import RecordSync
import SyncCore
import TestSupport
import Testing

struct OpeningTests {
    @Test(.holds("H44"))
    func restoresNothingFromANewFolder() throws {
        let folder = try TemporaryFolder()
        let opening = try FileStateStore.open("\(folder.path)/new")
        #expect(opening.stateSerialization == nil)
        #expect(opening.report.snapshotByteCount == nil)
        #expect(opening.report.journalByteCount == nil)
        #expect(opening.report.isWhole)
    }

    @Test func restoresWhatWasAppended() throws {
        let folder = try TemporaryFolder()
        try with(folder.path) { store in
            try store.append(entries(1...2))
            try store.append(entry(3))
        }
        let (numbers, report) = try found(folder.path)
        #expect(numbers == [1, 2, 3])
        #expect(report.entryCount == 3)
        #expect(report.replayedEntryCount == 3)
        #expect(report.cutByteCount == 0)
    }

    @Test(.holds("J6", "J7"))
    func keepsTheEntriesThatASnapshotDoesNotCover() throws {
        let folder = try TemporaryFolder()
        try with(folder.path) { store in
            try store.append(entries(1...3))
            try store.compact(snapshot(1...2))
            try store.append(entry(4))
        }
        let (numbers, report) = try found(folder.path)
        #expect(numbers == [1, 2, 3, 4])
        #expect(report.entryCount == 2)
        #expect(folder.names == ["journal", "snapshot"])
    }

    @Test(.holds("J3"))
    func takesRepeatsAndGaps() throws {
        let folder = try TemporaryFolder()
        try with(folder.path) { store in
            try store.append([entry(5), entry(2), entry(5)])
            try store.append(entry(2))
            try store.append(entries(1...1, launch: 2))
        }
        #expect(try found(folder.path).numbers == [5, 2, 1])
    }

    @Test func restoresTheSameOverAndOver() throws {
        let folder = try TemporaryFolder()
        try with(folder.path) { store in
            try store.append(entries(1...2))
            try store.compact(snapshot(1...1))
        }
        let files = [folder["journal"], folder["snapshot"]]
        for _ in 1...3 { #expect(try found(folder.path).numbers == [1, 2]) }
        #expect([folder["journal"], folder["snapshot"]] == files)
    }

    @Test func writesNothingForNoEntries() throws {
        let folder = try TemporaryFolder()
        try with(folder.path) { store in
            let before = folder["journal"]
            try store.append([])
            try store.handle(SyncEvent.StateUpdate(stateSerialization: snapshot(1...1)))
            #expect(folder["journal"] == before)
        }
    }

    @Test func compactsWhenAdvised() throws {
        let folder = try TemporaryFolder()
        try with(folder.path) { store in
            try store.append(entries(1...2))
            let update = SyncEvent.StateUpdate(
                stateSerialization: snapshot(1...3),
                entries: JournalEntries(entries(3...3)),
                isCompactingAdvised: true
            )
            try store.handle(update)
        }
        let (numbers, report) = try found(folder.path)
        #expect(numbers == [1, 2, 3])
        #expect(report.entryCount == 0)
    }

    @Test(.holds("J12"))
    func isOpenOnce() throws {
        let folder = try TemporaryFolder()
        try with(folder.path) { store in
            #expect(throws: FileStateStoreError.inUse(folder: folder.path)) {
                try found(folder.path)
            }
            try store.append(entry(1))
        }
        #expect(try found(folder.path).numbers == [1])
    }

    @Test func leavesAnOlderSnapshotAside() throws {
        let folder = try TemporaryFolder()
        try with(folder.path) { store in
            try store.append(entries(1...3))
            try store.compact(snapshot(1...3))
            try store.compact(snapshot(1...2))
            try store.compact(StateSerialization())
        }
        #expect(try found(folder.path).numbers == [1, 2, 3])
    }

    @Test(.holds("J5"))
    func takesASnapshotThatForgotAFormerLaunch() throws {
        let folder = try TemporaryFolder()
        try with(folder.path) { try $0.compact(snapshot(1...2)) }
        let later = StateSerialization(nil, applying: entries(3...4, launch: 2))
        try with(folder.path) { try $0.compact(later) }
        #expect(try found(folder.path).numbers == [3, 4])
    }

    @Test func saysWhyAFolderCannotBeMade() throws {
        let error = #expect(throws: FileStateStoreError.self) {
            try found("/proc/self/nowhere/state")
        }
        guard case .callFailed(let failed)? = error else { return }
        #expect(failed.call == "mkdir")
        #expect(failed.file == "/proc/self/nowhere/state")
        #expect("\(failed.reason)".contains("No such file or directory"))
        #expect(!failed.isStoreUsable)
    }

    @Test func refusesAFolderThatCannotBeWritten() throws {
        let files = BreakingFiles()
        try with("state", files) { try $0.append(entry(1)) }
        for call in 1...4 {
            let disk = files.afterEnd()
            disk.inject(.fails(30), at: call)
            let error = #expect(throws: FileStateStoreError.self) { try found("state", disk) }
            #expect("\(try #require(error))".contains("state"))
            #expect(try found("state", disk).numbers == [1])
        }
    }

    @Test(.holds("H33"), arguments: ["snapshot", "journal"])
    func touchesNothingOfANewerVersion(file: String) throws {
        let folder = try TemporaryFolder()
        try with(folder.path) { store in
            try store.append(entries(1...2))
            try store.compact(snapshot(1...1))
        }
        let newer = newer(try #require(folder[file]))
        folder[file] = newer
        folder["journal.new"] = [1]
        let other = folder[file == "journal" ? "snapshot" : "journal"]
        #expect(
            throws: FileStateStoreError.newerFormat(file: "\(folder.path)/\(file)", version: 2)
        ) { try found(folder.path) }
        #expect(folder[file] == newer)
        #expect(folder[file == "journal" ? "snapshot" : "journal"] == other)
        #expect(folder.names == ["journal", "journal.new", "snapshot"])
    }

    /// As a later version might write it: another version and another checksum.
    private func newer(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        bytes[4] = 2
        let end = bytes.starts(with: JournalFile.magic) ? 21 : bytes.count
        bytes[end - 4..<end] = checksumBytes(bytes[..<(end - 4)])[...]
        return bytes
    }

    @Test func touchesNothingOfANewerVersionsEntry() throws {
        let folder = try TemporaryFolder()
        try with(folder.path) { try $0.append(entry(1)) }
        var newer = entry(2).bytes
        newer[0] = 2
        var writer = BinaryWriter()
        writer.write(list: [newer]) { $0.write($1) }
        let contents = writer.bytes
        var frame = BinaryWriter()
        frame.write(fixed: UInt64(contents.count))
        frame.write(raw: checksumBytes(contents))
        frame.write(raw: checksumBytes(frame.bytes))
        let journal = try #require(folder["journal"]) + frame.bytes + contents
        folder["journal"] = journal
        #expect(
            throws: FileStateStoreError.newerFormat(file: "\(folder.path)/journal", version: 2)
        ) { try found(folder.path) }
        #expect(folder["journal"] == journal)
    }
}
