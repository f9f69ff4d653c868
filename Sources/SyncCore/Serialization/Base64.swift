/// Base64 (RFC 4648, section 4) with padding.
package enum Base64 {
    private static let digits = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8
    )
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 0xFF, count: 256)
        for (value, digit) in digits.enumerated() { values[Int(digit)] = UInt8(value) }
        return values
    }()

    /// The text that stands for the bytes.
    package static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let rest = bytes.count - start
            let first = UInt32(bytes[start]) << 16
            let second = rest > 1 ? UInt32(bytes[start + 1]) << 8 : 0
            let third = rest > 2 ? UInt32(bytes[start + 2]) : 0
            let group = first | second | third
            text.append(digits[Int(group >> 18)])
            text.append(digits[Int(group >> 12 & 63)])
            text.append(rest > 1 ? digits[Int(group >> 6 & 63)] : UInt8(ascii: "="))
            text.append(rest > 2 ? digits[Int(group & 63)] : UInt8(ascii: "="))
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The bytes that a text stands for; nil unless it is whole and in the one right form.
    package static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        guard text.count % 4 == 0 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 4 * 3)
        var group: UInt32 = 0
        var count = 0
        var paddingCount = 0
        for byte in text {
            if byte == UInt8(ascii: "=") {
                paddingCount += 1
                group <<= 6
            } else {
                guard values[Int(byte)] != 0xFF, paddingCount == 0 else { return nil }
                group = group << 6 | UInt32(values[Int(byte)])
            }
            count += 1
            guard count == 4 else { continue }
            for shift in [16, 8, 0] as [UInt32] {
                bytes.append(UInt8(truncatingIfNeeded: group >> shift))
            }
            (group, count) = (0, 0)
        }
        guard paddingCount <= 2, bytes.suffix(paddingCount).allSatisfy({ $0 == 0 }) else {
            return nil
        }
        bytes.removeLast(paddingCount)
        return bytes
    }
}
