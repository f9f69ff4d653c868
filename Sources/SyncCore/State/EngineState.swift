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
        ///
        /// The list is the journal entry's own, and costs no copy.
        package private(set) var changes: [StateChange.OpenedChange] = []
        /// Where each of them returns to if it is not confirmed.
        package private(set) var returns: [Return] = []

        package init(key: IdempotencyKey) { self.key = key }

        package init(
            key: IdempotencyKey,
            changes: [StateChange.OpenedChange],
            returns: [Return]
        ) {
            precondition(changes.count == returns.count, "each change has its place")
            self.key = key
            self.changes = changes
            self.returns = returns
        }

        package mutating func append(_ change: StateChange.OpenedChange, _ place: Return) {
            changes.append(change)
            returns.append(place)
        }

        package mutating func setReturn(of position: Int, to place: Return) {
            returns[position] = place
        }

        /// Some of its changes, as a send of their own.
        package func filtered(
            under key: IdempotencyKey,
            _ isIncluded: (PendingRecordZoneChange) -> Bool
        ) -> OpenSend {
            var send = OpenSend(key: key)
            for position in changes.indices where isIncluded(changes[position].change) {
                send.append(changes[position], returns[position])
            }
            return send
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

    /// Where a change in flight returns to if it is not confirmed.
    package enum Return: Hashable, Sendable {
        /// To its old place in the queue.
        case oldPlace(PendingQueue.Taken)
        /// To the queue's end: the app sent it without listing it.
        case end
        /// Nowhere: the app removed it meanwhile.
        case nowhere

        /// Where it would stand among the pending changes; nil if it does not return.
        var sequence: UInt64? {
            switch self {
            case .oldPlace(let taken): taken.sequence
            case .end: .max
            case .nowhere: nil
            }
        }
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

    /// A send that is settled, with what became of each change: the lists of its journal entries.
    struct Batch: Sendable {
        let changes: [StateChange.OpenedChange]
        let dispositions: [StateChange.Disposition]

        /// The tag that a change got; nil for one that is no confirmed save.
        func changeTag(of position: Int) -> String? {
            guard position < dispositions.count,
                case .confirmed(let changeTag) = dispositions[position]
            else { return nil }
            return changeTag
        }
    }

    /// By batch, so that a new one copies no older one, whoever else holds them.
    private var batches: [Batch] = []

    package init() {}

    package init(saves: [Save]) {
        guard !saves.isEmpty else { return }
        let kept = saves.suffix(Self.countMax)
        batches = [
            Batch(
                changes: kept.map {
                    .init(change: .saveRecord($0.recordID), recordType: "", entry: nil)
                },
                dispositions: kept.map { .confirmed(changeTag: $0.changeTag) }
            )
        ]
    }

    /// All of them, the oldest first.
    package var saves: [Save] {
        batches.flatMap { batch in
            batch.changes.indices.compactMap { position in
                batch.changeTag(of: position).map {
                    Save(recordID: batch.changes[position].change.recordID, changeTag: $0)
                }
            }
        }
    }

    mutating func add(_ new: Batch) {
        guard new.dispositions.indices.contains(where: { new.changeTag(of: $0) != nil }) else {
            return
        }
        batches.append(new)
        var count = batches.reduce(0) { $0 + $1.changes.count }
        while count - batches[0].changes.count >= Self.countMax {
            count -= batches.removeFirst().changes.count
        }
    }

    /// The tags of all of them: no tag is used twice.
    package var changeTags: Set<String> { Set(saves.map(\.changeTag)) }

    package mutating func removeAll(in zoneID: RecordZone.ID) {
        self = RecentSaves(saves: saves.filter { $0.recordID.zoneID != zoneID })
    }
}

extension EngineState.OpenSend {
    // The entry that a change came from is known only to the launch that sends it.

    /// True if both send the same changes under the same key.
    package static func == (left: EngineState.OpenSend, right: EngineState.OpenSend) -> Bool {
        left.key == right.key && left.returns == right.returns
            && left.changes.elementsEqual(right.changes) {
                $0.change == $1.change && $0.recordType == $1.recordType
            }
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(key)
        hasher.combine(returns)
    }
}

extension RecentSaves {
    /// True if the saves are the same, in whatever batches they came.
    package static func == (left: RecentSaves, right: RecentSaves) -> Bool {
        left.saves.elementsEqual(right.saves)
    }

    package func hash(into hasher: inout Hasher) { for save in saves { hasher.combine(save) } }
}
