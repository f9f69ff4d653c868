/// A fingerprint of what happened, the same in every process.
package struct Digest: Hashable, Sendable {
    package private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    package init() {}

    package mutating func fold(_ number: UInt64) {
        value = (value ^ number) &* 0x0000_0100_0000_01B3
        value ^= value >> 29
    }

    package mutating func fold(_ number: Int) { fold(UInt64(bitPattern: Int64(number))) }

    package mutating func fold(_ text: String) {
        for byte in text.utf8 { fold(UInt64(byte)) }
    }

    package mutating func fold(bytes: [UInt8]) {
        for byte in bytes { fold(UInt64(byte)) }
    }

    /// Sixteen hexadecimal digits.
    package static func text(_ value: UInt64) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
