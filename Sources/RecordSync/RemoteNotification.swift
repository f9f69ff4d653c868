/// A hint that came from outside, such as by a push service: it names a database at most.
///
/// An app gives each one to all of its engines; those of other databases pass it over.
public struct RemoteNotification: Hashable, Sendable {
    /// The name of the database that may have changes; nil if the hint could not be read.
    public var databaseName: String?

    /// Makes a hint for one database, by the name that its connection has.
    public init(databaseName: String) { self.databaseName = databaseName }

    private init() {}

    /// A hint that nobody could read: any database may have changes.
    public static let unreadable = RemoteNotification()
}

extension SyncEngine {
    /// Takes a hint from outside: an automatic engine fetches soon, unless it names another
    /// database.
    ///
    /// A lost hint makes sync slower and never stops it: fetches come in any case, more often while
    /// hints are missing.
    public func receive(_ notification: RemoteNotification) {
        if let name = notification.databaseName, name != database.name { return }
        shell.handle(.notificationReceived)
    }
}
