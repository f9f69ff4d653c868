import RecordModel

/// The secret by which a device shows who it is: 256 random bits behind a mark.
///
/// A server keeps its hash alone. Since the bits are random, a slow hash would protect nothing.
package struct AccessToken: Hashable, Sendable {
    /// The token as it is given to the device and sent back by it.
    package let text: String

    /// Tells a token from other secrets, for people and for scanners of leaked ones.
    private static let mark = "rst_"
    private static let byteCount = 32

    /// Makes a token of random bytes.
    package init(randomBytes: [UInt8]) {
        precondition(randomBytes.count == Self.byteCount, "a token has 256 bits")
        text = Self.mark + randomBytes.map(twoDigits).joined()
    }

    /// Takes a token as it was sent; nil for what cannot be one.
    package init?(text: String) {
        let digits = text.utf8.dropFirst(Self.mark.utf8.count)
        guard text.hasPrefix(Self.mark), digits.count == 2 * Self.byteCount,
            digits.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
        else { return nil }
        self.text = text
    }

    /// What is kept of it.
    ///
    /// It is looked up as a whole, so no comparison can be timed.
    package var hash: [UInt8] { SHA256.hash(Array(text.utf8)) }
}

private func twoDigits(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 16)
    return byte < 16 ? "0" + digits : digits
}
