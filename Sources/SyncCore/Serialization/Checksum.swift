/// CRC-32 as of IEEE 802.3: tells a damaged state from a whole one.
package func checksum(_ bytes: some Sequence<UInt8>) -> UInt32 {
    var remainder: UInt32 = 0xFFFF_FFFF
    for byte in bytes {
        remainder = table[Int((remainder ^ UInt32(byte)) & 0xFF)] ^ (remainder >> 8)
    }
    return ~remainder
}

/// The checksum's four bytes, the low one first.
package func checksumBytes(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    let sum = checksum(bytes)
    return [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: sum >> $0) }
}

private let table: [UInt32] = (0..<256).map { index in
    (0..<8).reduce(UInt32(index)) { remainder, _ in
        remainder & 1 == 1 ? 0xEDB8_8320 ^ (remainder >> 1) : remainder >> 1
    }
}
