package import Foundation
package import RecordModel
package import RecordServer
import SQLiteStorage
import ServerCore

/// A server that runs on a thread of its own until the value is gone.
package final class LoopbackServer: Sendable {
    package let port: Int
    package let folder: URL
    private let stop: StopCounter
    private let ended = DispatchSemaphore(value: 0)

    /// The address, for a client.
    package var url: String { "http://127.0.0.1:\(port)" }

    /// Starts a server; everybody on this machine is the account `me` unless tokens are given, each
    /// for an account and a device.
    package init(
        tokens: [(token: AccessToken, account: String, device: String)] = [],
        limits: RequestLimits = .standard,
        _ change: (inout LoopConfiguration) -> Void = { _ in }
    ) throws {
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("recordsync-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        stop = try StopCounter()
        var server = Server(
            storage: try SQLiteStorage(path: folder.appendingPathComponent("records").path),
            configuration: ServerConfiguration(tokenKey: Array(0..<32))
        )
        server.configuration.limits = limits
        try server.createAccount("me", at: wallClock())
        for (token, account, device) in tokens {
            try server.createAccount(account, at: wallClock())
            try server.storage.begin(.writing)
            try server.storage.put(
                StoredCredential(
                    hash: token.hash,
                    account: account,
                    deviceID: device,
                    created: wallClock()
                )
            )
            try server.storage.commit()
        }
        var options = ServiceOptions()
        if tokens.isEmpty { options.openAccount = "me" }
        var configuration = LoopConfiguration()
        change(&configuration)
        let service = try RecordService(
            server: server,
            options: options,
            assets: try AssetStore(folder: folder.appendingPathComponent("assets").path)
        )
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
    package func end() -> Bool {
        stop.stop()
        defer { ended.signal() }
        return ended.wait(timeout: .now() + 10) == .success
    }

    /// Tells the server to stop, and does not wait.
    package func beginToEnd() { stop.stop() }

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
