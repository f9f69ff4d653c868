/// Writes values as bytes that are the same on every platform.
///
/// Numbers are little-endian base-128 with the top bit meaning "more follows"; text and bytes
/// stand behind their length.
package struct BinaryWriter: Sendable {
    package private(set) var bytes: [UInt8] = []

    package init(capacity: Int = 0) { bytes.reserveCapacity(capacity) }

    package mutating func write(_ number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    package mutating func write(_ count: Int) {
        precondition(count >= 0, "a count is never negative")
        write(UInt64(count))
    }

    /// Writes a number that may be negative: 0, −1, 1, −2 become 0, 1, 2, 3.
    package mutating func write(signed number: Int64) {
        write(UInt64(bitPattern: (number << 1) ^ (number >> 63)))
    }

    package mutating func write(fixed number: UInt64) {
        for shift in stride(from: 0, to: 64, by: 8) {
            bytes.append(UInt8(truncatingIfNeeded: number >> UInt64(shift)))
        }
    }

    package mutating func write(_ number: Double) { write(fixed: number.bitPattern) }

    package mutating func write(_ byte: UInt8) { bytes.append(byte) }

    package mutating func write(_ flag: Bool) { bytes.append(flag ? 1 : 0) }

    package mutating func write(_ text: String) {
        var text = text
        text.withUTF8 { buffer in
            write(buffer.count)
            bytes.append(contentsOf: buffer)
        }
    }

    package mutating func write(_ run: [UInt8]) {
        write(run.count)
        bytes.append(contentsOf: run)
    }

    package mutating func write(raw run: some Sequence<UInt8>) { bytes.append(contentsOf: run) }

    package mutating func write<Value>(
        _ value: Value?,
        _ write: (inout BinaryWriter, Value) -> Void
    ) {
        self.write(value != nil)
        if let value { write(&self, value) }
    }

    package mutating func write<Element>(
        list: [Element],
        _ write: (inout BinaryWriter, Element) -> Void
    ) {
        self.write(list.count)
        for element in list { write(&self, element) }
    }
}
