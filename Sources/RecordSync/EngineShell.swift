import RecordModel
import SyncCore

/// Performs what the core decides: the only place of the client with a lock, tasks and waits.
///
/// Inputs go in under the mutex, and their effects into one outbox; one drainer performs them in
/// order. The mutex is never held across a call of the delegate, and performing never waits.
final class EngineShell: Sendable {
    let database: any SyncDatabase
    let environment: EngineEnvironment
    let staging: StagingFolder
    let isAutomatic: Bool
    /// Why no call can work; nil if the configuration is sound.
    let refusal: SyncError?
    private let monitor: (any ConditionsMonitor)?
    weak let delegate: (any SyncEngineDelegate)?
    let protected: Guarded<Protected>

    /// What the drainer does, in order.
    enum Duty {
        /// What the core decided.
        case perform(EngineEffect)
        /// Shows observers an event.
        case show(SyncEngine.ObservedEvents.Numbered)
        /// Tells observers that nothing more comes.
        case endObservation
        /// Shows observers a schedule.
        case showSchedule(Schedule)
    }

    /// What the mutex guards.
    struct Protected {
        var core: EngineCore
        var outbox: [Duty] = []
        /// What was done already stands before this place.
        var outboxHead = 0
        var isDraining = false
        var nextCall: UInt64 = 1
        var waiters: [CallID: CheckedContinuation<FlushReturn?, any Error>] = [:]
        var requests: [RequestID: Task<Void, Never>] = [:]
        /// The newest errors that the delegate threw, by event or question.
        var thrown: [(id: UInt64, error: any Error)] = []
        /// What the delegate has in hand.
        var activeDelivery: UInt64?
        /// The earliest instant for which a timer runs.
        var armed: EngineInstant?
        /// The newest timer, and who takes the server's hints: they end with the engine.
        var timer: Task<Void, Never>?
        var listener: Task<Void, Never>?
        /// True once the delegate was gone when it should have been told something.
        var isOrphaned = false
        var observers = EventObservers()
        var scheduleObservers = ScheduleObservers()
        /// Who follows the conditions, and what it heard last.
        var watcher: Task<Void, Never>?
        var conditions = Conditions()
        /// What the app says of itself.
        var isForeground: Bool?
        weak var engine: SyncEngine?

        /// True if whoever asks must drain the outbox: there is something in it, and nobody does.
        mutating func beginDraining() -> Bool {
            guard !isDraining, !outbox.isEmpty else { return false }
            isDraining = true
            return true
        }

        /// The error that an operation's call throws; nil if it returns.
        func error(of outcome: CallOutcome) -> (any Error)? {
            switch outcome {
            case .returned: nil
            case .failed(let error): error
            case .delegateThrew(let id): thrownError(id.number)
            case .delegateThrewAnswering(let id): thrownError(id.number)
            case .flushed(_, let ending): error(of: ending)
            }
        }

        private func thrownError(_ id: UInt64) -> any Error {
            thrown.last { $0.id == id }?.error
                ?? SyncError(.internalError, "the delegate threw an error")
        }
    }

    init(_ configuration: SyncEngine.Configuration) {
        database = configuration.database
        environment = configuration.environment
        delegate = configuration.delegate
        monitor = configuration.conditionsMonitor
        let (state, refusal) = Self.admit(configuration)
        let replayed = configuration.stateSerialization?.replayedWriters ?? []
        self.refusal = refusal
        isAutomatic = configuration.automaticallySync && refusal == nil
        let random = configuration.environment.random
        let writer = WriterID(high: random(), low: random())
        staging = StagingFolder(
            root: configuration.assetFolder,
            name: writer,
            files: configuration.assetFiles
        )
        let core = EngineCore(
            state: state,
            replayedWriters: replayed,
            configuration: EngineConfiguration(
                databaseName: configuration.database.name,
                isAutomatic: isAutomatic,
                createsMissingZones: configuration.createsMissingZones,
                policy: refusal == nil ? configuration.schedulingPolicy : SchedulingPolicy(),
                priority: configuration.priority,
                limits: configuration.database.limits,
                writer: writer,
                seed: random()
            ),
            now: configuration.environment.now()
        )
        protected = Guarded(Protected(core: core))
    }

    deinit {
        let tasks = protected.withLock { [$0.timer, $0.listener, $0.watcher] }
        for task in tasks { task?.cancel() }
    }

    /// The state to begin with, or why there is none.
    private static func admit(
        _ configuration: SyncEngine.Configuration
    ) -> (EngineState, SyncError?) {
        let database = configuration.database
        do throws(SyncError) {
            try configuration.schedulingPolicy.validate()
        } catch {
            return (EngineState(), error)
        }
        guard database.scope != .public else {
            let error = SyncError(
                .badDatabase,
                "the public database \(database.name) has no change feed and cannot be synced"
            )
            return (EngineState(), error)
        }
        guard let state = configuration.stateSerialization?.restoredState() else {
            return (EngineState(), nil)
        }
        guard state.databaseName == nil || state.databaseName == database.name else {
            let error = SyncError(
                .badDatabase,
                "the stored state belongs to \(state.databaseName ?? "nothing"), "
                    + "not to \(database.name): give each engine its own"
            )
            return (state, error)
        }
        return (state, nil)
    }

    /// Begins to work for an engine.
    func start(_ engine: SyncEngine) {
        protected.withLock { $0.engine = engine }
        sweepStaging()
        guard isAutomatic else { return }
        listen()
        armTimer()
        watchConditions(monitor)
    }

    /// Reads the core.
    func read<Value>(_ body: (borrowing EngineCore) -> Value) -> Value {
        protected.withLock { body($0.core) }
    }

    /// Hands the core an input and performs what it decides.
    func handle(_ input: EngineInput) { decide { _ in ((), input) } }

    /// Hands the core the end of a delivery; observers see the event with what follows from it.
    func handle(_ input: EngineInput, endingDeliveryOf handled: HandledEvent) {
        decide(showing: handled) { _ in ((), input) }
    }

    /// Does something in its turn, behind what was decided before.
    func enqueue(_ duty: Duty) {
        let mustDrain = protected.withLock { protected in
            protected.outbox.append(duty)
            return protected.beginDraining()
        }
        if mustDrain { drain() }
    }

    /// Makes a change of the app at once, under a journal entry that it gives back.
    func apply(_ change: (borrowing EngineCore) -> StateChange) -> JournalEntry {
        decide { core in
            let entry = core.prepare(change(core))
            return (entry, .entryApplied(entry, isStored: false))
        }
    }

    /// Makes the journal entry of a change without making the change.
    func prepare(_ change: StateChange) -> JournalEntry {
        protected.withLock { $0.core.prepare(change) }
    }

    private func decide<Value: Sendable>(
        showing handled: HandledEvent? = nil,
        _ input: (inout EngineCore) -> (Value, EngineInput)
    ) -> Value {
        let (value, mustDrain) = protected.withLock { protected in
            let (value, input) = input(&protected.core)
            let now = environment.now()
            let effects = protected.core.handle(input, at: now)
            if let handled { protected.show(handled, at: now) }
            for effect in effects { protected.outbox.append(.perform(effect)) }
            protected.showSchedule(at: now)
            return (value, protected.beginDraining())
        }
        if mustDrain { drain() }
        armTimer()
        return value
    }

    private func drain() {
        while let duty = nextDuty() {
            switch duty {
            case .perform(let effect): perform(effect)
            case .show(let event): show(event)
            case .endObservation:
                endObservation()
                endSchedules()
            case .showSchedule(let schedule): show(schedule)
            }
        }
    }

    private func nextDuty() -> Duty? {
        protected.withLock { protected in
            guard protected.outboxHead < protected.outbox.count else {
                protected.outbox.removeAll(keepingCapacity: true)
                protected.outboxHead = 0
                protected.isDraining = false
                return nil
            }
            defer { protected.outboxHead += 1 }
            return protected.outbox[protected.outboxHead]
        }
    }
}
