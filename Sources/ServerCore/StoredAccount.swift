package import RecordModel

/// An account as a storage keeps it.
package struct StoredAccount: Hashable, Sendable {
    /// Whether an account may be used.
    package enum Standing: Int, Hashable, Sendable {
        /// It may.
        case available = 0
        /// Its manager does not allow it.
        case restricted = 1
        /// Not now: its data stays.
        case temporarilyUnavailable = 2
    }

    /// The user record name.
    package let name: String
    /// Whether it may be used.
    package var standing = Standing.available
    /// The bytes of all its records, as quotas count them.
    package var usedByteCount = 0

    package init(name: String) { self.name = name }
}

/// A device of an account as a storage keeps it.
package struct StoredDevice: Hashable, Sendable {
    /// The device.
    package let deviceID: String
    /// When it first wrote something.
    package var firstSeen: Timestamp
    /// When it last wrote something.
    package var lastSeen: Timestamp

    package init(deviceID: String, firstSeen: Timestamp, lastSeen: Timestamp) {
        self.deviceID = deviceID
        self.firstSeen = firstSeen
        self.lastSeen = lastSeen
    }
}

/// Names a database: an account's, of a scope.
package struct DatabaseKey: Hashable, Sendable {
    /// The account that owns it.
    package let account: String
    /// Which of the account's databases.
    package let scope: Database.Scope

    package init(account: String, scope: Database.Scope) {
        self.account = account
        self.scope = scope
    }
}

/// A database as a storage keeps it.
package struct StoredDatabase: Hashable, Sendable {
    /// The sequence number of the last commit: the head of the log.
    package var head: UInt64 = 0
    /// Tokens of the database from before this place are expired.
    package var floor = LogPosition.start

    package init() {}
}
