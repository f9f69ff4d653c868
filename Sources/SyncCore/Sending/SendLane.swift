import RecordModel

/// Sends: one at a time, the others wait.
struct SendLane: Sendable {
    var waiting: [SendOperation] = []
    var current: SendOperation?
    var phase = SendPhase.idle

    var isConcluding: Bool {
        if case .awaitingDelegate(.conclusion) = phase { true } else { false }
    }

    /// True while a batch is being made, or its files are: what is added may come too late for it.
    var isBatchOpen: Bool {
        switch phase {
        case .askingForBatch, .preparingAssets: true
        case .idle, .awaitingAccount, .awaitingSettlement, .awaitingDelegate, .storingZonesMark,
            .sendingZones, .askingZonesOutcome, .storingMark, .sendingBatch, .askingOutcome:
            false
        }
    }

    /// The send of zones that the present send is dealing with.
    var zoneKey: IdempotencyKey? {
        switch phase {
        case .storingZonesMark(let key), .sendingZones(_, let key),
            .askingZonesOutcome(_, let key), .awaitingDelegate(.zones(let key)):
            key
        case .idle, .awaitingAccount, .awaitingSettlement, .awaitingDelegate, .askingForBatch,
            .preparingAssets, .storingMark, .sendingBatch, .askingOutcome:
            nil
        }
    }
}

/// A send, from its call to its end.
struct SendOperation: Sendable {
    var calls: [CallID]
    let reason: SyncReason
    let options: SendChangesOptions
    var ending = OperationEnding()
    /// True once `willSendChanges` was queued: `didSendChanges` is owed.
    var isAnnounced = false
    /// Zones that failed in this send: changes of their records wait for the next one.
    var failedZones: [RecordZone.ID] = []
    /// Zones whose own change failed in this send: they wait too.
    ///
    /// A zone of which only records failed may be saved in this send: that is how a handler mends
    /// them.
    var unsavedZones: Set<RecordZone.ID> = []
    /// Records that failed in this send for what they are, too large or with a file that cannot be
    /// sent: they wait for the next one.
    var unfitIDs: Set<Record.ID> = []
    /// Records that wait for a network that costs nothing, since they carry assets.
    var assetIDs: Set<Record.ID> = []
    /// How far the walk over the queue has come.
    var walk = WalkPosition()
    /// The sequence number that the next change had when the app was asked for a batch: what was
    /// added since goes into the next one.
    var walkEnd = UInt64.max
    /// True if the app was asked once more because of what it added in answering with no batch.
    var isAskedOnceMore = false
    /// Records that became more urgent since the app was asked for a batch: they go into the next.
    var raisedIDs: Set<Record.ID> = []
    /// What the app put off in this send.
    var postponed: [PendingRecordZoneChange] = []
    var postponedIDs: Set<Record.ID> = []
    /// Parts of a batch that was too large; their changes stay in flight under its key.
    var parts: [BatchInFlight] = []
    /// When this send, if it is a flush, returns to its caller.
    var flushDeadline: EngineInstant?
    /// True if only changes of zones go out: the first step of a launch.
    var isZonesOnly = false
    /// Less urgent changes are left to a later send, since the conditions are poor.
    var floor = SyncPriority.background
    /// Batches that left.
    var sentBatchCount = 0
    var unlistedBatchCount = 0
    var lostAnswerCount = 0
    /// True if the untracked flag was set since the last question for a batch.
    var isUntrackedFlagNew = false
    /// What the app asked for since the last question for a batch: the batch may hold an older
    /// version of it.
    var addedMeanwhile: Set<PendingRecordZoneChange> = []
    /// True once something left the queue or was parked.
    var hasMoved = false

    init(calls: [CallID], reason: SyncReason, options: SendChangesOptions) {
        self.calls = calls
        self.reason = reason
        self.options = options
    }

    var context: SendChangesContext {
        SendChangesContext(reason: reason, options: options, source: nil)
    }
}

/// What a send waits for.
enum SendPhase: Sendable {
    /// Nothing; a new send can begin.
    case idle
    /// The server's word who is signed in. Then `awaitingSettlement`.
    case awaitingAccount
    /// The outcome of sends of earlier. Then `awaitingDelegate`.
    case awaitingSettlement
    /// The delegate's return from an event of this send.
    case awaitingDelegate(SendStep)
    /// The delegate's return from the state update with the mark of changes of zones. Then
    /// `sendingZones`.
    case storingZonesMark(IdempotencyKey)
    /// The server's answer to changes of zones.
    case sendingZones(RequestID, IdempotencyKey)
    /// The server's word what became of changes of zones that the app has taken back since. Then
    /// `sendingZones`, for the answer to what was done, or the next step.
    case askingZonesOutcome(RequestID, IdempotencyKey)
    /// The delegate's batch. Then `preparingAssets`, `storingMark`, or the end.
    case askingForBatch(QuestionID)
    /// The copies of a batch's files, and the server's word that it has them. Then `storingMark`.
    case preparingAssets(AssetSend)
    /// The delegate's return from the state update with the in-flight mark. Then `sendingBatch`.
    case storingMark(BatchInFlight)
    /// The server's answer to a batch. Then `awaitingDelegate`, or `askingOutcome`.
    case sendingBatch(RequestID, BatchInFlight)
    /// The server's word what became of a batch whose answer was lost.
    case askingOutcome(RequestID, BatchInFlight, lost: SyncError)
}

/// Which event of a send the delegate has, or gets next.
enum SendStep: Hashable, Sendable {
    /// `willSendChanges`.
    case announcement
    /// What became of zones.
    case zones(IdempotencyKey)
    /// What became of a batch.
    case batch(IdempotencyKey)
    /// `didSendChanges`, then the last state update.
    case conclusion
}

/// A batch under its key.
struct BatchInFlight: Sendable {
    var key: IdempotencyKey
    var batch: RecordZoneChangeBatch
    /// Where the walk stood before it took this batch.
    var walkBefore: WalkPosition
}
