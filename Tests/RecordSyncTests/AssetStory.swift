import Foundation
import RecordModel
import RecordSync
import RecordSyncTesting

/// Devices with files on one cloud: each stages in a folder that the test can look into.
final class AssetStory: Sendable {
    let story = Story()
    /// Everything that the test puts on the disk; gone with the story.
    let root: String

    init() throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("recordsync-assets-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        root = folder.path
    }

    deinit { try? FileManager.default.removeItem(atPath: root) }

    var cloud: InMemoryCloud { story.cloud }

    /// Where engines stage, unless told otherwise.
    var staging: String { "\(root)/staging" }

    func device(_ name: String, folder: String? = nil) -> TestDevice {
        TestDevice(
            name,
            on: story.world,
            cloud: story.cloud,
            isAutomatic: false,
            assetFolder: folder ?? staging
        )
    }

    /// Puts a file of the app's on the disk, and gives its path.
    @discardableResult
    func write(_ bytes: [UInt8], to name: String) -> String {
        let path = "\(root)/\(name)"
        _ = FileManager.default.createFile(atPath: path, contents: Data(bytes))
        return path
    }

    func bytes(_ path: String?) -> [UInt8]? {
        path.flatMap { FileManager.default.contents(atPath: $0) }.map { Array($0) }
    }

    /// Every file below the folder in which engines stage.
    var stagedFiles: [String] {
        (FileManager.default.subpaths(atPath: staging) ?? []).sorted()
    }

    func send(_ device: TestDevice) throws { try story.send(device) }

    func fetch(_ device: TestDevice) throws {
        try story.fetch(device)
        try story.world.runUntilIdle()
    }
}

extension TestDevice {
    /// Gives a record a file, or several, and tells the engine.
    func attach(_ paths: String..., to name: String) {
        var record = delegate[id(name)] ?? Record(recordType: "Note", recordID: id(name))
        for (position, path) in paths.enumerated() {
            record["file\(position == 0 ? "" : "\(position)")"] = Asset(filePath: path)
        }
        delegate[id(name)] = record
        engine.state.add(pendingRecordZoneChanges: [.saveRecord(id(name))])
    }

    /// The bytes of each fetched file at the moment of its event, by the record's name.
    func readsFiles() -> FetchedFiles {
        let files = FetchedFiles()
        delegate.onEvent(.fetchedRecordZoneChanges) { event, _, _ in
            guard case .fetchedRecordZoneChanges(let page) = event else { return }
            for record in page.modifications.map(\.record) {
                guard let asset: Asset = record["file"] else { continue }
                files.add(record.recordID.recordName, asset)
            }
        }
        return files
    }
}

/// Files as a delegate saw them in its events.
final class FetchedFiles: Sendable {
    private let protected = Guarded<[String: (asset: Asset, bytes: [UInt8]?)]>([:])

    func add(_ name: String, _ asset: Asset) {
        let bytes = asset.filePath.flatMap { FileManager.default.contents(atPath: $0) }
        protected.withLock { $0[name] = (asset, bytes.map { Array($0) }) }
    }

    subscript(name: String) -> [UInt8]? { protected.withLock { $0[name]?.bytes } }

    func path(of name: String) -> String? { protected.withLock { $0[name]?.asset.filePath } }
}
