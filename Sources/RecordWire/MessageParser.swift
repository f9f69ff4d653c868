internal import RecordModel

/// Reads the body of a message: one object, with nothing behind it.
struct MessageParser {
    var scanner: JSONScanner

    init(_ body: [UInt8]) { scanner = JSONScanner(body, in: 0..<body.count) }

    /// Gives each key of the message to a function that reads its value or says no.
    static func parse<State>(
        _ body: [UInt8],
        into state: State,
        _ member: (inout State, inout MessageParser, String) throws(WireError) -> Bool
    ) throws(WireError) -> State {
        var parser = MessageParser(body)
        var state = state
        try parser.object(of: "the body") { parser, key throws(WireError) in
            try member(&state, &parser, key)
        }
        try parser.scanner.finish()
        return state
    }

    /// Reads the object that stands next; a member that the function does not read is passed over.
    mutating func object(
        of part: String,
        _ member: (inout MessageParser, String) throws(WireError) -> Bool
    ) throws(WireError) {
        try scanner.beginObject(of: part)
        while let key = try scanner.nextKey() {
            if !(try member(&self, key)) { try scanner.skipValue() }
        }
    }

    mutating func list<Element>(
        of part: String,
        countMax: Int = WireLimits.listCountMax,
        _ element: (inout MessageParser) throws(WireError) -> Element
    ) throws(WireError) -> [Element] {
        try scanner.beginList(of: part)
        var elements: [Element] = []
        while try scanner.nextElement() {
            guard elements.count < countMax else {
                throw scanner.error("\(part) is too long; expected at most \(countMax) elements")
            }
            elements.append(try element(&self))
        }
        return elements
    }

    mutating func string(_ key: String) throws(WireError) -> String {
        try scanner.string(of: "\"\(key)\"")
    }

    mutating func bool(_ key: String) throws(WireError) -> Bool {
        try scanner.bool(of: "\"\(key)\"")
    }

    /// A flag that may be null, which is false.
    mutating func optionalBool(_ key: String) throws(WireError) -> Bool {
        guard try scanner.kind() == .null else { return try bool(key) }
        try scanner.literal("null")
        return false
    }

    /// A whole number in a range.
    mutating func number(_ key: String, in range: ClosedRange<Int64>) throws(WireError) -> Int {
        try scanner.expect(.number, of: "\"\(key)\"")
        let start = scanner.position
        guard let number = scanner.int64(try scanner.number()), range.contains(number),
            let fitting = Int(exactly: number)
        else {
            throw scanner.error(
                "\"\(key)\" is out of range; expected a whole number from \(range.lowerBound) "
                    + "to \(range.upperBound)",
                at: start
            )
        }
        return fitting
    }

    mutating func keys(_ key: String) throws(WireError) -> [String]? {
        guard try scanner.kind() != .null else {
            try scanner.literal("null")
            return nil
        }
        return try list(of: "\"\(key)\"") { parser throws(WireError) in
            try parser.string("element of \(key)")
        }
    }

    mutating func token(_ key: String) throws(WireError) -> ServerChangeToken? {
        guard try scanner.kind() != .null else {
            try scanner.literal("null")
            return nil
        }
        try scanner.expect(.string, of: "\"\(key)\"")
        let text = try scanner.text()
        guard text.range.count <= WireLimits.tokenByteCountMax else {
            throw scanner.error("\"\(key)\" is too long for a token")
        }
        // Whatever is no token of ours is some token all the same: one that cannot be used.
        let bytes = scanner.utf8(of: text)
        return ServerChangeToken(bytes: Base64.decode(bytes) ?? Array(bytes))
    }

    mutating func zoneID(_ key: String) throws(WireError) -> RecordZone.ID {
        var parser = RecordParser(scanner, zoneID: .default)
        let zoneID = try parser.zone(of: "\"\(key)\"")
        scanner = parser.scanner
        return zoneID
    }

    /// A record that is the server's version.
    static func record(
        _ scanner: inout JSONScanner,
        in zoneID: RecordZone.ID
    ) throws(WireError) -> Record {
        try read(&scanner, in: zoneID) { _ in
        }.assembled()
    }

    /// An item of a reply: a record, a deletion or an error.
    mutating func item(in zoneID: RecordZone.ID) throws(WireError) -> ParsedItem {
        try Self.read(&scanner, in: zoneID) { $0.takesItems = true }.parsedItem()
    }

    /// The record of an operation, each field and a parent of which are changes.
    mutating func operationRecord(in zoneID: RecordZone.ID) throws(WireError) -> RecordParser {
        try Self.read(&scanner, in: zoneID) { $0.marksAllChanged = true }
    }

    /// Reads a record with its members, and again where its zone stands behind links that stay in
    /// it.
    private static func read(
        _ scanner: inout JSONScanner,
        in zoneID: RecordZone.ID,
        _ prepare: (inout RecordParser) -> Void
    ) throws(WireError) -> RecordParser {
        let start = scanner
        var parser = RecordParser(start, zoneID: zoneID)
        prepare(&parser)
        try parser.readMembers()
        if parser.hasLinkedTooEarly {
            parser = RecordParser(start, zoneID: parser.zoneID)
            prepare(&parser)
            try parser.readMembers()
        }
        scanner = parser.scanner
        return parser
    }

    /// An idempotency key: the writer in 32 hexadecimal digits, and the number as text, since not
    /// every reader of JSON has whole numbers of 64 bits.
    static func key(_ scanner: inout JSONScanner) throws(WireError) -> IdempotencyKey {
        var writer: WriterID?
        var number: UInt64?
        try scanner.beginObject(of: "the key")
        while let key = try scanner.nextKey() {
            switch key {
            case "writer": writer = writerID(try scanner.string(of: "\"writer\""))
            case "number": number = UInt64(try scanner.string(of: "\"number\""))
            default: try scanner.skipValue()
            }
        }
        guard let writer, let number else {
            throw scanner.error(
                "no key; expected \"writer\" of 32 hexadecimal digits and \"number\" as text"
            )
        }
        return IdempotencyKey(writer: writer, number: number)
    }

    private static func writerID(_ text: String) -> WriterID? {
        let digits = Array(text.utf8)
        guard digits.count == 32,
            digits.allSatisfy({ byte in
                (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte | 0x20)
            }),
            let high = UInt64(text.prefix(16), radix: 16),
            let low = UInt64(text.suffix(16), radix: 16)
        else { return nil }
        return WriterID(high: high, low: low)
    }
}
