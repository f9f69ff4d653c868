internal import RecordModel

/// How much one line of the wire may hold, whoever sends it.
enum WireLimits {
    /// Objects and lists inside one another.
    static let depthMax = 32
    /// The characters of one number; the longest that is ever needed has 24.
    static let numberLengthMax = 64
    /// The bytes of one text: the largest record in base64, with some room.
    static let stringByteCountMax = 2 * RequestLimits.standard.recordByteCountMax
    /// The bytes of one line: the largest record, with every byte of it escaped.
    static let lineByteCountMax = 8 * RequestLimits.standard.recordByteCountMax
    /// The elements of one list of a message.
    static let listCountMax = 10_000
    /// The zones of one request for changes.
    static let zoneCountMax = 200
    /// The characters of one token.
    static let tokenByteCountMax = 10_000
}
