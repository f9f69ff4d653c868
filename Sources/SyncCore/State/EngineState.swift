package import RecordModel

/// What survives a relaunch: what the app stores when it stores a state update.
///
/// It changes in one way only: `EngineCore` records a `StateChange`, and `apply` performs it.
package struct EngineState: Sendable {
    /// Whose data this is.
    package internal(set) var account = AccountState.unidentified
    /// Which database the state belongs to, so that another engine's state is refused (H30).
    package internal(set) var databaseName: String?
    /// Up to where changes of zones are known.
    package internal(set) var databaseToken: ServerChangeToken?
    /// Which history of the server's storage the tokens belong to; nil while it is not known.
    package internal(set) var historyID: String?
    /// Why the zones are listed from the beginning, while that goes on; its token is not stored
    /// before its end, so that a relaunch lists them again.
    package internal(set) var zoneListing: SyncEvent.FullFetchReason?
    /// Why a zone that has no token is fetched from the beginning.
    package internal(set) var firstFetchReason = SyncEvent.FullFetchReason.firstFetch
    /// What is known of each zone.
    package internal(set) var zones = OrderedTable<RecordZone.ID, ZoneState>()
    /// Pending changes of records.
    package internal(set) var records = PendingQueue()
    /// Pending changes of zones.
    package internal(set) var databaseChanges = PendingZoneChanges()
    /// Sends whose outcome is not settled: in flight, or of unknown outcome.
    package internal(set) var openSends: [OpenSend] = []
    /// Sends of zones whose outcome is not settled.
    package internal(set) var openZoneSends: [OpenZoneSend] = []
    /// True while the app has changes that it does not list.
    package internal(set) var hasPendingUntrackedChanges = false
    /// Until when the server asked not to be called.
    package internal(set) var retryDelay: RetryDelay?
    /// Own saves that a fetch has not passed yet: their echo is not delivered.
    package internal(set) var recentSaves = RecentSaves()
    /// The id that the next full fetch gets.
    package internal(set) var nextFullFetchID: UInt64 = 1
    /// The launches of engines whose journal entries this state holds.
    package internal(set) var writers: [WriterCoverage] = []

    package init() {}

    /// True if the state holds what the entry did.
    package func covers(_ entry: IdempotencyKey) -> Bool {
        writers.last { $0.writer == entry.writer }?.covered.contains(entry.number) == true
    }

    /// Whose data a state holds.
    package enum AccountState: Hashable, Sendable {
        /// Nobody's yet: the first account that is seen takes it over, with its pending changes.
        case unidentified
        /// This account's.
        case signedIn(userRecordName: String)
        /// This account's, which is signed out: its pending changes wait.
        case signedOut(userRecordName: String)
    }

    /// What is known of a zone.
    package struct ZoneState: Hashable, Sendable {
        /// Up to where the zone's changes are known; nil before the first page.
        package var token: ServerChangeToken?
        /// True if the server has changes that were not fetched.
        package var hasUnfetchedChanges = false
        /// The change tag of the first record that this engine saved in the zone, if there is one.
        ///
        /// It tells the server which life of the zone the app's records are of.
        package var firstOwnChangeTag: String?
        /// A listing of everything that is not at its end.
        package var fullFetch: FullFetch?
        /// True while the server does not have the zone, and the app has rows of it.
        package var isMissing: Bool { token == nil && !hasUnfetchedChanges && fullFetch != nil }

        package init() {}

        /// True once records of this engine were saved in the zone: a listing from the beginning
        /// must then name deletions too.
        package var hasOwnRecords: Bool { firstOwnChangeTag != nil }
    }

    /// A listing of everything in a zone.
    package struct FullFetch: Hashable, Sendable {
        package var id: UInt64
        package var reason: SyncEvent.FullFetchReason
    }

    /// A send whose outcome is not settled.
    package struct OpenSend: Hashable, Sendable {
        /// Names it on the server too.
        package var key: IdempotencyKey
        /// Its changes in the request's order: saves, then deletions.
        package var changes: [OpenChange]

        package init(key: IdempotencyKey, changes: [OpenChange]) {
            self.key = key
            self.changes = changes
        }
    }

    /// A send of zones whose outcome is not settled.
    ///
    /// Its changes wait in the queue as well.
    package struct OpenZoneSend: Hashable, Sendable {
        /// Names it on the server too.
        package var key: IdempotencyKey
        /// Its changes in the request's order: saves, then deletions.
        package var entries: [PendingZoneChanges.Entry]

        package init(key: IdempotencyKey, entries: [PendingZoneChanges.Entry]) {
            self.key = key
            self.entries = entries
        }
    }

    /// A change in flight.
    package struct OpenChange: Hashable, Sendable {
        package var change: PendingRecordZoneChange
        /// What a saved record is.
        package var recordType: Record.RecordType
        /// Its place in the queue; nil for a change that the app sent without listing it.
        package var taken: PendingQueue.Taken?
        /// True if the app removed it meanwhile: it does not return to the queue.
        package var isWithdrawn = false
    }

    /// What the server asked for, so that it can be restored on another clock.
    package struct RetryDelay: Hashable, Sendable {
        package var until: EngineInstant
        /// How long it was when it began; nothing restored is longer.
        package var length: Duration

        package init(until: EngineInstant, length: Duration) {
            self.until = until
            self.length = length
        }
    }

    /// The journal entries of one launch that this state holds.
    ///
    /// Launches stand in their order, so that of two entries the older one is known.
    package struct WriterCoverage: Hashable, Sendable {
        package var writer: WriterID
        /// Empty for a former launch of which no entry can come again: only its name is needed.
        package var covered = CoveredNumbers()

        package init(writer: WriterID, covered: CoveredNumbers = CoveredNumbers()) {
            self.writer = writer
            self.covered = covered
        }
    }
}

/// Own saves that a fetch has not passed yet, the newest last; at most `countMax`.
package struct RecentSaves: Hashable, Sendable {
    /// An echo that is not recognised does no harm: it is delivered as any other change.
    package static let countMax = 500

    /// A save that the server confirmed.
    package struct Save: Hashable, Sendable {
        package var recordID: Record.ID
        package var changeTag: String
    }

    /// By batch, so that a new one copies no older one, whoever else holds them.
    private var batches: [[Save]] = []

    package init() {}

    package init(saves: [Save]) { batches = saves.isEmpty ? [] : [saves.suffix(Self.countMax)] }

    /// All of them, the oldest first.
    package var saves: [Save] { Array(batches.joined()) }

    package mutating func add(_ new: [Save]) {
        guard !new.isEmpty else { return }
        batches.append(new)
        var count = batches.reduce(0) { $0 + $1.count }
        while count - batches[0].count >= Self.countMax { count -= batches.removeFirst().count }
    }

    /// The tags of all of them: no tag is used twice.
    package var changeTags: Set<String> { Set(saves.map(\.changeTag)) }

    package mutating func removeAll(in zoneID: RecordZone.ID) {
        self = RecentSaves(saves: saves.filter { $0.recordID.zoneID != zoneID })
    }
}

extension RecentSaves {
    /// True if the saves are the same, in whatever batches they came.
    package static func == (left: RecentSaves, right: RecentSaves) -> Bool {
        left.saves.elementsEqual(right.saves)
    }

    package func hash(into hasher: inout Hasher) { for save in saves { hasher.combine(save) } }
}
