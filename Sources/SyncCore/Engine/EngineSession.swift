import RecordModel

/// What a relaunch forgets: who waits for what, and what is under way.
struct EngineSession: Sendable {
    var now: EngineInstant
    /// Effects of the input being handled.
    var effects: [EngineEffect] = []
    var delegateQueue = DelegateQueue()
    var send = SendLane()
    var fetch = FetchLane()
    /// The number of the next request, event or question.
    var nextID: UInt64 = 1
    /// The number of this launch's next journal entry.
    var nextEntry: UInt64 = 1
    /// Entries that the app has neither applied nor discarded.
    var preparedNumbers: Set<UInt64> = []
    /// Entries since the last state update that was handled.
    var newEntries = JournalEntries()
    /// Entries handed out since compacting was last advised.
    var entryCountSinceAdvice = 0
    /// The launches of which entries were replayed; nil once a snapshot of this one was handled.
    var replayedWriters: Set<WriterID>? = []
    /// Counts durable changes: tells whether the delegate has the newest state.
    var stateVersion: UInt64 = 0
    /// The newest version that the delegate has handled.
    var storedVersion: UInt64 = 0
    /// When a state update must leave that nothing waits for.
    var stateUpdateDue: EngineInstant?
    /// True once the server confirmed, in this launch, whose account this is.
    var isAccountVerified = false
    /// The question to the server who is signed in.
    var accountRequest: RequestID?
    /// The account whose sign-in the delegate is being told of; the state names it afterwards.
    var announcedAccount: String?
    /// What the server said meanwhile, if it was somebody else.
    var laterSighting: AccountSighting?
    /// The first journal entry of the present account's time: only its sends have echoes.
    var firstEntryOfAccount: UInt64 = 1
    /// The question to the server what became of an open send of earlier.
    var settling: (request: RequestID, key: IdempotencyKey)?
    /// Children that wait, by the parent they wait for.
    var children: [Record.ID: Set<Record.ID>] = [:]
    /// Records sent once more to a server that cannot say what became of the first send.
    var resent: Set<Record.ID> = []
    /// Zones that this launch made sure of.
    var ensuredZones: Set<RecordZone.ID> = []
    /// What a batch may hold now; smaller after the server refused one as too large.
    var limits: RequestLimits
    var automatic = AutomaticSync()
    var generator: SplitMix64

    init(configuration: EngineConfiguration, now: EngineInstant) {
        self.now = now
        limits = configuration.limits
        generator = SplitMix64(seed: configuration.seed)
    }
}

/// Sends: one at a time, the others wait.
struct SendLane: Sendable {
    var waiting: [SendOperation] = []
    var current: SendOperation?
    var phase = SendPhase.idle

    var isConcluding: Bool {
        if case .awaitingDelegate(.conclusion) = phase { true } else { false }
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
    /// Records that failed in this send because they are too large: they wait for the next one.
    var tooLargeIDs: Set<Record.ID> = []
    /// How far the walk over the queue has come.
    var walk = WalkPosition()
    /// What the app put off in this send.
    var postponed: [PendingRecordZoneChange] = []
    var postponedIDs: Set<Record.ID> = []
    /// Parts of a batch that was too large; their changes stay in flight under its key.
    var parts: [BatchInFlight] = []
    var unlistedBatchCount = 0
    var lostAnswerCount = 0
    /// True if the untracked flag was set since the last question for a batch.
    var isUntrackedFlagNew = false
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
    /// The server's answer to changes of zones.
    case sendingZones(RequestID, [PendingZoneChanges.Entry])
    /// The delegate's batch. Then `storingMark`, or the end.
    case askingForBatch(QuestionID)
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
    case zones
    /// What became of a batch.
    case batch(IdempotencyKey)
    /// `didSendChanges`, then the last state update.
    case conclusion
}

/// Which event of a fetch the delegate has, or gets next.
enum FetchStep: Hashable, Sendable {
    /// `willFetchChanges`.
    case announcement
    /// A page of changed zones.
    case databasePage
    /// The beginning of a zone.
    case zoneAnnouncement(RecordZone.ID)
    /// A page of a zone.
    case zonePage(RecordZone.ID)
    /// The end of a zone.
    case zoneConclusion(RecordZone.ID)
    /// `didFetchChanges`, then the last state update.
    case conclusion
}

/// A batch under its key.
struct BatchInFlight: Sendable {
    var key: IdempotencyKey
    var batch: RecordZoneChangeBatch
    /// Where the walk stood before it took this batch.
    var walkBefore: WalkPosition
}

/// Fetches: one at a time, the others wait.
struct FetchLane: Sendable {
    var waiting: [FetchOperation] = []
    var current: FetchOperation?
    var phase = FetchPhase.idle
    /// What own sends confirmed since the present page was asked for.
    var confirmed: Set<Record.ID> = []

    var isConcluding: Bool {
        if case .awaitingDelegate(.conclusion) = phase { true } else { false }
    }
}

/// A fetch, from its call to its end.
struct FetchOperation: Sendable {
    var calls: [CallID]
    let reason: SyncReason
    var options: FetchChangesOptions
    let calledOptions: FetchChangesOptions
    var ending = OperationEnding()
    /// True once `willFetchChanges` was queued: `didFetchChanges` is owed.
    var isAnnounced = false
    /// Zones that this fetch is done with: fetched, or failed.
    var visitedZones: Set<RecordZone.ID> = []
    /// The zone whose `will…` was queued and whose `did…` is owed.
    var openZone: (id: RecordZone.ID, kind: SyncEvent.FetchKind)?
    /// Tokens that expired in this fetch: a second time is an error.
    var restartedZones: Set<RecordZone.ID> = []
    var hasRestartedDatabase = false
    var stalledPageCount = 0
    var repeatedPageCount = 0

    init(calls: [CallID], reason: SyncReason, options: FetchChangesOptions) {
        self.calls = calls
        self.reason = reason
        self.options = options
        calledOptions = options
    }

    var context: FetchChangesContext {
        FetchChangesContext(reason: reason, options: calledOptions)
    }
}

/// What a fetch waits for.
enum FetchPhase: Sendable {
    /// Nothing; a new fetch can begin.
    case idle
    /// The server's word who is signed in. Then `awaitingSettlement`.
    case awaitingAccount
    /// The outcome of sends of earlier. Then `awaitingDelegate`.
    case awaitingSettlement
    /// The delegate's return from an event of this fetch.
    case awaitingDelegate(FetchStep)
    /// A page of changed zones.
    case fetchingDatabase(RequestID)
    /// The delegate's word which zones come first.
    case askingOptions(QuestionID)
    /// A page of a zone's changes.
    case fetchingZone(RequestID, RecordZone.ID)
    /// The answer to a send of records that this page holds too. Then `awaitingDelegate`.
    case holdingBack(ZoneChangesReply, RecordZone.ID)
}

/// How an operation will end, as far as it is known.
struct OperationEnding: Sendable {
    /// Why it stopped before its end.
    var error: SyncError?
    /// Items that failed; the operation went on.
    var itemErrors = OrderedTable<SyncError.ItemID, SyncError>()
    /// The delegate threw; the operation goes on where it can.
    var delegateFailure: CallOutcome?
    /// The delegate threw where there is nothing to go on with.
    var isBroken = false
    /// It was cancelled.
    var isCancelled = false

    var outcome: CallOutcome {
        if let delegateFailure { return delegateFailure }
        if let error { return .failed(error) }
        if isCancelled {
            return .failed(SyncError(.operationCancelled, "the operation was cancelled"))
        }
        guard !itemErrors.isEmpty else { return .returned }
        var errors: [SyncError.ItemID: SyncError] = [:]
        for (item, error) in itemErrors.pairs { errors[item] = error }
        let first = itemErrors.first.map { ", first \($0.key): \($0.value)" } ?? ""
        return .failed(.partialFailure(errors, "\(itemErrors.count) items failed\(first)"))
    }

    var mustStop: Bool { error != nil || isCancelled || isBroken }

    /// What a zone is told that the operation did not come to.
    var reasonToStop: SyncError {
        error ?? SyncError(.operationCancelled, "the fetch ended before it came to the zone's end")
    }
}

/// Who the server says is signed in.
enum AccountSighting: Hashable, Sendable {
    case account(userRecordName: String)
    case nobody
}

/// When the engine acts by itself.
struct AutomaticSync: Sendable {
    var sendDue: EngineInstant?
    var fetchDue: EngineInstant?
    /// True if a trigger came while a send ran, so that one more follows it; fetches likewise.
    var isSendRemembered = false
    var isFetchRemembered = false
    /// Scheduled sends in a row that failed; fetches likewise.
    var failedSendCount = 0
    var failedFetchCount = 0
    /// Sends in a row that moved nothing although something waits.
    var idleSendCount = 0
    /// True while there is no account to sync with.
    var isAsleep = false
}
