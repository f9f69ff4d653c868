import Foundation

/// A folder that is gone when its owner is.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        let name = "recordsync-\(UUID().uuidString)"
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(name)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        path = folder.path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The bytes of a file; putting nil deletes it.
    subscript(_ name: String) -> [UInt8]? {
        get { FileManager.default.contents(atPath: "\(path)/\(name)").map { Array($0) } }
        set {
            guard let newValue else {
                try? FileManager.default.removeItem(atPath: "\(path)/\(name)")
                return
            }
            _ = FileManager.default.createFile(atPath: "\(path)/\(name)", contents: Data(newValue))
        }
    }

    /// The names of its files, but for the lock.
    var names: [String] {
        let names = try? FileManager.default.contentsOfDirectory(atPath: path)
        return (names ?? []).filter { $0 != "lock" }.sorted()
    }
}
