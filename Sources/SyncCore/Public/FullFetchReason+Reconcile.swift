public import RecordModel

extension SyncEvent.FullFetchReason {
    /// True if a row that the listing did not name, and that has nothing pending, was deleted.
    ///
    /// So only where the server's history is unbroken. After a restored backup, with a damaged
    /// state or at a first fetch, absence says nothing: the server may lack what this device has.
    public var isAbsenceDeletion: Bool {
        switch self {
        case .tokenExpired, .tokensReset: true
        case .firstFetch, .newHistory, .stateDamaged: false
        }
    }

    /// Sorts an app's rows after a full fetch of their zone ended without an error.
    ///
    /// Stamp each row that the listing names with the fetch's id, and each that was sent and saved
    /// while the listing went on: it may not have come to that save. Give here the rows of the zone
    /// without this stamp, and tell which of them have a pending change. Nothing with a pending
    /// change is touched: it meets the server when it is sent.
    ///
    /// - Parameters:
    ///   - unlisted: The rows that the listing did not name.
    ///   - isPending: True for a row with a pending change.
    /// - Returns: The rows to drop, and those that the server lacks: add a save for each, without
    ///   its old system fields. One of the two is empty.
    public func reconcile(
        unlisted: some Sequence<Record.ID>,
        isPending: (Record.ID) -> Bool
    ) -> (drop: [Record.ID], sendAgain: [Record.ID]) {
        let rows = unlisted.filter { !isPending($0) }
        return isAbsenceDeletion ? (rows, []) : ([], rows)
    }
}
