import CLinux
import Foundation
import RecordModel
import RecordServer
import SQLiteStorage
import ServerCore

/// A server that runs on a thread of its own until the value is gone.
final class LoopFixture: Sendable {
    let port: Int
    let folder: URL
    private let stop: StopCounter
    private let ended = DispatchSemaphore(value: 0)

    init(_ change: (inout LoopConfiguration) -> Void = { _ in }) throws {
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("recordsync-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        stop = try StopCounter()
        var server = Server(
            storage: try SQLiteStorage(path: folder.appendingPathComponent("records").path),
            configuration: ServerConfiguration(tokenKey: Array(0..<32))
        )
        try server.createAccount("me", at: Timestamp(millisecondsSince1970: 1))
        var options = ServiceOptions()
        options.openAccount = "me"
        var configuration = LoopConfiguration()
        change(&configuration)
        let service = try RecordService(server: server, options: options)
        let started = Started()
        let thread = Thread { [stop, ended, configuration] in
            let loop = try? ServerLoop(
                service: service,
                configuration: configuration,
                stop: stop
            )
            started.finish(with: loop?.port ?? 0)
            loop?.run()
            ended.signal()
        }
        thread.start()
        port = started.wait()
    }

    deinit {
        end()
        try? FileManager.default.removeItem(at: folder)
    }

    /// Tells the server to stop, and waits until it did; true if that was within ten seconds.
    @discardableResult
    func end() -> Bool {
        stop.stop()
        defer { ended.signal() }
        return ended.wait(timeout: .now() + 10) == .success
    }

    /// Tells the server to stop, and does not wait.
    func beginToEnd() { stop.stop() }

    private final class Started: Sendable {
        private let condition = DispatchSemaphore(value: 0)
        private let port = Box()

        func finish(with port: Int) {
            self.port.value = port
            condition.signal()
        }

        func wait() -> Int {
            condition.wait()
            return port.value
        }
    }
}

/// A connection without any client's good manners.
final class RawConnection {
    private let descriptor: Int32
    private(set) var received: [UInt8] = []

    init(port: Int) throws {
        descriptor = clinux_connect("127.0.0.1", "\(port)", 0)
        guard descriptor >= 0, clinux_await(descriptor, Int32(CLINUX_WRITABLE), 5_000) > 0 else {
            throw SyncError(.networkFailure, "not connected")
        }
    }

    deinit { clinux_close(descriptor) }

    @discardableResult
    func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    /// Sends all, unless the server closes the connection before.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
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
    func receive(until end: String? = nil, milliseconds: Int32 = 5_000) -> String {
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
