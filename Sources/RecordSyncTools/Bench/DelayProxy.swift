internal import Foundation
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// Stands between clients and a server on this machine, and passes every byte on later: a network
/// with a long way.
final class DelayProxy: Sendable {
    /// Where clients find it.
    let port: UInt16
    private let listener: Int32

    /// Listens on a free port, for a server on another one.
    init(to serverPort: UInt16, roundTrip: Duration) throws(JobError) {
        let delay = roundTrip / 2
        let listener = tcpSocket()
        self.listener = listener
        var address = loopback(0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, length) == 0 && listen(listener, 64) == 0
                    && getsockname(listener, address, &length) == 0
            }
        }
        guard isListening else { throw JobError("no port is free: \(systemReason())") }
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread {
            while case let client = accept(listener, nil, nil), client >= 0 {
                guard let server = connected(to: serverPort) else {
                    close(client)
                    continue
                }
                sendAtOnce(client)
                pass(from: client, to: server, delay)
                pass(from: server, to: client, delay)
            }
        }
    }

    /// Takes no new connection.
    func end() { shutdown(listener, Int32(SHUT_RDWR)) }
}

/// Bytes on their way, each with the instant it arrives at; nil is the end.
private final class Way: Sendable {
    private let pieces = Mutex<[(due: ContinuousClock.Instant, bytes: [UInt8]?)]>([])
    private let arrivals = DispatchSemaphore(value: 0)

    func put(_ bytes: [UInt8]?, due: ContinuousClock.Instant) {
        pieces.withLock { $0.append((due, bytes)) }
        arrivals.signal()
    }

    /// The next piece, once it is due.
    func next() -> [UInt8]? {
        arrivals.wait()
        let piece = pieces.withLock { $0.removeFirst() }
        let wait = ContinuousClock.now.duration(to: piece.due)
        if wait > .zero { usleep(UInt32(wait.nanoseconds / 1_000)) }
        return piece.bytes
    }
}

/// Passes what comes from one connection to another, by two threads.
private func pass(from source: Int32, to target: Int32, _ delay: Duration) {
    let way = Way()
    Thread.detachNewThread {
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = read(source, &chunk, chunk.count), count > 0 {
            way.put(Array(chunk[..<count]), due: .now + delay)
        }
        way.put(nil, due: .now + delay)
    }
    Thread.detachNewThread {
        while let bytes = way.next() {
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes {
                    send(target, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                // Whoever is gone takes nothing more.
                guard count > 0 else { break }
                rest = rest.dropFirst(count)
            }
        }
        shutdown(target, Int32(SHUT_WR))
    }
}

private func tcpSocket() -> Int32 {
    #if canImport(Glibc)
        socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
        socket(AF_INET, SOCK_STREAM, 0)
    #endif
}

private func loopback(_ port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
}

private func connected(to port: UInt16) -> Int32? {
    let descriptor = tcpSocket()
    var address = loopback(port)
    let isConnected = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
        }
    }
    guard isConnected else {
        close(descriptor)
        return nil
    }
    sendAtOnce(descriptor)
    return descriptor
}

private func sendAtOnce(_ descriptor: Int32) {
    var isOn: Int32 = 1
    setsockopt(
        descriptor,
        Int32(IPPROTO_TCP),
        TCP_NODELAY,
        &isOn,
        socklen_t(MemoryLayout<Int32>.size)
    )
}
