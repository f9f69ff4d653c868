public import RecordModel

extension SyncEvent {
    /// A send begins.
    public struct WillSendChanges: Sendable {
        /// Why, and of what.
        public let context: SendChangesContext

        /// Makes a payload.
        public init(context: SendChangesContext) { self.context = context }
    }

    /// A send ended; the next `willSendChanges` begins another.
    public struct DidSendChanges: Sendable {
        /// Why, and of what.
        public let context: SendChangesContext
        /// Changes that the app's provider put off in this send; they stay pending.
        public let postponedChanges: [PendingRecordZoneChange]

        /// Makes a payload.
        public init(
            context: SendChangesContext,
            postponedChanges: [PendingRecordZoneChange] = []
        ) {
            self.context = context
            self.postponedChanges = postponedChanges
        }
    }

    /// Zones were sent: what became of each.
    public struct SentDatabaseChanges: Hashable, Sendable, CustomStringConvertible {
        /// Zones that the server saved.
        public let savedZones: [RecordZone]
        /// Zones that it did not save.
        public let failedZoneSaves: [FailedZoneSave]
        /// Zones that the server deleted.
        public let deletedZoneIDs: [RecordZone.ID]
        /// Zones that it did not delete.
        public let failedZoneDeletes: [RecordZone.ID: SyncError]

        /// Makes a payload.
        public init(
            savedZones: [RecordZone] = [],
            failedZoneSaves: [FailedZoneSave] = [],
            deletedZoneIDs: [RecordZone.ID] = [],
            failedZoneDeletes: [RecordZone.ID: SyncError] = [:]
        ) {
            self.savedZones = savedZones
            self.failedZoneSaves = failedZoneSaves
            self.deletedZoneIDs = deletedZoneIDs
            self.failedZoneDeletes = failedZoneDeletes
        }

        /// The event's name and figures.
        public var description: String {
            "sentDatabaseChanges(\(savedZones.count) saved, \(deletedZoneIDs.count) deleted, "
                + "\(failedZoneSaves.count + failedZoneDeletes.count) failed)"
        }

        /// A zone that was not saved.
        public struct FailedZoneSave: Hashable, Sendable {
            /// The zone.
            public let zone: RecordZone
            /// Why.
            public let error: SyncError

            /// Makes a failure.
            public init(zone: RecordZone, error: SyncError) {
                self.zone = zone
                self.error = error
            }
        }
    }

    /// A batch was sent: what became of each of its changes, and of no others.
    ///
    /// Failures that the engine handles itself stand here too; `SyncError.isKept` tells them apart.
    public struct SentRecordZoneChanges: Hashable, Sendable, CustomStringConvertible {
        /// Records that the server saved, as it has them: store their system fields.
        public let savedRecords: [Record]
        /// Records that it did not save.
        public let failedRecordSaves: [FailedRecordSave]
        /// Records that the server deleted.
        public let deletedRecordIDs: [Record.ID]
        /// Records that it did not delete.
        public let failedRecordDeletes: [Record.ID: SyncError]
        /// Names the batch: the same in a repeated event.
        public let batchID: IdempotencyKey?
        /// The local versions that the app put into the batch.
        public let localVersions: [Record.ID: String]
        /// Those of the failed changes that failed too often while others got through.
        ///
        /// They stay pending and are not sent until `resumeParkedChanges` or a new `add`.
        public let quarantinedChanges: [PendingRecordZoneChange]

        /// Makes a payload.
        public init(
            savedRecords: [Record] = [],
            failedRecordSaves: [FailedRecordSave] = [],
            deletedRecordIDs: [Record.ID] = [],
            failedRecordDeletes: [Record.ID: SyncError] = [:],
            batchID: IdempotencyKey? = nil,
            localVersions: [Record.ID: String] = [:],
            quarantinedChanges: [PendingRecordZoneChange] = []
        ) {
            self.savedRecords = savedRecords
            self.failedRecordSaves = failedRecordSaves
            self.deletedRecordIDs = deletedRecordIDs
            self.failedRecordDeletes = failedRecordDeletes
            self.batchID = batchID
            self.localVersions = localVersions
            self.quarantinedChanges = quarantinedChanges
        }

        /// The event's name and figures.
        public var description: String {
            "sentRecordZoneChanges(\(savedRecords.count) saved, "
                + "\(deletedRecordIDs.count) deleted, "
                + "\(failedRecordSaves.count + failedRecordDeletes.count) failed"
                + (quarantinedChanges.isEmpty
                    ? ")" : ", \(quarantinedChanges.count) quarantined)")
        }

        /// Saves that another device came before: take the server's version, nil if it deleted the
        /// record, put the unsent changes over it, and add the save again.
        public var conflicts: [(recordID: Record.ID, serverRecord: Record?)] {
            failedRecordSaves.compactMap { failure in
                switch failure.error.code {
                case .serverRecordChanged, .unknownItem:
                    (failure.record.recordID, failure.error.serverRecord)
                case _: nil
                }
            }
        }

        /// A record that was not saved.
        public struct FailedRecordSave: Hashable, Sendable {
            /// The record as it was sent; after a relaunch only its type and identity.
            public let record: Record
            /// Why, with the server's record for a conflict.
            public let error: SyncError

            /// Makes a failure.
            public init(record: Record, error: SyncError) {
                self.record = record
                self.error = error
            }
        }
    }
}

extension SyncError {
    /// True if the engine keeps the change of an item that failed with this error.
    ///
    /// It sends the change again by itself, but for those that wait for `resumeParkedChanges`: a
    /// change over the quota, and one that the event lists as quarantined.
    public var isKept: Bool {
        switch ItemOutcome(code) {
        case .retry, .requeue, .park: true
        // An item that is told to be too large was alone in its request: nothing is left to split.
        case .split, .surface: false
        }
    }
}
