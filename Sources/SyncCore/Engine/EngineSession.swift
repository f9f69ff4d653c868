import RecordModel

/// What a relaunch forgets: who waits for what, and what is under way.
struct EngineSession: Sendable {
    var now: EngineInstant
    /// Effects of the input being handled.
    var effects: [EngineEffect] = []
    var delegateQueue = DelegateQueue()
    var send = SendLane()
    var fetch = FetchLane()
    /// What the newest operations have done.
    var progress = OperationProgress()
    /// When flushes that have not returned must do so.
    var flushDeadlines: [CallID: EngineInstant] = [:]
    /// The number of the next request, event or question.
    var nextID: UInt64 = 1
    /// The number of this launch's next journal entry.
    var nextEntry: UInt64 = 1
    /// Entries that the app has neither applied nor discarded.
    var preparedNumbers = CoveredNumbers()
    /// Entries of others that the app has applied in this launch.
    var foreignEntries: [EngineState.WriterCoverage] = []
    /// True while nothing that the app has stored names the database.
    var namesDatabase = false
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
    /// The first id of a full fetch that this launch may give; older ones were told before.
    var firstFullFetchID: UInt64 = 1
    /// The first journal entry of the present account's time: only its sends have echoes.
    var firstEntryOfAccount: UInt64 = 1
    /// The question to the server what became of an open send of earlier.
    var settling: (request: RequestID, key: IdempotencyKey)?
    /// Folders of files that are in use, and transfers under way.
    var folders: [AssetFolderID] = []
    var assetRequests: [RequestID] = []
    var nextFolder: UInt64 = 1
    /// How often the way to the server broke in a file, by its checksum.
    var failedDownloads: [[UInt8]: Int] = [:]
    /// Children that wait, by the parent they wait for.
    var children: [Record.ID: Set<Record.ID>] = [:]
    /// The newest sends that failed as a whole: the server may have taken one all the same, and
    /// then what a fetch tells of it is news.
    var failedSends: [IdempotencyKey] = []
    /// Records sent once more to a server that cannot say what became of the first send.
    var resent: Set<Record.ID> = []
    /// How often changes failed that are pending again.
    var failureCounts = FailureCounts()
    /// Until when the server asked to leave single zones alone.
    var zoneDelays = ZoneDelays()
    /// How often the server refused to say what became of a send that is still open.
    var outcomeRefusalCounts: [IdempotencyKey: Int] = [:]
    /// Zones that this launch deleted and has not saved since: a fetch will tell of them.
    var deletedZones: Set<RecordZone.ID> = []
    /// Zones that this launch made sure of.
    var ensuredZones: Set<RecordZone.ID> = []
    /// What a batch may hold now; smaller after the server refused one as too large.
    var limits: RequestLimits
    /// When the engine acts by itself.
    var scheduler: SchedulerState
    var generator: SplitMix64

    init(configuration: EngineConfiguration, now: EngineInstant) {
        self.now = now
        limits = configuration.limits
        scheduler = SchedulerState(policy: configuration.policy, now: now)
        scheduler.situation.priority = configuration.priority
        generator = SplitMix64(seed: configuration.seed)
    }
}
