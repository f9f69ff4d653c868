import RecordModel

/// The address of a server.
struct ServerURL: Hashable, Sendable {
    let isSecure: Bool
    /// A name or a numeric address, without brackets.
    let host: String
    let port: UInt16
    /// The path under which the server's own paths begin; empty, or with a slash before it.
    let path: String

    init(_ text: String) throws(SyncError) {
        let schemes = [("https://", true, UInt16(443)), ("http://", false, UInt16(80))]
        guard let (prefix, isSecure, usualPort) = schemes.first(where: { text.hasPrefix($0.0) })
        else { throw Self.malformed(text) }
        let rest = text.dropFirst(prefix.count)
        let authority = rest.prefix { $0 != "/" }
        var path = String(rest.dropFirst(authority.count))
        while path.hasSuffix("/") { path.removeLast() }
        guard let (host, port) = Self.hostAndPort(authority),
            path.utf8.allSatisfy({ (0x21...0x7E).contains($0) && ![0x23, 0x3F].contains($0) })
        else { throw Self.malformed(text) }
        self.isSecure = isSecure
        self.host = host
        self.port = port ?? usualPort
        self.path = path
    }

    /// The value of the header `Host`.
    var authority: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == (isSecure ? 443 : 80) ? name : "\(name):\(port)"
    }

    private static func hostAndPort(_ authority: Substring) -> (String, UInt16?)? {
        var host = authority
        var port: Substring?
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else { return nil }
            host = authority[authority.index(after: authority.startIndex)..<end]
            let behind = authority[authority.index(after: end)...]
            guard behind.isEmpty || behind.hasPrefix(":") else { return nil }
            port = behind.isEmpty ? nil : behind.dropFirst()
        } else if let colon = authority.lastIndex(of: ":") {
            host = authority[..<colon]
            port = authority[authority.index(after: colon)...]
        }
        let isHost =
            !host.isEmpty
            && host.utf8.allSatisfy { (0x21...0x7E).contains($0) && ![0x40, 0x5C].contains($0) }
        guard isHost else { return nil }
        guard let port else { return (String(host), nil) }
        guard let number = UInt16(port), number > 0 else { return nil }
        return (String(host), number)
    }

    private static func malformed(_ text: String) -> SyncError {
        SyncError(
            .invalidArguments,
            "\(text.debugDescription) is no address of a server; expected one such as "
                + "https://sync.example.org or http://127.0.0.1:8080"
        )
    }
}
