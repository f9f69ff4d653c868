import RecordModel

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
    /// True if the zones are listed for the first time.
    var isFirstListing = false
    /// How far the listing of all zones has come, while that goes on.
    var listing = ZoneListing()
    /// True if the list of zones was reset since the present page of it was asked for.
    var isListingReset = false
    /// Watches over the pages of the present listing.
    var pages = PageGuard(since: nil)
    /// True if nothing called for it: it looks whether a notification was lost.
    var isPoll = false
    var repeatedPageCount = 0
    var historyChangeCount = 0

    init(calls: [CallID], reason: SyncReason, options: FetchChangesOptions) {
        self.calls = calls
        self.reason = reason
        self.options = options
        calledOptions = options
    }

    /// A server that comes with another history on each page is not followed for ever.
    var historyError: SyncError? {
        guard historyChangeCount > EngineConfiguration.historyChangeCountMax else { return nil }
        return SyncError(
            .internalError,
            "the server came with another history \(historyChangeCount) times in one fetch"
        )
    }

    /// True if nobody waits for it.
    var isUncalled: Bool { reason == .scheduled && calls.isEmpty }

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
    /// The files of a page. Then `holdingBack`, or `awaitingDelegate`.
    case downloadingAssets(AssetPage)
    /// The answer to a send of records that this page holds too. Then `awaitingDelegate`.
    case holdingBack(FetchedPage, RecordZone.ID)
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

/// A listing of all zones: those it named so far, and where its last page ended.
struct ZoneListing: Sendable {
    var token: ServerChangeToken?
    private(set) var zoneIDs: Set<RecordZone.ID> = []

    mutating func add(_ reply: DatabaseChangesReply) {
        zoneIDs.formUnion(reply.modifications.map(\.zoneID))
        zoneIDs.formUnion(reply.deletions.map(\.zoneID))
    }
}
