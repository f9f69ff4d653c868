/// How a save is checked against the server's version.
public enum RecordSavePolicy: Int, Hashable, Sendable, Codable {
    /// The record's change tag must be the server's. Changed keys are stored, the rest stays.
    case ifServerRecordUnchanged = 0
    /// Changed keys are stored over whatever is there, whatever the tag.
    case changedKeys = 1
    /// All keys are stored over whatever is there, and the others removed, whatever the tag.
    case allKeys = 2
}

/// A deletion in a request.
public struct RecordDeletion: Hashable, Sendable {
    /// The record to delete.
    public var recordID: Record.ID
    /// The version that must be the server's; nil deletes whatever is there.
    public var expectedChangeTag: String?

    /// Makes a deletion, unconditional unless a change tag is given.
    public init(recordID: Record.ID, expectedChangeTag: String? = nil) {
        self.recordID = recordID
        self.expectedChangeTag = expectedChangeTag
    }
}

/// One batch of saves and deletions: one request to the server.
///
/// Records may span zones. An item stands in it once. Saves are applied in their order, then the
/// deletions; a parent may stand after its child.
public struct ModifyRecordsRequest: Hashable, Sendable {
    /// The records to save; each sends its changed keys.
    public var recordsToSave: [Record]
    /// The records to delete.
    public var recordsToDelete: [RecordDeletion]
    /// How saves are checked.
    public var savePolicy: RecordSavePolicy
    /// True if, in each zone, either all items succeed or none.
    public var isAtomicByZone: Bool
    /// Names this send; a server that knows the key answers as it did the first time.
    public var idempotencyKey: IdempotencyKey?

    /// Makes a request.
    public init(
        recordsToSave: [Record] = [],
        recordsToDelete: [RecordDeletion] = [],
        savePolicy: RecordSavePolicy = .ifServerRecordUnchanged,
        isAtomicByZone: Bool = false,
        idempotencyKey: IdempotencyKey? = nil
    ) {
        self.recordsToSave = recordsToSave
        self.recordsToDelete = recordsToDelete
        self.savePolicy = savePolicy
        self.isAtomicByZone = isAtomicByZone
        self.idempotencyKey = idempotencyKey
    }
}

/// The server's answer to a batch: a result for each item, in the request's order.
public struct ModifyRecordsReply: Hashable, Sendable {
    /// For each record to save the stored version, or why it was not saved.
    public var saveResults: [Result<Record, SyncError>]
    /// For each record to delete why it was not deleted, or nil if it is gone.
    public var deleteErrors: [SyncError?]

    /// Makes a reply.
    public init(saveResults: [Result<Record, SyncError>], deleteErrors: [SyncError?]) {
        self.saveResults = saveResults
        self.deleteErrors = deleteErrors
    }
}

/// Zones to save and, after them, zones to delete: one request to the server.
public struct ModifyZonesRequest: Hashable, Sendable {
    /// The zones to create; one that exists is saved again.
    public var zonesToSave: [RecordZone]
    /// The zones to delete; one that does not exist counts as deleted.
    public var zoneIDsToDelete: [RecordZone.ID]
    /// Names this send.
    public var idempotencyKey: IdempotencyKey?

    /// Makes a request.
    public init(
        zonesToSave: [RecordZone] = [],
        zoneIDsToDelete: [RecordZone.ID] = [],
        idempotencyKey: IdempotencyKey? = nil
    ) {
        self.zonesToSave = zonesToSave
        self.zoneIDsToDelete = zoneIDsToDelete
        self.idempotencyKey = idempotencyKey
    }
}

/// The server's answer to changes of zones: a result for each, in the request's order.
public struct ModifyZonesReply: Hashable, Sendable {
    /// For each zone to save the stored zone, or why it was not saved.
    public var saveResults: [Result<RecordZone, SyncError>]
    /// For each zone to delete why it was not deleted, or nil if it is gone.
    public var deleteErrors: [SyncError?]

    /// Makes a reply.
    public init(saveResults: [Result<RecordZone, SyncError>], deleteErrors: [SyncError?]) {
        self.saveResults = saveResults
        self.deleteErrors = deleteErrors
    }
}

/// Asks what became of a send whose answer was lost.
public struct SendOutcomeRequest: Hashable, Sendable {
    /// The send.
    public var idempotencyKey: IdempotencyKey

    /// Makes a request.
    public init(idempotencyKey: IdempotencyKey) { self.idempotencyKey = idempotencyKey }
}

/// What became of a send.
public enum SendOutcome: Hashable, Sendable {
    /// The server took it and answered this.
    case known(ModifyRecordsReply)
    /// The server has not taken it and never will: a late arrival under this key is refused.
    case closed
    /// The server keeps no keys: compare what was sent with what it has.
    case unsupported
}
