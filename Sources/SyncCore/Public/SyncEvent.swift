public import RecordModel

/// What an engine tells its delegate.
public enum SyncEvent: Sendable, CustomStringConvertible {
    /// The state changed: store it with, or after, the data of every event before it.
    case stateUpdate(StateUpdate)
    /// Somebody signed in or out.
    case accountChange(AccountChange)
    /// Other devices created, changed or deleted zones.
    case fetchedDatabaseChanges(FetchedDatabaseChanges)
    /// Other devices changed or deleted records of one zone.
    case fetchedRecordZoneChanges(FetchedRecordZoneChanges)
    /// Zones were sent.
    case sentDatabaseChanges(SentDatabaseChanges)
    /// A batch of records was sent.
    case sentRecordZoneChanges(SentRecordZoneChanges)
    /// A fetch begins.
    case willFetchChanges(WillFetchChanges)
    /// The fetch of a zone begins.
    case willFetchRecordZoneChanges(WillFetchRecordZoneChanges)
    /// The fetch of a zone ended.
    case didFetchRecordZoneChanges(DidFetchRecordZoneChanges)
    /// A fetch ended.
    case didFetchChanges(DidFetchChanges)
    /// A send begins.
    case willSendChanges(WillSendChanges)
    /// A send ended.
    case didSendChanges(DidSendChanges)
    /// Changes were dropped without being sent; the reason says why.
    case abandonedChanges(AbandonedChanges)
}

extension SyncEvent {
    /// The event's name and figures, for a log: no field of a record is shown.
    public var description: String {
        switch self {
        case .stateUpdate: "stateUpdate"
        case .accountChange(let change): "accountChange(\(change.changeType))"
        case .fetchedDatabaseChanges(let changes):
            "fetchedDatabaseChanges(\(changes.modifications.count) modified, "
                + "\(changes.deletions.count) deleted)"
        case .fetchedRecordZoneChanges(let changes):
            "fetchedRecordZoneChanges(\(changes.modifications.count) modified, "
                + "\(changes.deletions.count) deleted)"
        case .sentDatabaseChanges(let sent): sent.description
        case .sentRecordZoneChanges(let sent): sent.description
        case .willFetchChanges(let fetch): "willFetchChanges(\(fetch.context))"
        case .willFetchRecordZoneChanges(let fetch):
            "willFetchRecordZoneChanges(\(fetch.zoneID), \(fetch.kind))"
        case .didFetchRecordZoneChanges(let fetch):
            "didFetchRecordZoneChanges(\(fetch.zoneID)\(fetch.error.map { ", \($0)" } ?? ""))"
        case .didFetchChanges(let fetch): "didFetchChanges(\(fetch.context))"
        case .willSendChanges(let send): "willSendChanges(\(send.context))"
        case .didSendChanges(let send): "didSendChanges(\(send.context))"
        case .abandonedChanges(let abandoned):
            "abandonedChanges(\(abandoned.recordZoneChanges.count) of records, "
                + "\(abandoned.databaseChanges.count) of zones, \(abandoned.reason))"
        }
    }
}

extension SyncEvent {
    /// The state changed: the whole of it, and what changed since the last update.
    ///
    /// Store the one or the other. Storing `entries` costs as much as changed; when compacting is
    /// advised, store the snapshot and delete the entries that it covers, in one transaction.
    public struct StateUpdate: Sendable {
        /// The whole state, encoded only when the app encodes it.
        public let stateSerialization: StateSerialization
        /// The changes since the last update that was handled, but for those whose entries the app
        /// prepared and stored itself.
        public let entries: JournalEntries
        /// True if so many entries were handed out that storing a snapshot pays.
        public let isCompactingAdvised: Bool

        /// Makes a payload.
        public init(
            stateSerialization: StateSerialization,
            entries: JournalEntries = JournalEntries(),
            isCompactingAdvised: Bool = false
        ) {
            self.stateSerialization = stateSerialization
            self.entries = entries
            self.isCompactingAdvised = isCompactingAdvised
        }
    }

    /// Somebody signed in or out.
    public struct AccountChange: Hashable, Sendable {
        /// Who, and what it means.
        public let changeType: ChangeType

        /// Makes a payload.
        public init(changeType: ChangeType) { self.changeType = changeType }

        /// Who is signed in now; nil after a sign-out.
        public var currentUser: Record.ID? {
            switch changeType {
            case .signIn(let user), .switchAccounts(_, let user): user
            case .signOut: nil
            }
        }

        /// Who was signed in before; nil at a sign-in.
        public var previousUser: Record.ID? {
            switch changeType {
            case .signOut(let user), .switchAccounts(let user, _): user
            case .signIn: nil
            }
        }

        /// Who signed in or out.
        public enum ChangeType: Hashable, Sendable, CustomStringConvertible {
            /// An account signed in; pending changes made before the first sign-in are kept.
            case signIn(currentUser: Record.ID)
            /// The account signed out; its pending changes wait for its return.
            case signOut(previousUser: Record.ID)
            /// Another account took over; the former one's pending changes are abandoned.
            case switchAccounts(previousUser: Record.ID, currentUser: Record.ID)

            /// What happened, and to whom.
            public var description: String {
                switch self {
                case .signIn(let user): "signIn \(user.recordName)"
                case .signOut(let user): "signOut \(user.recordName)"
                case .switchAccounts(let previous, let current):
                    "switch \(previous.recordName) to \(current.recordName)"
                }
            }
        }
    }

    /// Intents that the engine gave up.
    public struct AbandonedChanges: Hashable, Sendable {
        /// Changes of records, in the queue's order.
        public let recordZoneChanges: [PendingRecordZoneChange]
        /// Changes of zones, in the queue's order.
        public let databaseChanges: [PendingDatabaseChange]
        /// Why they were given up.
        public let reason: Reason

        /// Makes a payload.
        public init(
            recordZoneChanges: [PendingRecordZoneChange] = [],
            databaseChanges: [PendingDatabaseChange] = [],
            reason: Reason
        ) {
            self.recordZoneChanges = recordZoneChanges
            self.databaseChanges = databaseChanges
            self.reason = reason
        }

        /// Why changes were given up.
        public enum Reason: Hashable, Sendable, CustomStringConvertible {
            /// Their zone was deleted.
            case zoneDeleted(RecordZone.ID)
            /// They belong to an account that is not signed in any more.
            case accountChanged(previousUser: Record.ID)

            /// The reason in words.
            public var description: String {
                switch self {
                case .zoneDeleted(let zoneID): "zone \(zoneID) was deleted"
                case .accountChanged(let user): "account \(user.recordName) was replaced"
                }
            }
        }
    }
}
