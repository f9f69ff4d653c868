/// Reads what a `BinaryWriter` wrote; throws at the first byte that cannot be right.
package struct BinaryReader: Sendable {
    private let bytes: ArraySlice<UInt8>
    package private(set) var position: Int

    /// Where reading failed, and what was expected there.
    package struct Failure: Error, Hashable, Sendable {
        package let position: Int
        package let expected: String
    }

    package init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        position = bytes.startIndex
    }

    package init(_ bytes: [UInt8]) { self.init(bytes[...]) }

    package var isAtEnd: Bool { position == bytes.endIndex }

    package func failure(_ expected: String) -> Failure {
        Failure(position: position - bytes.startIndex, expected: expected)
    }

    package mutating func readByte() throws(Failure) -> UInt8 {
        guard position < bytes.endIndex else { throw failure("one more byte") }
        defer { position += 1 }
        return bytes[position]
    }

    package mutating func readFlag() throws(Failure) -> Bool {
        let byte = try readByte()
        guard byte <= 1 else { throw failure("a flag of 0 or 1") }
        return byte == 1
    }

    package mutating func readNumber() throws(Failure) -> UInt64 {
        var number: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            let byte = try readByte()
            guard shift < 63 || byte <= 1 else { throw failure("a number below 2^64") }
            number |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return number }
            shift += 7
        }
    }

    package mutating func readSigned() throws(Failure) -> Int64 {
        let number = try readNumber()
        return Int64(bitPattern: (number >> 1) ^ (0 &- (number & 1)))
    }

    /// Reads a count of things that take at least a byte each, so a false one is refused early.
    package mutating func readCount() throws(Failure) -> Int {
        let number = try readNumber()
        guard number <= UInt64(bytes.endIndex - position) else {
            throw failure("a count that fits the bytes that follow")
        }
        return Int(number)
    }

    package mutating func readFixed() throws(Failure) -> UInt64 {
        var number: UInt64 = 0
        for shift in stride(from: 0, to: 64, by: 8) {
            number |= UInt64(try readByte()) << UInt64(shift)
        }
        return number
    }

    package mutating func readDouble() throws(Failure) -> Double {
        Double(bitPattern: try readFixed())
    }

    package mutating func readBytes() throws(Failure) -> [UInt8] {
        let count = try readCount()
        return try readBytes(count: count)
    }

    package mutating func readBytes(count: Int) throws(Failure) -> [UInt8] {
        guard count <= bytes.endIndex - position else { throw failure("\(count) more bytes") }
        defer { position += count }
        return Array(bytes[position..<position + count])
    }

    package mutating func readString() throws(Failure) -> String {
        let count = try readCount()
        guard let text = String(validating: bytes[position..<position + count], as: UTF8.self)
        else { throw failure("text in UTF-8") }
        position += count
        return text
    }

    package mutating func readOptional<Value>(
        _ read: (inout BinaryReader) throws(Failure) -> Value
    ) throws(Failure) -> Value? {
        try readFlag() ? try read(&self) : nil
    }

    package mutating func readList<Element>(
        _ read: (inout BinaryReader) throws(Failure) -> Element
    ) throws(Failure) -> [Element] {
        let count = try readCount()
        var list: [Element] = []
        list.reserveCapacity(count)
        for _ in 0..<count { list.append(try read(&self)) }
        return list
    }
}
