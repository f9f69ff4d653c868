package import RecordModel

/// Who asks: an account, from one of its devices, about one of its databases.
///
/// Whoever makes one vouches for it: a server over a network authenticates first.
package struct ServerCaller: Hashable, Sendable {
    /// The account's user record name.
    package var account: String
    /// The device, as every write keeps it.
    package var deviceID: String
    /// The database the request is about.
    package var scope: Database.Scope

    package init(account: String, deviceID: String, scope: Database.Scope = .private) {
        self.account = account
        self.deviceID = deviceID
        self.scope = scope
    }

    /// The database the request is about.
    package var database: DatabaseKey { DatabaseKey(account: account, scope: scope) }
}
