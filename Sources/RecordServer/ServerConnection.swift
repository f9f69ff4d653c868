import CLinux

/// Where a server listens, and how long it is patient.
package struct LoopConfiguration: Hashable, Sendable {
    package var address = "127.0.0.1"
    /// 0 chooses a free one.
    package var port: UInt16 = 0
    package var limits = HTTPLimits()
    package var connectionCountMax = 10_000
    /// From the first byte of a request, or from the beginning of the connection, to the end of its
    /// head.
    package var headMilliseconds: Int64 = 10_000
    /// Beside the time that a body may take at the slowest rate.
    package var bodyGraceMilliseconds: Int64 = 10_000
    /// The slowest rate of a body.
    package var bodyBytesPerSecond: Int64 = 1_000
    /// Between requests.
    package var idleMilliseconds: Int64 = 75_000
    /// In which some byte of an answer must be taken.
    package var writeMilliseconds: Int64 = 20_000
    /// What those get who are being answered when the server is told to stop.
    package var drainMilliseconds: Int64 = 10_000

    package init() {}
}

/// A connection of a client.
struct ServerConnection: Sendable {
    var parser: HTTPRequestParser
    var phase = Phase.reading
    var keepsConnection = true
    var isWatchedForWriting = false
    /// Bytes of answers that were not sent yet.
    var output: [UInt8] = []
    private var sentCount = 0
    /// A file whose bytes come behind those.
    private var file: (source: FileSource, body: FileBody)?
    private var lastProgress: Int64
    private var requestStart: Int64?
    private var receivedCount: Int64 = 0

    enum Phase: Hashable, Sendable {
        /// It may send a request.
        case reading
        /// A request is being answered: no other is looked at.
        case answering
        /// A poll waits until something changes or its time is over.
        case polling(WaitingPoll, until: Int64)
        /// It is closed behind what is being sent.
        case closing
    }

    enum WriteResult { case done, needsMore, failed }

    init(limits: HTTPLimits, at now: Int64) {
        parser = HTTPRequestParser(limits: limits)
        lastProgress = now
        requestStart = now
    }

    var hasOutput: Bool { sentCount < output.count || file != nil }

    /// Sends a part of a file behind the output so far.
    mutating func send(_ body: FileBody, from source: FileSource) {
        file = body.byteCount > 0 ? (source, body) : nil
    }

    /// Takes the next bytes of the file into the output; false if they cannot be read.
    private mutating func readFile() -> Bool {
        guard let (source, body) = file else { return true }
        let bytes = source.bytes(
            at: body.offset,
            countMax: Int(min(body.byteCount, Self.fileChunkByteCount))
        )
        guard !bytes.isEmpty else { return false }
        output = bytes
        sentCount = 0
        let count = Int64(bytes.count)
        file?.body.offset += count
        file?.body.byteCount -= count
        if body.byteCount == count { file = nil }
        return true
    }

    private static let fileChunkByteCount: Int64 = 1 << 17

    mutating func receive(_ bytes: ArraySlice<UInt8>, at now: Int64) {
        if requestStart == nil || parser.isBetweenRequests {
            requestStart = requestStart ?? now
            receivedCount = 0
        }
        receivedCount += Int64(bytes.count)
        lastProgress = now
        parser.receive(bytes)
    }

    /// True for a client that goes on sending and does not wait for its answers.
    var sendsTooMuch: Bool { phase != .reading && parser.heldByteCount > 1 << 18 }

    mutating func write(to descriptor: Int32, at now: Int64) -> WriteResult {
        while hasOutput {
            if sentCount == output.count, !readFile() { return .failed }
            let count = output[sentCount...].withUnsafeBytes { buffer in
                clinux_write(descriptor, buffer.baseAddress, buffer.count)
            }
            guard count > 0 else { return isAgain(count) ? .needsMore : .failed }
            sentCount += count
            lastProgress = now
        }
        output = []
        sentCount = 0
        if phase == .reading {
            requestStart = parser.isBetweenRequests ? nil : now
            receivedCount = 0
        }
        return .done
    }

    /// True if the client was given all the time there is.
    func isOverdue(at now: Int64, _ configuration: LoopConfiguration) -> Bool {
        if hasOutput { return now - lastProgress > configuration.writeMilliseconds }
        guard phase == .reading else { return false }
        guard let requestStart else {
            return now - lastProgress > configuration.idleMilliseconds
        }
        guard parser.isInBody else { return now - requestStart > configuration.headMilliseconds }
        let earned = receivedCount * 1_000 / max(1, configuration.bodyBytesPerSecond)
        return now - requestStart > configuration.bodyGraceMilliseconds + earned
    }
}
