/// Makes requests of bytes: a pure state machine that takes them in pieces of any size.
///
/// It is strict: whatever two programs on the way could read in two ways is refused. After a
/// refusal nothing more is read, and the connection is to be closed.
package struct HTTPRequestParser: Sendable {
    private let limits: HTTPLimits
    private var buffer: [UInt8] = []
    /// Where the bytes begin that belong to no request yet.
    private var start = 0
    /// How far the head was looked at.
    private var scanned = 0
    private var phase = Phase.head

    private enum Phase: Sendable {
        /// Before the end of the head; `body` or `chunks` follow.
        case head
        /// So many bytes of body are still to come.
        case body(HTTPRequestHead, rest: Int)
        /// In chunks; what came so far, and how much may come.
        case chunks(HTTPRequestHead, body: [UInt8], byteCountMax: Int, ChunkPlace)
        /// Nothing more is read.
        case refused(HTTPRefusal)
    }

    private enum ChunkPlace: Sendable {
        case size
        case data(rest: Int)
        case dataEnd
        case lastLine
    }

    /// What came of the bytes so far.
    package enum Step: Hashable, Sendable {
        /// More bytes are needed.
        case needsMore
        /// The client waits to be told that it may send the body.
        case sendContinue
        case request(HTTPRequest)
        case refused(HTTPRefusal)
    }

    package init(limits: HTTPLimits = HTTPLimits()) { self.limits = limits }

    /// True if nothing of a request has come since the last one.
    package var isBetweenRequests: Bool {
        if case .head = phase { return buffer.count == start }
        return false
    }

    /// True while the body of a request is on its way.
    package var isInBody: Bool {
        switch phase {
        case .body, .chunks: true
        case .head, .refused: false
        }
    }

    /// Bytes that were received and belong to no request yet.
    package var heldByteCount: Int {
        guard case .chunks(_, let body, _, _) = phase else { return buffer.count - start }
        return buffer.count - start + body.count
    }

    package mutating func receive(_ bytes: some Collection<UInt8>) {
        if start > 0, start == buffer.count {
            buffer.removeAll(keepingCapacity: buffer.capacity < 1 << 12)
            scanned = 0
            start = 0
        } else if start > 1 << 16 {
            buffer.removeFirst(start)
            scanned -= min(scanned, start)
            start = 0
        }
        buffer.append(contentsOf: bytes)
    }

    /// The next step; `judge` says how long the body behind a head may be, or refuses it.
    package mutating func next(
        _ judge: (HTTPRequestHead) throws(HTTPRefusal) -> Int
    ) -> Step {
        do throws(HTTPRefusal) {
            switch phase {
            case .head: return try readHead(judge)
            case .body(let head, let rest): return readBody(head, rest)
            case .chunks: return try readChunks()
            case .refused(let refusal): return .refused(refusal)
            }
        } catch {
            phase = .refused(error)
            buffer = []
            start = 0
            return .refused(error)
        }
    }

    // MARK: The head

    private mutating func readHead(
        _ judge: (HTTPRequestHead) throws(HTTPRefusal) -> Int
    ) throws(HTTPRefusal) -> Step {
        guard let end = try endOfHead() else { return .needsMore }
        let head = try HTTPHeadReader(limits).head(of: buffer[start..<end])
        start = end + 4
        scanned = start
        let length = try HTTPHeadReader.bodyLength(of: head)
        let byteCountMax = try judge(head)
        let expectsContinue = try HTTPHeadReader.expectsContinue(head)
        switch length {
        case .none:
            return .request(HTTPRequest(head: head))
        case .bytes(let count):
            guard count <= byteCountMax else { throw tooLarge }
            phase = .body(head, rest: count)
        case .chunked:
            phase = .chunks(head, body: [], byteCountMax: byteCountMax, .size)
        }
        let hasBody = buffer.count > start
        return expectsContinue && !hasBody ? .sendContinue : next(judge)
    }

    /// Where the empty line behind the head begins; refuses line ends that are none on the way.
    private mutating func endOfHead() throws(HTTPRefusal) -> Int? {
        scanned = max(scanned, start)
        while scanned < buffer.count {
            let byte = buffer[scanned]
            if byte == 0x0A {
                guard scanned > start, buffer[scanned - 1] == 0x0D else {
                    throw HTTPRefusal(400, "a line ends without a carriage return")
                }
                if scanned - start >= 3, buffer[scanned - 2] == 0x0A {
                    return scanned - 3
                }
                if scanned - start == 1 { throw HTTPRefusal(400, "the request line is empty") }
            } else if scanned > start, buffer[scanned - 1] == 0x0D {
                throw HTTPRefusal(400, "a carriage return stands in a line")
            }
            scanned += 1
            if scanned - start > limits.headByteCountMax {
                throw HTTPRefusal(431, "the header is too long")
            }
        }
        let isLineOpen = !buffer[start...].prefix(limits.requestLineByteCountMax + 1)
            .contains(0x0A)
        if isLineOpen, buffer.count - start > limits.requestLineByteCountMax {
            throw HTTPRefusal(414, "the request line is too long")
        }
        return nil
    }

    private var tooLarge: HTTPRefusal { HTTPRefusal(413, "the body is too long") }

    // MARK: The body

    private mutating func readBody(_ head: HTTPRequestHead, _ rest: Int) -> Step {
        guard buffer.count - start >= rest else { return .needsMore }
        let body = Array(buffer[start..<start + rest])
        start += rest
        return end(HTTPRequest(head: head, body: body))
    }

    private mutating func end(_ request: HTTPRequest) -> Step {
        phase = .head
        scanned = start
        return .request(request)
    }

    private mutating func readChunks() throws(HTTPRefusal) -> Step {
        guard case .chunks(let head, var body, let byteCountMax, var place) = phase else {
            return .needsMore
        }
        // While it is taken apart the phase must not hold a second copy of the body.
        phase = .head
        while true {
            switch place {
            case .size:
                guard let line = try takeLine() else { break }
                let size = try HTTPHeadReader.chunkSize(line)
                guard size <= byteCountMax - body.count else { throw tooLarge }
                place = size == 0 ? .lastLine : .data(rest: size)
                continue
            case .data(let rest):
                let count = min(rest, buffer.count - start)
                body += buffer[start..<start + count]
                start += count
                place = count == rest ? .dataEnd : .data(rest: rest - count)
                if count == rest { continue }
            case .dataEnd:
                guard let line = try takeLine() else { break }
                guard line.isEmpty else { throw HTTPRefusal(400, "a chunk is longer than it says") }
                place = .size
                continue
            case .lastLine:
                guard let line = try takeLine() else { break }
                guard line.isEmpty else { throw HTTPRefusal(400, "fields stand behind the body") }
                return end(HTTPRequest(head: head, body: body))
            }
            phase = .chunks(head, body: body, byteCountMax: byteCountMax, place)
            return .needsMore
        }
    }

    /// The next short line, without its end; nil if it has not come yet.
    private mutating func takeLine() throws(HTTPRefusal) -> ArraySlice<UInt8>? {
        let rest = buffer[start...].prefix(limits.chunkLineByteCountMax + 2)
        guard let end = rest.firstIndex(where: { $0 == 0x0A || $0 == 0x0D }) else {
            if rest.count > limits.chunkLineByteCountMax {
                throw HTTPRefusal(400, "the line before a chunk is too long")
            }
            return nil
        }
        guard buffer[end] == 0x0D else { throw HTTPRefusal(400, "a line ends without a return") }
        guard end + 1 < buffer.count else { return nil }
        guard buffer[end + 1] == 0x0A else {
            throw HTTPRefusal(400, "a carriage return stands in a line")
        }
        defer { start = end + 2 }
        return buffer[start..<end]
    }
}
