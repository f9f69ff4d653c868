import Foundation
import RecordModel
import RecordSync
import RecordSyncTesting
import TestSupport
import Testing

/// Files on the disk, where single calls of the system fail.
@Suite struct AssetFileTests {
    private let story: AssetStory

    init() throws { story = try AssetStory() }

    private func asset(_ path: String) -> Asset {
        Asset(filePath: path, byteCount: 1, checksum: SHA256.hash([1]))
    }

    @Test(.holds("P103", "H97"))
    func movesAFileOverAnOldOne() throws {
        let (new, old) = (story.write([1], to: "new"), story.write([7], to: "old"))
        let moved = try asset(new).movingFile(to: old)
        #expect(story.bytes(old) == [1])
        #expect(story.bytes(new) == nil)
        #expect(moved == asset(old))
    }

    @Test(.holds("P103", "H97"))
    func copiesAFileBesideFirstWhereItCannotBeRenamed() throws {
        let (new, old) = (story.write([1], to: "new"), story.write([7], to: "old"))
        let files = FailingFiles(code: .otherVolume, at: { $0 == "rename" && $1.hasSuffix("new") })
        _ = try asset(new).movingFile(to: old, with: files)
        #expect(story.bytes(old) == [1])
        #expect(story.bytes(new) == nil)
        #expect(story.bytes("\(old).part") == nil)
    }

    @Test(.holds("P103", "H97"), arguments: ["write", "fsync", "rename"])
    func keepsBothFilesIfTheCopyFails(_ call: String) throws {
        let (new, old) = (story.write([1], to: "new"), story.write([7], to: "old"))
        let files = FailingFiles(
            code: .otherVolume,
            at: { $0 == "rename" && $1.hasSuffix("new") },
            then: .full,
            at: { $0 == call && $1.hasSuffix(".part") }
        )
        #expect(throws: SyncError.self) { try asset(new).movingFile(to: old, with: files) }
        #expect(story.bytes(old) == [7])
        #expect(story.bytes(new) == [1])
        #expect(story.bytes("\(old).part") == nil)
    }

    @Test(.holds("P101"))
    func aFullDiskFailsTheRecordAlone() throws {
        let app = RecordingDelegate()
        let engine = engine(
            app,
            FailingFiles(code: .full, at: { $0 == "write" && $1.hasSuffix("/0") })
        )
        for (name, bytes) in [("a", [UInt8(1)]), ("b", [2])] {
            var record = Record(recordType: "Note", recordID: Record.ID(recordName: name))
            record["file"] = Asset(filePath: story.write(bytes, to: name))
            app[record.recordID] = record
            engine.state.add(pendingRecordZoneChanges: [.saveRecord(record.recordID)])
        }
        try? story.story.world.run { try await engine.sendChanges() }
        try story.story.world.runUntilIdle()
        #expect(
            story.cloud.records(in: .default, account: "alice").map(\.recordID.recordName) == ["b"]
        )
        let failed = app.events.flatMap { event -> [SyncError.Code] in
            guard case .sentRecordZoneChanges(let sent) = event else { return [] }
            return sent.failedRecordSaves.map(\.error.code)
        }
        #expect(failed == [.assetNotAvailable])
        #expect(story.stagedFiles == [])
    }

    @Test(.holds("P104"))
    func aFullDiskCostsAFetchNoRecord() throws {
        let a = story.device("A")
        a.attach(story.write([1], to: "one"), to: "n")
        a.save("text", text: "t")
        try story.send(a)
        let app = RecordingDelegate()
        let engine = engine(app, FailingFiles(code: .full, at: { call, _ in call == "write" }))
        try story.story.world.run { try await engine.fetchChanges() }
        try story.story.world.runUntilIdle()
        let page = app.events.compactMap { event -> SyncEvent.FetchedRecordZoneChanges? in
            guard case .fetchedRecordZoneChanges(let page) = event else { return nil }
            return page
        }.first
        #expect(page?.modifications.count == 2)
        #expect(page?.failedAssets.map(\.error.code) == [.assetNotAvailable])
        #expect(page?.failedAssets.first?.error.message.contains("disk is full") == true)
        #expect(story.stagedFiles == [])
    }

    @Test(.holds("P101"))
    func aFileThatChangesWhileItIsCopiedFailsItsRecord() throws {
        let app = RecordingDelegate()
        let path = story.write([1, 2, 3], to: "busy")
        let engine = engine(app, FailingFiles(changing: path))
        var record = Record(recordType: "Note", recordID: Record.ID(recordName: "n"))
        record["file"] = Asset(filePath: path)
        app[record.recordID] = record
        engine.state.add(pendingRecordZoneChanges: [.saveRecord(record.recordID)])
        #expect(throws: SyncError.self) {
            try story.story.world.run { try await engine.sendChanges() }
        }
        let failed = app.events.flatMap { event -> [SyncError.Code] in
            guard case .sentRecordZoneChanges(let sent) = event else { return [] }
            return sent.failedRecordSaves.map(\.error.code)
        }
        #expect(failed == [.assetFileModified])
    }

    private func engine(_ app: RecordingDelegate, _ files: FailingFiles) -> SyncEngine {
        var configuration = SyncEngine.Configuration(
            database: story.cloud.database(.private, account: "alice", device: "X"),
            stateSerialization: nil,
            delegate: app
        )
        configuration.automaticallySync = false
        configuration.assetFolder = story.staging
        configuration.assetFiles = files
        configuration.run(on: story.story.world)
        return SyncEngine(configuration)
    }
}

/// The system's files, where some calls fail.
private struct FailingFiles: AssetFileSystem {
    enum Reason {
        case full
        case otherVolume
    }

    private let base = SystemFiles()
    private var failures: [(reason: Reason, isMeant: @Sendable (String, String) -> Bool)] = []
    private var changing: String?

    init(code: Reason, at isMeant: @escaping @Sendable (String, String) -> Bool) {
        failures = [(code, isMeant)]
    }

    init(
        code: Reason,
        at isMeant: @escaping @Sendable (String, String) -> Bool,
        then second: Reason,
        at isSecond: @escaping @Sendable (String, String) -> Bool
    ) {
        failures = [(code, isMeant), (second, isSecond)]
    }

    /// A file that somebody writes to while it is read.
    init(changing path: String) { changing = path }

    private func check(_ call: String, _ path: String) throws(FileFailure) {
        for failure in failures where failure.isMeant(call, path) {
            let code = failure.reason == .full ? ENOSPC : EXDEV
            throw FileFailure(call: call, path: path, code: code)
        }
    }

    func openToRead(_ path: String) throws(FileFailure) -> OpenFile { try base.openToRead(path) }

    func version(of file: OpenFile) throws(FileFailure) -> FileVersion {
        try base.version(of: file)
    }

    func readBytes(
        of file: OpenFile,
        at offset: Int64,
        countMax: Int
    ) throws(FileFailure) -> [UInt8] {
        if let changing, file.path == changing, offset == 0 {
            let writer = FileHandle(forWritingAtPath: changing)
            try? writer?.truncate(atOffset: 9)
        }
        return try base.readBytes(of: file, at: offset, countMax: countMax)
    }

    func removeFolder(_ path: String) throws(FileFailure) { try base.removeFolder(path) }
    func makeFolder(_ path: String) throws(FileFailure) -> Bool { try base.makeFolder(path) }
    func lock(_ path: String) throws(FileFailure) -> OpenFile? { try base.lock(path) }
    func names(in folder: String) throws(FileFailure) -> [String] { try base.names(in: folder) }
    func contents(of path: String) throws(FileFailure) -> [UInt8]? { try base.contents(of: path) }
    func create(_ path: String) throws(FileFailure) -> OpenFile { try base.create(path) }
    func reopen(_ path: String) throws(FileFailure) -> OpenFile { try base.reopen(path) }

    func write(_ bytes: [UInt8], at offset: Int, to file: OpenFile) throws(FileFailure) {
        try check("write", file.path)
        try base.write(bytes, at: offset, to: file)
    }

    func truncate(_ file: OpenFile, to count: Int) throws(FileFailure) {
        try base.truncate(file, to: count)
    }

    func sync(_ file: OpenFile) throws(FileFailure) {
        try check("fsync", file.path)
        try base.sync(file)
    }

    func syncFolder(_ path: String) throws(FileFailure) { try base.syncFolder(path) }

    func move(_ path: String, to newPath: String) throws(FileFailure) {
        try check("rename", path)
        try base.move(path, to: newPath)
    }

    func remove(_ path: String) throws(FileFailure) { try base.remove(path) }
    func release(_ file: OpenFile) { base.release(file) }
}
