/// Walks over the bytes of one JSON value and refuses everything that is not strict JSON.
///
/// It builds no tree: the caller asks for what it expects next. Objects and lists are entered with
/// `beginObject` and `beginList` and left by `nextKey` and `nextElement` at their end.
struct JSONScanner {
    let bytes: [UInt8]
    let start: Int
    let end: Int
    var position: Int
    private var frames: [Frame] = []
    private var openKeys: [String] = []

    /// An object or list that was entered and not yet left.
    private struct Frame {
        var isFirst = true
        let keysStart: Int
        /// Filled once an object has more keys than are quickly searched one by one.
        var manyKeys: Set<String> = []
    }

    /// What a value starts as.
    enum Kind: String {
        case string = "text"
        case number = "a number"
        case object = "an object"
        case list = "a list"
        case bool = "true or false"
        case null = "null"
    }

    init(_ bytes: [UInt8], in range: Range<Int>) {
        self.bytes = bytes
        start = range.lowerBound
        end = range.upperBound
        position = range.lowerBound
    }

    // MARK: Errors

    func error(_ message: String, at position: Int? = nil) -> WireError {
        WireError(column: (position ?? self.position) - start + 1, message: message)
    }

    func unexpected(expecting expected: String) -> WireError {
        guard position < end else {
            return error("the line ends too early; expected \(expected)")
        }
        let byte = bytes[position]
        let found =
            (0x20...0x7E).contains(byte)
            ? quoted(String(UnicodeScalar(byte))) : "the byte \(hexadecimal(byte))"
        return error("found \(found); expected \(expected)")
    }

    // MARK: Values

    /// The kind of the value that comes next; the position is its first byte.
    mutating func kind() throws(WireError) -> Kind {
        skipSpace()
        guard position < end else { throw unexpected(expecting: "a value") }
        switch bytes[position] {
        case UInt8(ascii: "\""): return .string
        case UInt8(ascii: "{"): return .object
        case UInt8(ascii: "["): return .list
        case UInt8(ascii: "t"), UInt8(ascii: "f"): return .bool
        case UInt8(ascii: "n"): return .null
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number
        default: throw unexpected(expecting: "a value")
        }
    }

    /// Goes to the value that comes next and refuses one of another kind.
    mutating func expect(_ expected: Kind, of part: String) throws(WireError) {
        let kind = try kind()
        guard kind == expected else {
            throw error("\(part) is \(kind.rawValue); expected \(expected.rawValue)")
        }
    }

    mutating func bool(of part: String) throws(WireError) -> Bool {
        try expect(.bool, of: part)
        let isTrue = bytes[position] == UInt8(ascii: "t")
        try literal(isTrue ? "true" : "false")
        return isTrue
    }

    /// Passes over a value, whatever it is, and checks it all the same.
    mutating func skipValue() throws(WireError) {
        switch try kind() {
        case .string: _ = try text()
        case .number: _ = try number()
        case .bool: _ = try bool(of: "the value")
        case .null: try literal("null")
        case .object:
            try beginObject(of: "the value")
            while try nextKey() != nil { try skipValue() }
        case .list:
            try beginList(of: "the value")
            while try nextElement() { try skipValue() }
        }
    }

    /// Refuses anything but white space up to the end.
    mutating func finish() throws(WireError) {
        skipSpace()
        guard position == end else { throw unexpected(expecting: "the end of the line") }
    }

    mutating func literal(_ word: StaticString) throws(WireError) {
        let wordStart = position
        for offset in 0..<word.utf8CodeUnitCount {
            guard position < end, bytes[position] == word.utf8Start[offset] else {
                position = wordStart
                throw unexpected(expecting: "\(word)")
            }
            position += 1
        }
    }

    // MARK: Objects and lists

    mutating func beginObject(of part: String) throws(WireError) {
        try expect(.object, of: part)
        try enter()
    }

    mutating func beginList(of part: String) throws(WireError) {
        try expect(.list, of: part)
        try enter()
    }

    /// The next key of the object, its value standing next; nil once the object is left.
    mutating func nextKey() throws(WireError) -> String? {
        guard try advance(to: "a key in quotes", orTo: UInt8(ascii: "}")) else { return nil }
        guard position < end, bytes[position] == UInt8(ascii: "\"") else {
            throw unexpected(expecting: "a key in quotes")
        }
        let keyPosition = position
        let key = try string()
        guard noteKey(key) else {
            throw error("the key \(quoted(key)) stands twice; expected it once", at: keyPosition)
        }
        skipSpace()
        guard position < end, bytes[position] == UInt8(ascii: ":") else {
            throw unexpected(expecting: "\":\"")
        }
        position += 1
        return key
    }

    /// True if an element of the list stands next; false once the list is left.
    mutating func nextElement() throws(WireError) -> Bool {
        try advance(to: "a value", orTo: UInt8(ascii: "]"))
    }

    private mutating func enter() throws(WireError) {
        guard frames.count < WireLimits.depthMax else {
            throw error("nested too deep; expected at most \(WireLimits.depthMax) levels")
        }
        frames.append(Frame(keysStart: openKeys.count))
        position += 1
    }

    private mutating func advance(to next: String, orTo close: UInt8) throws(WireError) -> Bool {
        skipSpace()
        let isFirst = frames[frames.count - 1].isFirst
        if position < end, bytes[position] == close {
            position += 1
            openKeys.removeSubrange(frames.removeLast().keysStart...)
            return false
        }
        guard !isFirst else {
            frames[frames.count - 1].isFirst = false
            if position == end { throw unexpected(expecting: next) }
            return true
        }
        guard position < end, bytes[position] == UInt8(ascii: ",") else {
            let close = String(UnicodeScalar(close))
            throw unexpected(expecting: "\",\" or \"\(close)\"")
        }
        position += 1
        skipSpace()
        return true
    }

    /// Remembers a key of the object; false if it stood there before.
    private mutating func noteKey(_ key: String) -> Bool {
        let searchedCountMax = 16
        let frame = frames.count - 1
        let start = frames[frame].keysStart
        // No slice of the keys outlives its line: appending to a shared array would copy it.
        if openKeys.count - start < searchedCountMax {
            guard !openKeys[start...].contains(key) else { return false }
        } else {
            if openKeys.count - start == searchedCountMax {
                frames[frame].manyKeys = Set(openKeys[start...])
            }
            guard frames[frame].manyKeys.insert(key).inserted else { return false }
        }
        openKeys.append(key)
        return true
    }

    mutating func skipSpace() {
        while position < end {
            switch bytes[position] {
            case 0x20, 0x09, 0x0A, 0x0D: position += 1
            default: return
            }
        }
    }
}

/// A byte as people write it: 0x0A.
func hexadecimal(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 16, uppercase: true)
    return digits.count == 1 ? "0x0\(digits)" : "0x\(digits)"
}
