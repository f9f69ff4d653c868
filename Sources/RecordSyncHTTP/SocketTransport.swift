#if os(Linux)
    import CLinux
    import Foundation
    import RecordSync

    /// A small HTTP/1.1 client over sockets, with connections that are used again.
    ///
    /// The system's own client ends the process when a request is cancelled, and takes twenty times
    /// the processor's time. Each call waits on a thread of its own: an engine has few at a time.
    final class SocketTransport: HTTPTransport {
        private let server: ServerURL
        private let pool = Guarded<[Int32]>([])

        /// Connections that are kept.
        private static let pooledCountMax = 4

        init(server: ServerURL) { self.server = server }

        deinit {
            for descriptor in pool.withLock({ $0 }) { clinux_close(descriptor) }
        }

        func perform(_ call: HTTPCall) async throws(TransportFailure) -> HTTPReply {
            let running = RunningCall(call, of: self)
            let result = await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let thread = Thread { continuation.resume(returning: running.run()) }
                    thread.stackSize = 1 << 18
                    thread.start()
                }
            } onCancel: {
                running.cancel()
            }
            return try result.get()
        }

        var host: String { server.host }
        var port: String { "\(server.port)" }

        func head(of call: HTTPCall) -> [UInt8] {
            var text = "\(call.method) \(server.path)\(call.target) HTTP/1.1\r\n"
            text += "host: \(server.authority)\r\n"
            for field in call.fields { text += "\(field.name): \(field.value)\r\n" }
            if call.method != "GET" {
                text += "content-type: \(call.contentType)\r\n"
                text += "content-length: \(call.body.count)\r\n"
            }
            return Array((text + "\r\n").utf8)
        }

        /// A connection that was used before and still stands.
        func takePooled() -> Int32? {
            while let descriptor = pool.withLock({ $0.popLast() }) {
                if clinux_is_idle(descriptor) != 0 { return descriptor }
                clinux_close(descriptor)
            }
            return nil
        }

        func giveBack(_ descriptor: Int32) {
            let isKept = pool.withLock { pool in
                guard pool.count < Self.pooledCountMax else { return false }
                pool.append(descriptor)
                return true
            }
            if !isKept { clinux_close(descriptor) }
        }
    }

    /// One call on its thread.
    final class RunningCall: Sendable {
        private let call: HTTPCall
        private let transport: SocketTransport
        private let end: Int64
        private let state = Guarded<State>(State())

        private struct State {
            /// The connection, while it may be shut by somebody who cancels.
            var descriptor: Int32?
            var isCancelled = false
        }

        init(_ call: HTTPCall, of transport: SocketTransport) {
            self.call = call
            self.transport = transport
            end = clinux_monotonic_milliseconds() + call.milliseconds
        }

        /// Wakes the thread, which then ends with a failure.
        func cancel() {
            state.withLock { state in
                state.isCancelled = true
                if let descriptor = state.descriptor { clinux_shut(descriptor) }
            }
        }

        func run() -> Result<HTTPReply, TransportFailure> {
            do throws(TransportFailure) {
                if let descriptor = transport.takePooled() {
                    if let reply = try exchange(on: descriptor, isReused: true) {
                        return .success(reply)
                    }
                }
                // The server had closed the connection that was used again.
                guard let reply = try exchange(on: try connected(), isReused: false) else {
                    throw failure("the connection broke off", sent: true)
                }
                return .success(reply)
            } catch {
                return .failure(error)
            }
        }

        // MARK: Connecting

        private func connected() throws(TransportFailure) -> Int32 {
            var number: Int32 = 0
            while true {
                let descriptor = clinux_connect(transport.host, transport.port, number)
                guard descriptor >= 0 || number > 0 else {
                    throw failure("\(transport.host) is not found or not reached", sent: false)
                }
                guard descriptor >= 0 else { throw failure("no connection", sent: false) }
                do throws(TransportFailure) {
                    try adopt(descriptor)
                    try wait(for: CLINUX_WRITABLE, of: descriptor, sent: false)
                } catch {
                    release(descriptor)
                    throw error
                }
                if clinux_connected(descriptor) == 0 { return descriptor }
                release(descriptor)
                number += 1
            }
        }

        private func adopt(_ descriptor: Int32) throws(TransportFailure) {
            let isCancelled = state.withLock { state in
                state.descriptor = descriptor
                return state.isCancelled
            }
            if isCancelled { throw failure("the request was cancelled", sent: false) }
        }

        private func release(_ descriptor: Int32) {
            state.withLock { $0.descriptor = nil }
            clinux_close(descriptor)
        }

        // MARK: Sending and receiving

        /// Sends the request and reads the answer; nil if a connection that was used again turned
        /// out to be closed, and nothing is lost by another try.
        private func exchange(
            on descriptor: Int32,
            isReused: Bool
        ) throws(TransportFailure) -> HTTPReply? {
            var parser = HTTPReplyParser()
            do throws(TransportFailure) {
                try adopt(descriptor)
                try send(transport.head(of: call) + call.body, on: descriptor)
                let reply = try receive(&parser, from: descriptor)
                state.withLock { $0.descriptor = nil }
                if parser.keepsConnection {
                    transport.giveBack(descriptor)
                } else {
                    clinux_close(descriptor)
                }
                return reply
            } catch {
                release(descriptor)
                let isStale = isReused && parser.isEmpty && call.isRepeatable
                let isOver = clinux_monotonic_milliseconds() >= end
                guard isStale, !isOver, !state.withLock({ $0.isCancelled }) else { throw error }
                return nil
            }
        }

        private func send(_ bytes: [UInt8], on descriptor: Int32) throws(TransportFailure) {
            var sent = 0
            while sent < bytes.count {
                let count = bytes[sent...].withUnsafeBytes { buffer in
                    clinux_write(descriptor, buffer.baseAddress, buffer.count)
                }
                if count > 0 {
                    sent += count
                } else if isAgain(count) {
                    try wait(for: CLINUX_WRITABLE, of: descriptor, sent: sent > 0)
                } else {
                    // A refusal may stand in the other direction already.
                    return
                }
            }
        }

        private func receive(
            _ parser: inout HTTPReplyParser,
            from descriptor: Int32
        ) throws(TransportFailure) -> HTTPReply {
            var bytes = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                let count = clinux_read(descriptor, &bytes, bytes.count)
                if count > 0 {
                    if let reply = try parse(bytes[..<count], &parser) { return reply }
                } else if isAgain(count) {
                    try wait(for: CLINUX_READABLE, of: descriptor, sent: true)
                } else if count == 0, let reply = parser.end() {
                    return reply
                } else {
                    throw failure("the connection broke off", sent: true)
                }
            }
        }

        private func parse(
            _ bytes: ArraySlice<UInt8>,
            _ parser: inout HTTPReplyParser
        ) throws(TransportFailure) -> HTTPReply? {
            do throws(HTTPReplyParser.Malformed) {
                return try parser.receive(bytes)
            } catch {
                throw failure(error.reason, sent: true)
            }
        }

        private func wait(
            for readiness: Int,
            of descriptor: Int32,
            sent: Bool
        ) throws(TransportFailure) {
            let rest = end - clinux_monotonic_milliseconds()
            let found =
                rest > 0
                ? clinux_await(descriptor, Int32(readiness), Int32(clamping: rest)) : 0
            if state.withLock({ $0.isCancelled }) {
                throw failure("the request was cancelled", sent: sent)
            }
            guard found != 0 else { throw failure("no answer came in time", sent: sent) }
        }

        private func failure(_ reason: String, sent: Bool) -> TransportFailure {
            TransportFailure(mayHaveArrived: sent, reason: reason)
        }
    }

    /// True for a call that would have had to wait.
    private func isAgain(_ result: Int) -> Bool { result == -11 || result == -4 }
#endif
