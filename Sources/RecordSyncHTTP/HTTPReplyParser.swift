/// Makes a reply of bytes: a pure state machine that takes them in pieces of any size.
package struct HTTPReplyParser: Sendable {
    private var buffer: [UInt8] = []
    private var phase = Phase.head
    /// True if the connection can be used again behind the reply.
    package private(set) var keepsConnection = false

    private enum Phase: Sendable {
        case head
        case body(HTTPReply, count: Int)
        case chunks(HTTPReply)
        /// Until the server closes the connection.
        case rest(HTTPReply)
        case done(HTTPReply)
    }

    package struct Malformed: Error, Hashable, Sendable {
        package let reason: String
    }

    package init() {}

    /// True if no byte of a reply has come.
    package var isEmpty: Bool {
        if case .head = phase { return buffer.isEmpty }
        return false
    }

    /// Takes bytes; gives the reply once it is whole.
    package mutating func receive(_ bytes: ArraySlice<UInt8>) throws(Malformed) -> HTTPReply? {
        buffer += bytes
        while true {
            switch phase {
            case .head:
                guard try readHead() else { return nil }
            case .body(var reply, let count):
                guard buffer.count >= count else { return nil }
                // Anything behind it would be taken for the next reply.
                if buffer.count > count { keepsConnection = false }
                reply.body = buffer.count == count ? buffer : Array(buffer.prefix(count))
                buffer = []
                phase = .done(reply)
            case .chunks(let reply):
                guard let body = try chunkedBody() else { return nil }
                var whole = reply
                whole.body = body
                phase = .done(whole)
            case .rest:
                try checkCount(buffer.count)
                return nil
            case .done(let reply):
                return reply
            }
        }
    }

    /// Says that the connection ended; gives the reply if that is how it ends.
    package mutating func end() -> HTTPReply? {
        guard case .rest(var reply) = phase else { return nil }
        reply.body = buffer
        return reply
    }

    private mutating func readHead() throws(Malformed) -> Bool {
        guard let end = endOfHead() else {
            guard buffer.count <= ReplyLimits.headByteCountMax else {
                throw Malformed(reason: "the header of the answer is too long")
            }
            return false
        }
        let text = String(decoding: buffer[..<end], as: UTF8.self)
        buffer.removeFirst(end + 4)
        let lines = text.split(separator: "\r\n", omittingEmptySubsequences: false)
        let status = try status(of: lines[0])
        // Told to go on: the answer itself follows.
        if (100..<200).contains(status) { return true }
        var fields: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else {
                throw Malformed(reason: "a header field of the answer has no colon")
            }
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            fields[line[..<colon].lowercased()] = String(value)
        }
        try begin(status, fields, isVersion11: lines[0].hasPrefix("HTTP/1.1"))
        return true
    }

    private func endOfHead() -> Int? {
        guard buffer.count >= 4 else { return nil }
        return (0...buffer.count - 4).first { place in
            buffer[place] == 0x0D && buffer[place + 1] == 0x0A && buffer[place + 2] == 0x0D
                && buffer[place + 3] == 0x0A
        }
    }

    private func status(of line: Substring) throws(Malformed) -> Int {
        let parts = line.split(separator: " ", maxSplits: 2)
        guard parts.count >= 2, parts[0].hasPrefix("HTTP/1."), parts[1].count == 3,
            let status = Int(parts[1]), status >= 100
        else { throw Malformed(reason: "the answer is not HTTP/1.1") }
        return status
    }

    private mutating func begin(
        _ status: Int,
        _ fields: [String: String],
        isVersion11: Bool
    ) throws(Malformed) {
        var reply = HTTPReply(status: status, body: [])
        reply.retryAfterSeconds = fields["retry-after"].flatMap { Double($0) }
            .flatMap { $0.isFinite && $0 >= 0 ? min($0, 86_400) : nil }
        keepsConnection = isVersion11 && fields["connection"]?.lowercased() != "close"
        if let coding = fields["transfer-encoding"] {
            guard coding.lowercased() == "chunked", fields["content-length"] == nil else {
                throw Malformed(reason: "the answer is in a coding that is not known")
            }
            phase = .chunks(reply)
        } else if let length = fields["content-length"] {
            guard let count = Int(length), count >= 0 else {
                throw Malformed(reason: "the length of the answer is no number")
            }
            try checkCount(count)
            phase = .body(reply, count: count)
        } else if status == 204 || status == 304 {
            phase = .done(reply)
        } else {
            keepsConnection = false
            phase = .rest(reply)
        }
    }

    private func checkCount(_ count: Int) throws(Malformed) {
        guard count <= ReplyLimits.bodyByteCountMax else {
            throw Malformed(reason: "the answer is too long")
        }
    }

    /// The body in chunks, once the last has come: such answers come from proxies, and are short.
    private func chunkedBody() throws(Malformed) -> [UInt8]? {
        try checkCount(buffer.count)
        var body: [UInt8] = []
        var rest = buffer[...]
        while true {
            guard let end = rest.firstIndex(of: 0x0A) else { return nil }
            let line = String(decoding: rest[..<end], as: UTF8.self)
            let digits = line.prefix { $0 != "\r" && $0 != ";" && $0 != " " }
            guard digits.utf8.count <= 8, let size = Int(digits, radix: 16), size >= 0 else {
                throw Malformed(reason: "the size of a chunk is no number")
            }
            rest = rest[(end + 1)...]
            if size == 0 { return rest.contains(0x0A) ? body : nil }
            guard rest.count >= size + 2 else { return nil }
            body += rest.prefix(size)
            rest = rest.dropFirst(size + 2)
        }
    }
}
