package import RecordModel

/// What an engine is told once, when it is made.
package struct EngineConfiguration: Sendable {
    /// Names the database: a state of another one is refused.
    package var databaseName: String
    /// Whether the engine sends and fetches by itself.
    package var isAutomatic: Bool
    /// Whether a save into an unknown zone creates it first.
    package var createsMissingZones: Bool
    /// The scheduler's figures.
    package var policy: SchedulingPolicy
    /// How urgent automatic work is.
    package var priority: SyncPriority
    /// What the server allows.
    package var limits: RequestLimits
    /// Names this launch in idempotency keys; drawn at random by the shell.
    package var writer: WriterID
    /// Feeds the jitter of retries; drawn at random by the shell.
    package var seed: UInt64
    #if PLANTED_BUGS
        /// Mistakes that the engine makes on purpose.
        package var plantedBugs: Set<PlantedBug> = []
    #endif

    /// How long a change of the state may wait for others, when nothing waits for it.
    package static let stateUpdateDelay = Duration.milliseconds(100)
    /// Compacting is advised when this many entries were handed out, and one for each pending
    /// change.
    package static let compactingEntryCountMin = 1000
    /// No server's wish to be left alone counts for longer.
    package static let retryDelayMax = Duration.seconds(24 * 60 * 60)
    /// No flush takes longer.
    package static let flushDurationMax = Duration.seconds(24 * 60 * 60)
    /// Batches of changes that nobody listed, in a row, before a send is given up.
    package static let unlistedBatchCountMax = 100
    /// Failures in a row, while others got through, after which a change is quarantined.
    package static let failureCountMax = 8
    /// The same for a change that fails only along with others of its atomic batch.
    package static let innocentFailureCountMax = 16
    /// No change is quarantined before it failed for this long: a disturbance passes.
    package static let quarantineSpanMin = Duration.seconds(10 * 60)
    /// Failing changes that are counted at once; beyond it the oldest count is forgotten.
    package static let countedFailureCountMax = 1000
    /// Refusals to say what became of a send, before its changes are sent again and compared.
    package static let outcomeRefusalCountMax = 3
    /// Lost answers in one send before it is given up.
    package static let lostAnswerCountMax = 3
    /// Failed sends that are remembered, so that what became of them after all is told.
    package static let rememberedFailureCountMax = 100
    /// Pages without a new token before a fetch is given up.
    package static let stalledPageCountMax = 3
    /// Pages without news in a row before the fetch of a zone is given up, new tokens or not.
    package static let emptyPageCountMax = 100_000
    /// No server's token is longer.
    package static let changeTokenByteCountMax = 4096
    /// Other histories of a server in one fetch before it is given up.
    package static let historyChangeCountMax = 3
    /// No server's change tag, and no name of its history, is longer.
    package static let changeTagByteCountMax = 1024
    /// Zones whose fate is asked for at once; those beyond it count as deleted if they are gone.
    package static let knownZoneCountMax = 10_000
    /// Files on their way at once, for a send or a fetch.
    package static let assetTransferCountMax = 4
    /// Breaks of the way to the server in one file, before its record is told without it.
    package static let assetFailureCountMax = 3
    /// Copying the files of a batch may take so much longer than a request.
    package static let stagingSecondsMax: Int64 = 600
    /// A file may take a second more for each so many bytes before its request counts as lost.
    package static let assetByteCountPerSecondMin: Int64 = 32_000
    /// Pages asked for once more in one fetch, because own sends overtook them.
    package static let repeatedPageCountMax = 100

    package init(
        databaseName: String,
        isAutomatic: Bool = false,
        createsMissingZones: Bool = false,
        policy: SchedulingPolicy = SchedulingPolicy(),
        priority: SyncPriority = .default,
        limits: RequestLimits = .standard,
        writer: WriterID,
        seed: UInt64 = 0
    ) {
        self.databaseName = databaseName
        self.isAutomatic = isAutomatic
        self.createsMissingZones = createsMissingZones
        self.policy = policy
        self.priority = priority
        self.limits = limits
        self.writer = writer
        self.seed = seed
    }
}
