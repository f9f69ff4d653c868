public import RecordModel
public import RecordSync

/// A server that is reached over HTTP: where an app's databases are.
///
///     let server = try RemoteServer("https://sync.example.org", accessToken: token)
///     let configuration = SyncEngine.Configuration(
///         database: server.database(.private),
///         stateSerialization: stored,
///         delegate: delegate
///     )
///
/// A token belongs to an account and a device. It is sent in a header of each request, never in an
/// address, and to no other server that this one points to.
public struct RemoteServer: Sendable {
    let transport: any HTTPTransport
    /// The name or address of the server's host.
    let host: String
    let container: String
    let accessToken: String?
    let deviceName: String?

    /// Makes a connection to a server; nothing is sent until an engine asks.
    ///
    /// - Parameters:
    ///   - url: The server's address: `https`, or `http` for this machine and for trusted networks.
    ///   - container: The container that the server serves.
    ///   - accessToken: The device's token; nil for a server that is open for a first try.
    ///   - deviceName: The device's name, where no token tells it.
    /// - Throws: `invalidArguments` if one of these cannot be sent.
    public init(
        _ url: String,
        container: String = "default",
        accessToken: String? = nil,
        deviceName: String? = nil
    ) throws(SyncError) {
        for text in [container, accessToken ?? "x", deviceName ?? "x"] {
            guard !text.isEmpty, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
                !text.contains("/")
            else {
                throw SyncError(
                    .invalidArguments,
                    "containers, tokens and names of devices are printable ASCII without blanks "
                        + "and slashes"
                )
            }
        }
        let server = try ServerURL(url)
        host = server.host
        self.container = container
        self.accessToken = accessToken
        self.deviceName = deviceName
        #if os(Linux)
            transport =
                server.isSecure ? SystemTransport(server: server) : SocketTransport(server: server)
        #else
            transport = SystemTransport(server: server)
        #endif
    }

    /// The connection to one of the account's databases, for an engine.
    ///
    /// - Parameter limits: What one request may hold, where the server's owner changed it.
    public func database(
        _ scope: Database.Scope,
        limits: RequestLimits = .standard
    ) -> any SyncDatabase {
        RemoteDatabase(server: self, scope: scope, limits: limits)
    }
}
