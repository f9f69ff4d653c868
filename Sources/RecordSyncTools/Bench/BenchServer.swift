internal import Foundation
internal import RecordServer
internal import ServerCore
internal import Synchronization

/// A server in a folder of its own, on a thread of this process, open to this machine.
final class BenchServer: Sendable {
    let port: UInt16
    private let folder: URL
    private let stop: StopCounter
    private let ended = DispatchSemaphore(value: 0)

    init() throws {
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("recordsync-\(UUID().uuidString)")
        let stop = try StopCounter()
        self.stop = stop
        var server = try ServerFolder(making: folder.path).server()
        var options = ServiceOptions()
        options.openAccount = "bench"
        try server.createAccount("bench", at: wallClock())
        let service = try RecordService(server: server, options: options)
        let started = Started()
        Thread.detachNewThread { [ended] in
            let loop = try? ServerLoop(
                service: service,
                configuration: LoopConfiguration(),
                stop: stop
            )
            started.port.withLock { $0 = loop.map { UInt16($0.port) } }
            started.semaphore.signal()
            loop?.run()
            ended.signal()
        }
        started.semaphore.wait()
        guard let port = started.port.withLock({ $0 }) else { throw JobError("no port is free") }
        self.port = port
    }

    private final class Started: Sendable {
        let semaphore = DispatchSemaphore(value: 0)
        let port = Mutex<UInt16?>(nil)
    }

    /// Stops it and removes its folder.
    func end() {
        stop.stop()
        ended.wait()
        try? FileManager.default.removeItem(at: folder)
    }
}
