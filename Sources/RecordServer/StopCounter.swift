import CLinux
package import RecordModel

/// What tells a server to stop, from any thread or from a signal.
package final class StopCounter: Sendable {
    let descriptor: Int32

    package init() throws(SyncError) {
        descriptor = clinux_counter()
        guard descriptor >= 0 else {
            throw SyncError(.internalError, "cannot make a counter (error \(-descriptor))")
        }
    }

    deinit { clinux_close(descriptor) }

    /// Tells the server to answer what has come, and to end.
    package func stop() { clinux_count(descriptor) }

    /// Stops on SIGTERM and SIGINT; the process must keep this value until it ends.
    package func stopOnSignals() { clinux_count_stop_signals(descriptor) }
}

/// Random bytes of the system.
package func randomBytes(_ count: Int) throws(SyncError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    guard clinux_random(&bytes, count) == 0 else {
        throw SyncError(.internalError, "the system gives no random bytes")
    }
    return bytes
}

/// The time of the machine's clock.
package func wallClock() -> Timestamp {
    Timestamp(millisecondsSince1970: clinux_wall_milliseconds())
}
