/// CRC-32 as of IEEE 802.3: tells a damaged state from a whole one.
package func checksum(_ bytes: some Sequence<UInt8>) -> UInt32 {
    bytes.withContiguousStorageIfAvailable(checksum(of:))
        ?? Array(bytes).withUnsafeBufferPointer(checksum(of:))
}

/// The checksum's four bytes, the low one first.
package func checksumBytes(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    let sum = checksum(bytes)
    return [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: sum >> $0) }
}

/// Takes eight bytes at a time, which is several times as fast as one at a time.
private func checksum(of bytes: UnsafeBufferPointer<UInt8>) -> UInt32 {
    tables.withUnsafeBufferPointer { tables in
        var remainder: UInt32 = 0xFFFF_FFFF
        var position = 0
        while position + 8 <= bytes.count {
            var sum: UInt32 = 0
            for offset in 0..<4 {
                let mixed =
                    (remainder >> UInt32(8 * offset)) & 0xFF ^ UInt32(bytes[position + offset])
                sum ^= tables[(7 - offset) << 8 | Int(mixed)]
                sum ^= tables[(3 - offset) << 8 | Int(bytes[position + 4 + offset])]
            }
            remainder = sum
            position += 8
        }
        while position < bytes.count {
            remainder = tables[Int((remainder ^ UInt32(bytes[position])) & 0xFF)] ^ (remainder >> 8)
            position += 1
        }
        return ~remainder
    }
}

/// Eight tables of 256: what a byte leaves, and what it leaves when 1 to 7 more bytes follow.
private let tables: [UInt32] = {
    var tables: [UInt32] = []
    for index in 0..<256 as Range<UInt32> {
        var remainder = index
        for _ in 0..<8 {
            let half = remainder >> 1
            remainder = remainder & 1 == 1 ? 0xEDB8_8320 ^ half : half
        }
        tables.append(remainder)
    }
    for index in 256..<8 * 256 {
        let before = tables[index - 256]
        tables.append(tables[Int(before & 0xFF)] ^ (before >> 8))
    }
    return tables
}()
