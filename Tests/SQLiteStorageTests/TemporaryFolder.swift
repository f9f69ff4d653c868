import Foundation

/// A folder that is there as long as the value.
final class TemporaryFolder: Sendable {
    private let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory
            .appendingPathComponent("recordsync-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func file(_ name: String) -> String { url.appendingPathComponent(name).path }

    /// Changes one byte of a file that nobody has open.
    func set(_ byte: UInt8, at place: Int, of name: String) throws {
        var data = try Data(contentsOf: url.appendingPathComponent(name))
        data[place] = byte
        try data.write(to: url.appendingPathComponent(name))
    }

    func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: url.appendingPathComponent(name))
    }
}
