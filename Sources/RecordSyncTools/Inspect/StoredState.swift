#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif
internal import SyncCore

/// A state as it was found in a file.
struct StoredState: Sendable {
    let path: String
    /// The bytes of the state itself, whatever form the file has.
    let bytes: [UInt8]
    let state: EngineState

    /// The format that the bytes say they have.
    var formatVersion: Int { Int(bytes[StateEncoder.magic.count]) }

    /// Reads a file that holds a state's bytes, their base64 text, or that text as JSON.
    init(path: String) throws(JobError) {
        let content: [UInt8]
        do {
            content = try contents(of: path)
        } catch {
            throw JobError("\(path): \(error); expected a stored state")
        }
        do {
            try self.init(path: path, content: content)
        } catch {
            throw JobError("\(path): \(error)")
        }
    }

    private init(path: String, content: [UInt8]) throws {
        self.path = path
        bytes = try Self.bytes(in: content)
        state = try StateSerialization(bytes: bytes).state
    }

    private static func bytes(in content: [UInt8]) throws -> [UInt8] {
        guard !content.isEmpty else {
            throw JobError("the file is empty; expected a stored state")
        }
        if content.starts(with: StateEncoder.magic) { return content }
        let blanks: [UInt8] = [0x20, 0x09, 0x0A, 0x0D]
        let start = content.drop { blanks.contains($0) }
        let end = start.lastIndex { !blanks.contains($0) } ?? start.startIndex
        let text = start[...end]
        if text.first == UInt8(ascii: "\"") {
            if let base64 = try? JSONDecoder().decode(String.self, from: Data(text)),
                let bytes = Base64.decode(Array(base64.utf8))
            {
                return bytes
            }
        } else if let bytes = Base64.decode(text) {
            return bytes
        }
        throw JobError(
            "this is no stored state; expected the bytes of one, their base64 text, or that text "
                + "as a JSON string"
        )
    }
}
