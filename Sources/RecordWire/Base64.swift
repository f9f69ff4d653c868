/// Bytes as text in the standard alphabet of RFC 4648, with padding.
enum Base64 {
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8
    )
    private static let pad = UInt8(ascii: "=")
    private static let noDigit: UInt8 = 0xFF

    /// The value of each character, or `noDigit`.
    private static let digits: [UInt8] = {
        var digits = [UInt8](repeating: noDigit, count: 256)
        for (digit, character) in alphabet.enumerated() { digits[Int(character)] = UInt8(digit) }
        return digits
    }()

    static func append(_ bytes: [UInt8], to text: inout [UInt8]) {
        let alphabet = alphabet
        var position = 0
        while position < bytes.count {
            let count = min(3, bytes.count - position)
            var group = UInt32(bytes[position]) << 16
            if count > 1 { group |= UInt32(bytes[position + 1]) << 8 }
            if count > 2 { group |= UInt32(bytes[position + 2]) }
            text.append(alphabet[Int(group >> 18)])
            text.append(alphabet[Int(group >> 12 & 63)])
            text.append(count > 1 ? alphabet[Int(group >> 6 & 63)] : pad)
            text.append(count > 2 ? alphabet[Int(group & 63)] : pad)
            position += 3
        }
    }

    /// The bytes, or nil for a text that no encoder writes: another alphabet, white space, missing
    /// padding, or bits set that stand for nothing.
    static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        guard text.count % 4 == 0 else { return nil }
        let padding = text.suffix(2).reversed().prefix { $0 == pad }.count
        let digits = digits
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 4 * 3)
        var group: UInt32 = 0
        var bitCount = 0
        for character in text.dropLast(padding) {
            let digit = digits[Int(character)]
            guard digit != noDigit else { return nil }
            group = group << 6 | UInt32(digit)
            bitCount += 6
            if bitCount >= 8 {
                bitCount -= 8
                bytes.append(UInt8(truncatingIfNeeded: group >> UInt32(bitCount)))
                group &= (1 << UInt32(bitCount)) - 1
            }
        }
        return group == 0 ? bytes : nil
    }
}
