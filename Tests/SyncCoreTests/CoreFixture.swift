import RecordModel
import SyncCore

let notes = RecordZone.ID(zoneName: "notes")
let tasks = RecordZone.ID(zoneName: "tasks")
let writer = WriterID(high: 1, low: 2)

/// Names a record of the zone that most tests use.
func note(_ name: String, in zoneID: RecordZone.ID = notes) -> Record.ID {
    Record.ID(recordName: name, zoneID: zoneID)
}

/// An engine's core with an app's records, a server and a clock around it.
///
/// `handle` moves the core by one input and gives the effects. What they ask for stays in `hand`,
/// `requests` and `ended` until a verb answers it, or until `run` lets app and server answer all.
struct CoreFixture {
    /// What the delegate has in hand.
    enum Hand {
        case empty
        case event(EventID, SyncEvent)
        case batch(QuestionID, SendChangesContext)
        case fetchOptions(QuestionID, FetchChangesContext)
    }

    var core: EngineCore
    var server: ScriptedServer
    var now: EngineInstant
    let configuration: EngineConfiguration
    /// What the app has: an edit of a record that is not here makes one.
    var records: [Record.ID: Record] = [:]
    /// How the app answers for a record, where that is not its record or `.gone`.
    var answers: [Record.ID: RecordProviderAnswer] = [:]
    /// True if the app answers every question for a batch with nil.
    var isSilent = false
    /// True if the app's batches are atomic.
    var isAtomic = false
    /// What the app does in an event; true if it throws.
    var onEvent: @Sendable (inout CoreFixture, SyncEvent) -> Bool = { _, _ in false }

    var hand = Hand.empty
    /// Requests that wait for the server, in order.
    var requests: [EngineEffect] = []
    /// Folders of staged files that were not given up.
    var folders: [AssetFolderID] = []
    /// How calls ended.
    var ended: [CallID: CallOutcome] = [:]
    /// Every effect so far, in words.
    var transcript: [String] = []
    /// Every event that was handled without an error.
    var events: [SyncEvent] = []
    /// Every state that the delegate took, with the app's records of that moment.
    var stored: [(state: StateSerialization, records: [Record.ID: Record])] = []
    /// The app's records as the newest state left the core: it knows of no later edit.
    var recordsOfState: [Record.ID: Record] = [:]
    /// The records that the app was asked for, in order.
    var asked: [Record.ID] = []
    /// The faults that `check` found.
    var faults: [String] = []
    private var nextCall: UInt64 = 1
    /// The state that the launch began with.
    private let launchState: EngineState?

    /// Makes a device; `isSignedIn` says that its state knows the account already.
    init(
        state: StateSerialization? = nil,
        server: ScriptedServer = ScriptedServer(),
        isSignedIn: Bool = true,
        isAutomatic: Bool = false,
        createsMissingZones: Bool = false,
        policy: SchedulingPolicy = SchedulingPolicy(),
        limits: RequestLimits = .standard,
        writer: WriterID = writer,
        seed: UInt64 = 0,
        now: EngineInstant = .start
    ) {
        configuration = EngineConfiguration(
            databaseName: "memory/private",
            isAutomatic: isAutomatic,
            createsMissingZones: createsMissingZones,
            policy: policy,
            limits: limits,
            writer: writer,
            seed: seed
        )
        self.server = server
        self.now = now
        launchState = state?.state
        core = EngineCore(
            state: state?.restoredState() ?? EngineState(),
            configuration: configuration,
            now: now
        )
        if isSignedIn, state == nil { signIn() }
    }

    /// Lets the engine hear of its account, by a send of nothing; no trace of it stays.
    private mutating func signIn() {
        callSend()
        run()
        transcript = []
        events = []
        stored = []
        ended = [:]
    }

    /// A device that goes on from a stored state: the newest, unless another is given.
    func relaunched(
        from stored: (state: StateSerialization, records: [Record.ID: Record])? = nil,
        isAutomatic: Bool = false,
        after duration: Duration = .seconds(1)
    ) -> CoreFixture {
        let source = stored ?? self.stored.last
        var device = CoreFixture(
            state: source?.state,
            server: server,
            isSignedIn: false,
            isAutomatic: isAutomatic,
            createsMissingZones: configuration.createsMissingZones,
            limits: configuration.limits,
            writer: WriterID(
                high: configuration.writer.high + 1,
                low: configuration.writer.low
            ),
            seed: configuration.seed,
            now: EngineInstant(
                monotonic: .zero,
                wall: now.advanced(by: duration).wall
            )
        )
        device.records = source?.records ?? [:]
        device.onEvent = onEvent
        device.isAtomic = isAtomic
        return device
    }

    /// Moves the core by one input.
    @discardableResult
    mutating func handle(_ input: EngineInput) -> [EngineEffect] {
        let effects = core.handle(input, at: now)
        for effect in effects { take(effect) }
        return effects
    }

    /// Takes in what the core wants done.
    mutating func take(_ effect: EngineEffect) {
        transcript.append("\(effect)")
        switch effect {
        case .askAccount, .fetchDatabaseChanges, .fetchZoneChanges, .askOutcome:
            requests.append(effect)
        case .modifyZones(_, let request, _):
            checkMark(request.idempotencyKey) { $0.openZoneSends.map(\.key) }
            requests.append(effect)
        case .modifyRecords(_, let request, _):
            checkMark(request.idempotencyKey) { $0.openSends.map(\.key) }
            requests.append(effect)
        case .asset(.discard(let folder)): folders.removeAll { $0 == folder }
        case .asset(let asset):
            if let folder = asset.folder, !folders.contains(folder) { folders.append(folder) }
            requests.append(effect)
        case .cancelRequest(let id):
            requests.removeAll { $0.requestID == id }
        case .deliver(let id, let event):
            if case .stateUpdate = event { recordsOfState = records }
            fill(.event(id, event))
        case .requestBatch(let id, let context): fill(.batch(id, context))
        case .requestFetchOptions(let id, let context): fill(.fetchOptions(id, context))
        case .endCall(let call, let outcome): ended[call] = outcome
        }
    }

    private mutating func fill(_ new: Hand) {
        // One thing at a time (P3).
        if case .empty = hand {} else { faults.append("two things in the delegate's hands") }
        hand = new
    }

    /// A request leaves only after a state that holds its mark was taken (P9).
    private mutating func checkMark(
        _ key: IdempotencyKey?,
        among openKeys: (EngineState) -> [IdempotencyKey]
    ) {
        let keys = stored.last.map { openKeys($0.state.state) } ?? openKeysAtLaunch(openKeys)
        if key.map(keys.contains) != true {
            faults.append("\(key as Any) was sent before its mark was stored")
        }
    }

    private func openKeysAtLaunch(
        _ openKeys: (EngineState) -> [IdempotencyKey]
    ) -> [IdempotencyKey] { launchState.map(openKeys) ?? [] }

    mutating func makeCall() -> CallID {
        defer { nextCall += 1 }
        return CallID(nextCall)
    }
}

extension EngineInstant {
    static let start = EngineInstant(
        monotonic: .zero,
        wall: Timestamp(millisecondsSince1970: 1_000_000)
    )
}

extension EngineEffect {
    /// The request that the effect makes of the server; nil if it makes none.
    var requestID: RequestID? {
        switch self {
        case .askAccount(let id), .fetchDatabaseChanges(let id, _, _),
            .fetchZoneChanges(let id, _, _), .modifyZones(let id, _, _),
            .modifyRecords(let id, _, _), .askOutcome(let id, _, _):
            id
        case .asset(let asset): asset.requestID
        case .cancelRequest, .deliver, .requestBatch, .requestFetchOptions, .endCall:
            nil
        }
    }
}

extension AssetEffect {
    /// The folder that it writes into.
    var folder: AssetFolderID? {
        switch self {
        case .stage(_, _, let folder), .download(_, _, let folder, _): folder
        case .askMissing, .upload, .discard: nil
        }
    }
}
