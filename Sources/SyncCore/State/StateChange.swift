package import RecordModel

/// One durable change of the state: what a journal entry holds.
package enum StateChange: Hashable, Sendable {
    /// The app wants records saved or deleted.
    case recordChangesAdded([PendingRecordZoneChange])
    /// The app wants them no more, or has no such record.
    case recordChangesRemoved([PendingRecordZoneChange])
    /// The app wants zones saved or deleted.
    case databaseChangesAdded([PendingDatabaseChange])
    /// The app wants them no more.
    case databaseChangesRemoved([PendingDatabaseChange])
    /// The app has changes that it does not list, or has them no more.
    case untrackedChangesSet(Bool)
    /// Parked changes may be offered again.
    case parkedChangesResumed
    /// A batch is in flight; this entry's id is the send's key.
    case sendOpened(deletions: [Record.ID], saves: [OpenedSave])
    /// Some changes of an open send, which had no effect, are in flight under this entry's id.
    case sendPartOpened(of: IdempotencyKey, [Record.ID])
    /// A send is settled: what became of each of its changes, in the request's order.
    case sendClosed(IdempotencyKey, [Disposition])
    /// Changes of zones were confirmed, or given up with an error.
    case databaseChangesSettled([PendingZoneChanges.Entry])
    /// A page of changed zones was handled.
    case databasePageHandled(
        token: ServerChangeToken,
        modified: [RecordZone.ID],
        deleted: [RecordZone.ID]
    )
    /// The database's token is of no use any more.
    case databaseTokenDropped
    /// A page of a zone's changes was handled.
    case zonePageHandled(RecordZone.ID, token: ServerChangeToken, moreComing: Bool)
    /// Everything in the zone is fetched anew.
    case fullFetchBegun(RecordZone.ID, SyncEvent.FullFetchReason)
    /// The zone is known to be gone.
    case zoneForgotten(RecordZone.ID)
    /// Pending changes of a zone's former life were given up: those asked for before an entry.
    case zoneChangesAbandoned(RecordZone.ID, before: IdempotencyKey)
    /// An account was seen; the state is its from now on.
    case accountIdentified(userRecordName: String)
    /// The account signed out; its tokens go, its pending changes wait.
    case accountSignedOut
    /// Another account took over: tokens and pending changes go.
    case accountReplaced(userRecordName: String)
    /// The server asked to be left alone for a while, or not any more.
    case retryDelaySet(EngineState.RetryDelay?)

    /// A save in a batch.
    package struct OpenedSave: Hashable, Sendable {
        package var recordID: Record.ID
        package var recordType: Record.RecordType

        package init(recordID: Record.ID, recordType: Record.RecordType) {
            self.recordID = recordID
            self.recordType = recordType
        }
    }

    /// What becomes of a change whose send is settled.
    package enum Disposition: Hashable, Sendable {
        /// The server did it; a save has this tag now.
        case confirmed(changeTag: String?)
        /// It is pending again, in its old place, unless a newer one of the record is.
        case returned
        /// It is kept and not offered until the app resumes it.
        case parked
        /// It left the queue: its error was handed to the app.
        case surfaced
    }
}
