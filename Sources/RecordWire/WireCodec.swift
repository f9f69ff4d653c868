package import RecordModel

/// The bodies of requests and replies.
///
/// What this project adds to the protocol it follows is written only where the other side said that
/// it knows it: strict readers refuse keys they do not know. Reading ignores such keys.
package enum WireCodec {
    /// The header by which a client says that it knows the extensions, and its value.
    package static let extensionsHeader = "x-recordsync-extensions"
    /// The only version of the extensions.
    package static let extensionsVersion = "1"
    /// The header that names the device where no token does.
    package static let deviceHeader = "x-recordsync-device"

    /// The header that names the account for which a request is made; another's token is refused.
    package static let accountHeader = "x-recordsync-account"

    /// A body of a failed request.
    package static func body(of error: SyncError, withExtensions: Bool) -> [UInt8] {
        var writer = RecordWriter()
        writer.write(error, of: nil, withExtensions: withExtensions)
        return writer.bytes
    }

    /// The error in the body of a failed request; nil for a body that holds none.
    package static func error(in body: [UInt8]) -> SyncError? {
        let members = try? MessageParser.parse(body, into: ErrorMembers()) {
            members,
            parser,
            key throws(WireError) in
            try members.take(key, &parser.scanner, zoneID: .default)
            return true
        }
        return members?.error
    }
}
