import CLinux
import Foundation
import RecordModel
package import RecordServer
import Synchronization

/// A server that answers as it is told, one connection after the other.
package final class ScriptedPeer: Sendable {
    /// What becomes of a request.
    package enum Answer: Sendable {
        /// These bytes are sent, and the connection is closed.
        case bytes(String)
        /// These bytes are sent, and the connection stays.
        case open(String)
        /// Nothing is sent until the peer ends.
        case silence
        /// The request goes on to a server, and its answer comes back.
        case forward(port: Int)
        /// The request goes on to a server, and its answer is lost.
        case forwardAndLose(port: Int)
    }

    package typealias Script = @Sendable (_ request: HTTPRequest, _ number: Int) -> Answer

    package let port: Int
    private let listener: Int32
    private let script: Script
    private let state = Mutex<(requests: [HTTPRequest], isEnded: Bool)>(([], false))

    package var url: String { "http://127.0.0.1:\(port)" }
    /// The requests that came, in their order.
    package var requests: [HTTPRequest] { state.withLock { $0.requests } }

    /// Starts a peer; requests are counted from 1.
    package init(_ script: @escaping Script) throws {
        listener = clinux_listen("127.0.0.1", 0, 64)
        guard listener >= 0 else { throw SyncError(.internalError, "no port") }
        port = Int(clinux_port(listener))
        self.script = script
        Thread { [weak self, listener] in
            while clinux_await(listener, Int32(CLINUX_READABLE), -1) > 0 {
                guard let peer = self, !peer.state.withLock({ $0.isEnded }) else { return }
                var isLocal: Int32 = 0
                let descriptor = clinux_accept(listener, &isLocal)
                if descriptor >= 0 { Thread { peer.serve(descriptor) }.start() }
            }
        }.start()
    }

    /// Stops taking connections.
    package func end() {
        state.withLock { $0.isEnded = true }
        clinux_shut(listener)
    }

    private func serve(_ descriptor: Int32) {
        defer { clinux_close(descriptor) }
        var parser = HTTPRequestParser()
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        while clinux_await(descriptor, Int32(CLINUX_READABLE), 600_000) > 0 {
            let count = clinux_read(descriptor, &bytes, bytes.count)
            guard count > 0 else { return }
            parser.receive(bytes[..<count])
            while case .request(let request) = parser.next({ _ in 100_000_000 }) {
                let number = state.withLock { state in
                    state.requests.append(request)
                    return state.requests.count
                }
                guard answer(script(request, number), to: request, on: descriptor) else { return }
            }
        }
    }

    /// Answers, and says whether the connection stays.
    private func answer(
        _ answer: Answer,
        to request: HTTPRequest,
        on descriptor: Int32
    ) -> Bool {
        switch answer {
        case .bytes(let text):
            send(Array(text.utf8), on: descriptor)
            return false
        case .open(let text):
            send(Array(text.utf8), on: descriptor)
            return true
        case .silence:
            _ = clinux_await(descriptor, 0, 20_000)
            return false
        case .forward(let port):
            send(forwarded(request, to: port), on: descriptor)
            return false
        case .forwardAndLose(let port):
            _ = forwarded(request, to: port)
            return false
        }
    }

    private func forwarded(_ request: HTTPRequest, to port: Int) -> [UInt8] {
        guard let connection = try? RawConnection(port: port) else { return [] }
        var text = "\(request.head.method) \(request.head.path)"
        if !request.head.query.isEmpty { text += "?\(request.head.query)" }
        text += " HTTP/1.1\r\nconnection: close\r\n"
        for field in request.head.fields where field.name != "connection" {
            text += "\(field.name): \(field.value)\r\n"
        }
        connection.send(Array((text + "\r\n").utf8) + request.body)
        _ = connection.receive(milliseconds: 20_000)
        return connection.received
    }

    private func send(_ bytes: [UInt8], on descriptor: Int32) {
        var rest = bytes[...]
        while !rest.isEmpty, clinux_await(descriptor, Int32(CLINUX_WRITABLE), 5_000) > 0 {
            let count = rest.withUnsafeBytes { clinux_write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}
