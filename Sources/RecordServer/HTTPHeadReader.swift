/// Reads the head of a request, the end of which is known.
struct HTTPHeadReader {
    private let limits: HTTPLimits

    init(_ limits: HTTPLimits) { self.limits = limits }

    /// How the length of a body is told.
    enum BodyLength: Hashable {
        case none
        case bytes(Int)
        case chunked
    }

    func head(of bytes: ArraySlice<UInt8>) throws(HTTPRefusal) -> HTTPRequestHead {
        var lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map {
            $0.last == 0x0D ? $0.dropLast() : $0
        }
        let requestLine = lines.removeFirst()
        guard requestLine.count <= limits.requestLineByteCountMax else {
            throw HTTPRefusal(414, "the request line is too long")
        }
        guard lines.count <= limits.fieldCountMax else {
            throw HTTPRefusal(431, "there are too many header fields")
        }
        var head = try self.head(requestLine)
        for line in lines { head.fields.append(try field(line)) }
        try check(head)
        return head
    }

    private func head(_ line: ArraySlice<UInt8>) throws(HTTPRefusal) -> HTTPRequestHead {
        let parts = line.split(separator: 0x20, omittingEmptySubsequences: false)
        guard parts.count == 3 else {
            throw HTTPRefusal(400, "the request line has not three parts")
        }
        let methodLengthMax = 16
        guard (1...methodLengthMax).contains(parts[0].count), parts[0].allSatisfy(isTokenByte)
        else { throw HTTPRefusal(400, "the method is none") }
        guard parts[1].first == UInt8(ascii: "/"),
            parts[1].allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "#") })
        else { throw HTTPRefusal(400, "the target is no path") }
        let target = text(parts[1]).split(
            separator: "?",
            maxSplits: 1,
            omittingEmptySubsequences: false
        )
        return HTTPRequestHead(
            method: text(parts[0]),
            path: String(target[0]),
            query: target.count > 1 ? String(target[1]) : "",
            isVersion11: try isVersion11(text(parts[2]))
        )
    }

    private func isVersion11(_ version: String) throws(HTTPRefusal) -> Bool {
        switch version {
        case "HTTP/1.1": return true
        case "HTTP/1.0": return false
        case _:
            let isOther = version.hasPrefix("HTTP/") && version.utf8.count == 8
            throw HTTPRefusal(isOther ? 505 : 400, "the version is not HTTP/1.1")
        }
    }

    private func field(_ line: ArraySlice<UInt8>) throws(HTTPRefusal) -> HTTPField {
        guard line.count <= limits.fieldByteCountMax else {
            throw HTTPRefusal(431, "a header field is too long")
        }
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex,
            line[..<colon].allSatisfy(isTokenByte)
        else { throw HTTPRefusal(400, "a header field has no proper name") }
        let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        var value = line[(colon + 1)...].drop(while: isBlank)
        while let last = value.last, isBlank(last) { value.removeLast() }
        guard value.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
            throw HTTPRefusal(400, "a header field has a control character")
        }
        return HTTPField(text(line[..<colon]).lowercased(), text(value))
    }

    private func check(_ head: HTTPRequestHead) throws(HTTPRefusal) {
        let hostCount = head.fields.count { $0.name == "host" }
        guard hostCount <= 1, hostCount == 1 || !head.isVersion11 else {
            throw HTTPRefusal(400, "the host is not named once")
        }
        // What names who asks must not be read in two ways.
        for name in ["authorization", "content-type", "expect", "connection"] {
            guard head.fields.count(where: { $0.name == name }) <= 1 else {
                throw HTTPRefusal(400, "a header field stands twice")
            }
        }
        guard !head.fields.contains(where: { $0.name == "content-encoding" }) else {
            throw HTTPRefusal(400, "a compressed body is not taken")
        }
    }

    // MARK: The body behind a head

    static func bodyLength(of head: HTTPRequestHead) throws(HTTPRefusal) -> BodyLength {
        let lengths = head.fields.filter { $0.name == "content-length" }
        let codings = head.fields.filter { $0.name == "transfer-encoding" }
        guard lengths.isEmpty || codings.isEmpty, lengths.count <= 1, codings.count <= 1 else {
            throw HTTPRefusal(400, "the length of the body is told twice")
        }
        if let coding = codings.first {
            guard coding.value == "chunked", head.isVersion11 else {
                throw HTTPRefusal(400, "the transfer coding is not \"chunked\"")
            }
            try refuseBodyIfUnused(head)
            return .chunked
        }
        guard let length = lengths.first else { return .none }
        let digits = length.value.utf8
        guard (1...18).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }),
            let count = Int(length.value)
        else { throw HTTPRefusal(400, "the length of the body is no number") }
        if count > 0 { try refuseBodyIfUnused(head) }
        return count == 0 ? .none : .bytes(count)
    }

    private static func refuseBodyIfUnused(_ head: HTTPRequestHead) throws(HTTPRefusal) {
        guard head.method != "GET", head.method != "HEAD" else {
            throw HTTPRefusal(400, "a \(head.method) has no body")
        }
    }

    static func expectsContinue(_ head: HTTPRequestHead) throws(HTTPRefusal) -> Bool {
        guard let expectation = head.value("expect") else { return false }
        guard expectation.lowercased() == "100-continue" else {
            throw HTTPRefusal(417, "the expectation is not known")
        }
        return true
    }

    /// The size of a chunk: hexadecimal digits alone, since an extension could hide something.
    static func chunkSize(_ line: ArraySlice<UInt8>) throws(HTTPRefusal) -> Int {
        let isDigits = line.allSatisfy {
            (0x30...0x39).contains($0) || (0x61...0x66).contains($0 | 0x20)
        }
        guard (1...8).contains(line.count), isDigits,
            let size = Int(String(decoding: line, as: UTF8.self), radix: 16)
        else { throw HTTPRefusal(400, "the size of a chunk is no number") }
        return size
    }

    private func text(_ bytes: some Collection<UInt8>) -> String {
        String(decoding: bytes, as: UTF8.self)
    }
}

/// True for what may stand in a method and in a field's name.
private func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"),
        UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"),
        UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "^"), UInt8(ascii: "_"),
        UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
        true
    case _: false
    }
}
