/// How much of a request is taken before it is refused.
package struct HTTPLimits: Hashable, Sendable {
    /// The request line, in bytes.
    package var requestLineByteCountMax = 8_000
    /// One header field, in bytes.
    package var fieldByteCountMax = 8_000
    /// Header fields.
    package var fieldCountMax = 64
    /// The request line and all fields, in bytes.
    package var headByteCountMax = 32_000
    /// The line before a chunk, in bytes.
    package var chunkLineByteCountMax = 64

    package init() {}
}

/// Why a request is no request: the connection is closed behind the answer.
package struct HTTPRefusal: Error, Hashable, Sendable {
    package let status: Int
    /// What is wrong, without anything of what was sent.
    package let reason: String

    package init(_ status: Int, _ reason: String) {
        self.status = status
        self.reason = reason
    }
}
