/// Names one send for ever, so that a lost answer can be asked for again without a second effect.
///
/// The writer is drawn anew at each launch of an engine, and the number counts its journal entries:
/// no key is made twice, whatever state a device is restored from.
public struct IdempotencyKey: Hashable, Sendable, Codable, CustomStringConvertible {
    /// The launch of an engine that made the key.
    public let writer: WriterID
    /// The journal entry that marked the send as in flight.
    public let number: UInt64

    /// Makes a key.
    public init(writer: WriterID, number: UInt64) {
        self.writer = writer
        self.number = number
    }

    /// Writer and number.
    public var description: String { "\(writer)#\(number)" }
}

/// One launch of an engine: 128 bits drawn at random.
public struct WriterID: Hashable, Sendable, Codable, CustomStringConvertible {
    /// The first 64 bits.
    public let high: UInt64
    /// The last 64 bits.
    public let low: UInt64

    /// Makes an id from random bits.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Eight hexadecimal digits: enough to tell writers apart in a log.
    public var description: String {
        let digits = String(high >> 32, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }
}
