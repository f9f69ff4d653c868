/// A request to a server, as bytes.
struct HTTPCall: Sendable {
    let method: String
    /// The path with its escapes, and the query.
    let target: String
    var fields: [(name: String, value: String)] = []
    var body: [UInt8] = []
    var contentType = "application/json"
    /// How long all of it may take.
    var milliseconds: Int64
    /// True if nothing is lost by sending it twice.
    var isRepeatable: Bool
}

/// What a server answered.
package struct HTTPReply: Hashable, Sendable {
    package let status: Int
    /// The seconds after which to come again, where a header says so.
    package var retryAfterSeconds: Double?
    package var body: [UInt8]
}

/// Why there is no answer.
struct TransportFailure: Error, Hashable, Sendable {
    /// True unless it is known that the server never had the request.
    let mayHaveArrived: Bool
    let reason: String
}

/// What carries requests to one server.
protocol HTTPTransport: Sendable {
    func perform(_ call: HTTPCall) async throws(TransportFailure) -> HTTPReply
}

/// What a server's answer may be: more than any answer of ours, and not without end.
enum ReplyLimits {
    static let headByteCountMax = 64_000
    static let bodyByteCountMax = 64_000_000
}
