/// The server's bookmark in the changes of a database or of a zone.
///
/// Opaque: only the server that made it can read it, and only for the same account, database,
/// zone and history. A token of a database is no token of a zone.
public struct ServerChangeToken: Hashable, Sendable, Codable {
    /// The bytes as the server made them.
    public let bytes: [UInt8]

    /// Makes a token from bytes that a server made.
    public init(bytes: [UInt8]) { self.bytes = bytes }
}
