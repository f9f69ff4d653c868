public import RecordModel

/// The records and deletions of one request.
public struct RecordZoneChangeBatch: Sendable, CustomStringConvertible {
    /// The records to save, parents before their children.
    public var recordsToSave: [Record]
    /// The records to delete.
    public var recordIDsToDelete: [Record.ID]
    /// True if, in each zone, either all changes succeed or none.
    public var atomicByZone: Bool
    /// The change tag that a record must have on the server to be deleted; another one makes that
    /// deletion fail with `serverRecordChanged`.
    ///
    /// A deletion without an entry here is unconditional, as CloudKit's are.
    public var expectedChangeTags: [Record.ID: String] = [:]
    /// What the app calls the version it put into the batch; the sent event gives it back.
    public var localVersions: [Record.ID: String] = [:]
    /// Where the engine's walk over its queue ended.
    package var walk: WalkPosition?

    /// Makes a batch without looking at limits; the engine halves one that the server refused.
    public init(
        recordsToSave: [Record] = [],
        recordIDsToDelete: [Record.ID] = [],
        atomicByZone: Bool = false
    ) {
        self.recordsToSave = recordsToSave
        self.recordIDsToDelete = recordIDsToDelete
        self.atomicByZone = atomicByZone
    }

    /// The number of saves and deletions.
    public var description: String {
        "\(recordsToSave.count) saves, \(recordIDsToDelete.count) deletions"
            + (atomicByZone ? ", atomic" : "")
    }

    package var count: Int { recordsToSave.count + recordIDsToDelete.count }
}

/// What an app answers when it is asked for a record to save.
public enum RecordProviderAnswer: Sendable {
    /// Save this record.
    ///
    /// The sent event gives the local version back, so that the app can tell an edit made
    /// meanwhile from the one that was sent.
    case record(Record, localVersion: String? = nil)
    /// There is no such record any more: drop the change.
    case gone
    /// Not now: keep the change and do not ask again in this send.
    case later
}
