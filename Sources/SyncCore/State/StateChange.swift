package import RecordModel

/// One durable change of the state: what a journal entry holds.
///
/// A change that ends something names the journal entry that began it, never just a record: when
/// entries are replayed in another order, what was asked for again since is left alone.
package enum StateChange: Hashable, Sendable {
    /// The app wants records saved or deleted.
    case recordChangesAdded([PendingRecordZoneChange])
    /// The same, with a priority of their own.
    case prioritizedChangesAdded([PendingRecordZoneChange], SyncPriority)
    /// The app wants them no more, or has no such record.
    case recordChangesRemoved([EndedChange])
    /// The app wants zones saved or deleted.
    case databaseChangesAdded([PendingDatabaseChange])
    /// The app has changes that it does not list, or has them no more.
    case untrackedChangesSet(Bool)
    /// Parked and quarantined changes may be offered again.
    case parkedChangesResumed
    /// A batch is in flight; this entry's id is the send's key.
    case sendOpened([OpenedChange])
    /// Some changes of an open send, which had no effect, are in flight under this entry's id.
    case sendPartOpened(of: IdempotencyKey, [Record.ID])
    /// A send is settled: what became of each of its changes, in the request's order.
    case sendClosed(IdempotencyKey, [Disposition])
    /// Changes of zones were confirmed, given up with an error, or removed by the app.
    case databaseChangesSettled([EndedZoneChange])
    /// Changes of zones are in flight, saves first; this entry's id is the send's key.
    case zoneSendOpened([EndedZoneChange])
    /// A send of zones is settled, and these of its changes end with it.
    case zoneSendClosed(IdempotencyKey, [EndedZoneChange])
    /// A page of changed zones was handled.
    case databasePageHandled(
        token: ServerChangeToken,
        modified: [RecordZone.ID],
        deleted: [RecordZone.ID]
    )
    /// The database's token is of no use any more: its zones are listed from the beginning.
    case zoneListingBegun(SyncEvent.FullFetchReason)
    /// A page of a listing of zones was handled that is not the last.
    case zoneListingPageHandled(modified: [RecordZone.ID])
    /// The server's history has this name; another one than before makes every token useless.
    case historySeen(String)
    /// Every zone that a damaged state may have known is known again.
    case damageSettled
    /// The app wants these zones fetched from the beginning, or all and the list of zones too.
    case tokensReset([RecordZone.ID]?)
    /// A page of a zone's changes was handled.
    case zonePageHandled(RecordZone.ID, token: ServerChangeToken, moreComing: Bool)
    /// Everything in the zone is fetched anew.
    case fullFetchBegun(RecordZone.ID, SyncEvent.FullFetchReason)
    /// The zone is known to be gone.
    case zoneForgotten(RecordZone.ID)
    /// The zone was asked for and is not there; what the app has of it is of a former life.
    case zoneMissed(RecordZone.ID)
    /// Pending changes of a zone's former life were given up, and the app was told of each.
    case zoneChangesAbandoned([EndedChange])
    /// An account was seen; the state is its from now on.
    case accountIdentified(userRecordName: String)
    /// The account signed out; its tokens go, its pending changes wait.
    case accountSignedOut
    /// Another account took over: tokens go, and pending changes of these entries.
    ///
    /// What the app had prepared and not applied, or another process had stored, is none of them.
    case accountReplaced(userRecordName: String, ended: [EngineState.WriterCoverage])
    /// The server asked to be left alone for a while, or not any more.
    case retryDelaySet(EngineState.RetryDelay?)

    /// A pending change that ends.
    package struct EndedChange: Hashable, Sendable {
        package var change: PendingRecordZoneChange
        /// The entry that added it; nil if it is in flight or was not pending at all.
        package var entry: IdempotencyKey?

        package init(change: PendingRecordZoneChange, entry: IdempotencyKey?) {
            self.change = change
            self.entry = entry
        }
    }

    /// A change in a batch: saves stand first, then deletions.
    package struct OpenedChange: Hashable, Sendable {
        package var change: PendingRecordZoneChange
        /// What a saved record is; empty for a deletion.
        package var recordType: Record.RecordType
        /// The entry that added it; nil for a change that was not listed.
        package var entry: IdempotencyKey?

        package init(
            change: PendingRecordZoneChange,
            recordType: Record.RecordType,
            entry: IdempotencyKey?
        ) {
            self.change = change
            self.recordType = recordType
            self.entry = entry
        }
    }

    /// A pending change of a zone that ends, and the entry that added it.
    package struct EndedZoneChange: Hashable, Sendable {
        package var change: PendingDatabaseChange
        package var entry: IdempotencyKey

        package init(change: PendingDatabaseChange, entry: IdempotencyKey) {
            self.change = change
            self.entry = entry
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
        /// It failed too often: it is kept and not offered until the app resumes it.
        case quarantined
        /// It left the queue: its error was handed to the app.
        case surfaced
    }
}
