package import ServerCore

/// Who changed which database last, since the server runs: what polls are answered from.
///
/// It is a hint and nothing else. What was forgotten counts as a change by somebody else.
struct ChangeLog: Sendable {
    private var databases: [DatabaseKey: [Change]] = [:]
    /// What changed since it was last asked for.
    private(set) var fresh: Set<DatabaseKey> = []

    private struct Change: Sendable {
        let head: UInt64
        let deviceID: String
    }

    /// Changes of one database that are kept.
    private static let countMax = 32

    mutating func note(_ database: DatabaseKey, head: UInt64, by deviceID: String) {
        var changes = databases[database] ?? []
        changes.append(Change(head: head, deviceID: deviceID))
        if changes.count > Self.countMax { changes.removeFirst() }
        databases[database] = changes
        fresh.insert(database)
    }

    mutating func takeFresh() -> Set<DatabaseKey> {
        defer { fresh = [] }
        return fresh
    }

    /// True if somebody but the device changed the database behind a position.
    func isChanged(
        _ database: DatabaseKey,
        since position: UInt64,
        head: UInt64,
        for deviceID: String
    ) -> Bool {
        guard position < head else { return position > head }
        let changes = (databases[database] ?? []).filter { $0.head > position }
        let isComplete = changes.count == Int(clamping: head - position)
        return !isComplete || changes.contains { $0.deviceID != deviceID }
    }
}

/// A poll that waits for a change.
package struct WaitingPoll: Hashable, Sendable {
    package let database: DatabaseKey
    package let deviceID: String
    /// Where the device is.
    package let position: UInt64
    /// The token that the poll came with; nil on an open server.
    package let tokenHash: [UInt8]?
    /// How long it may wait.
    package let seconds: Int

    package init(
        database: DatabaseKey,
        deviceID: String,
        position: UInt64,
        tokenHash: [UInt8]?,
        seconds: Int
    ) {
        self.database = database
        self.deviceID = deviceID
        self.position = position
        self.tokenHash = tokenHash
        self.seconds = seconds
    }
}
