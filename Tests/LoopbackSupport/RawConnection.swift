import CLinux
import RecordModel

/// A connection without any client's good manners.
package final class RawConnection {
    private let descriptor: Int32
    package private(set) var received: [UInt8] = []

    package init(port: Int) throws {
        descriptor = clinux_connect("127.0.0.1", "\(port)", 0)
        guard descriptor >= 0, clinux_await(descriptor, Int32(CLINUX_WRITABLE), 5_000) > 0 else {
            throw SyncError(.networkFailure, "not connected")
        }
    }

    deinit { clinux_close(descriptor) }

    @discardableResult
    package func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    /// Sends all, unless the server closes the connection before.
    @discardableResult
    package func send(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            guard clinux_await(descriptor, Int32(CLINUX_WRITABLE), 5_000) > 0 else { return false }
            let count = rest.withUnsafeBytes { clinux_write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// What the server sends until it closes, or until a text has come.
    package func receive(until end: String? = nil, milliseconds: Int32 = 5_000) -> String {
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let text = String(decoding: received, as: UTF8.self)
            if let end, text.contains(end) { return text }
            guard clinux_await(descriptor, Int32(CLINUX_READABLE), milliseconds) > 0 else {
                return text + "(nothing more came)"
            }
            let count = clinux_read(descriptor, &bytes, bytes.count)
            guard count > 0 else { return text }
            received += bytes[..<count]
        }
    }
}
