import RecordModel
import SyncCore

/// Performs what the core decides: the only place of the client with a lock, tasks and waits.
///
/// Inputs go in under the mutex, and their effects into one outbox; one drainer performs them in
/// order. The mutex is never held across a call of the delegate.
final class EngineShell: Sendable {
    let database: any SyncDatabase
    let environment: EngineEnvironment
    private let isAutomatic: Bool
    /// Why no call can work; nil if the configuration is sound.
    private let refusal: SyncError?
    private weak let delegate: (any SyncEngineDelegate)?
    private let protected: Guarded<Protected>

    /// What the mutex guards.
    private struct Protected {
        var core: EngineCore
        var outbox: [EngineEffect] = []
        /// The effects that were performed already stand before this place.
        var outboxHead = 0
        var isDraining = false
        var nextCall: UInt64 = 1
        var waiters: [CallID: CheckedContinuation<Void, any Error>] = [:]
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
        weak var engine: SyncEngine?

        /// The error that an operation's call throws; nil if it returns.
        func error(of outcome: CallOutcome) -> (any Error)? {
            switch outcome {
            case .returned: nil
            case .failed(let error): error
            case .delegateThrew(let id): thrownError(id.number)
            case .delegateThrewAnswering(let id): thrownError(id.number)
            }
        }

        private func thrownError(_ id: UInt64) -> any Error {
            thrown.last { $0.id == id }?.error
                ?? SyncError(.internalError, "the delegate threw an error")
        }
    }

    private static let thrownCountMax = 16

    /// Set in every task that runs a method of the delegate.
    @TaskLocal private static var delivery: Delivery?

    /// Names one call of a delegate.
    private struct Delivery: Sendable {
        let engine: ObjectIdentifier
        let number: UInt64
    }

    init(_ configuration: SyncEngine.Configuration) {
        database = configuration.database
        environment = configuration.environment
        delegate = configuration.delegate
        let (state, refusal) = Self.admit(configuration)
        let replayed = configuration.stateSerialization?.replayedWriters ?? []
        self.refusal = refusal
        isAutomatic = configuration.automaticallySync && refusal == nil
        let random = configuration.environment.random
        let core = EngineCore(
            state: state,
            replayedWriters: replayed,
            configuration: EngineConfiguration(
                databaseName: configuration.database.name,
                isAutomatic: isAutomatic,
                createsMissingZones: configuration.createsMissingZones,
                limits: configuration.database.limits,
                writer: WriterID(high: random(), low: random()),
                seed: random()
            ),
            now: configuration.environment.now()
        )
        protected = Guarded(Protected(core: core))
    }

    deinit {
        let tasks = protected.withLock { [$0.timer, $0.listener] }
        for task in tasks { task?.cancel() }
    }

    /// The state to begin with, or why there is none.
    private static func admit(
        _ configuration: SyncEngine.Configuration
    ) -> (EngineState, SyncError?) {
        let database = configuration.database
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
        guard isAutomatic else { return }
        listen()
        armTimer()
    }

    /// Reads the core.
    func read<Value>(_ body: (borrowing EngineCore) -> Value) -> Value {
        protected.withLock { body($0.core) }
    }

    /// Hands the core an input and performs what it decides.
    func handle(_ input: EngineInput) { decide { _ in input } }

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

    private func decide(_ input: (inout EngineCore) -> EngineInput) {
        decide { core in ((), input(&core)) }
    }

    private func decide<Value: Sendable>(
        _ input: (inout EngineCore) -> (Value, EngineInput)
    ) -> Value {
        let (value, mustDrain) = protected.withLock { protected in
            let (value, input) = input(&protected.core)
            let effects = protected.core.handle(input, at: environment.now())
            protected.outbox += effects
            guard !protected.isDraining, !protected.outbox.isEmpty else { return (value, false) }
            protected.isDraining = true
            return (value, true)
        }
        if mustDrain { drain() }
        armTimer()
        return value
    }

    private func drain() {
        while let effect = nextEffect() { perform(effect) }
    }

    private func nextEffect() -> EngineEffect? {
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

// Calls of the app that wait.

extension EngineShell {
    /// Makes an operation of a call, and waits for its end.
    func call(_ name: String, _ input: @escaping (CallID) -> EngineInput) async throws {
        if let refusal { throw refusal }
        if let error = reentrancyError(name) { throw error }
        let call = protected.withLock { protected in
            defer { protected.nextCall += 1 }
            return CallID(protected.nextCall)
        }
        if Task.isCancelled { throw Self.cancelled }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                guard addWaiter(continuation, of: call) else {
                    return continuation.resume(throwing: Self.orphaned)
                }
                handle(input(call))
                // The task may have been cancelled before there was anything to cancel.
                if Task.isCancelled { handle(.callAbandoned(call)) }
            }
        } onCancel: {
            handle(.callAbandoned(call))
        }
    }

    private static let cancelled = SyncError(
        .operationCancelled,
        "the task that called was cancelled"
    )

    private static let orphaned = SyncError(
        .operationCancelled,
        "the delegate is gone, and an engine needs one: keep it as long as the engine"
    )

    /// False if nothing moves any more, so that nobody may wait.
    private func addWaiter(
        _ continuation: CheckedContinuation<Void, any Error>,
        of call: CallID
    ) -> Bool {
        protected.withLock { protected in
            guard !protected.isOrphaned else { return false }
            protected.waiters[call] = continuation
            return true
        }
    }

    /// Without an app there is nobody to tell: nothing advances, and nobody waits for it.
    private func endCallsOfOrphan() {
        let waiters = protected.withLock { protected in
            protected.isOrphaned = true
            defer { protected.waiters = [:] }
            return protected.waiters.map(\.value)
        }
        for waiter in waiters { waiter.resume(throwing: Self.orphaned) }
    }

    /// A call that would wait for the delivery it is made from can never return.
    private func reentrancyError(_ name: String) -> SyncError? {
        guard let delivery = Self.delivery, delivery.engine == ObjectIdentifier(self) else {
            return nil
        }
        guard protected.withLock({ $0.activeDelivery == delivery.number }) else { return nil }
        return SyncError(
            .invalidArguments,
            "\(name) was awaited inside a method of the delegate, for whose return it would wait: "
                + "call it after the method has returned"
        )
    }

    private func endCall(_ call: CallID, _ outcome: CallOutcome) {
        let (waiter, error) = protected.withLock { protected in
            (protected.waiters.removeValue(forKey: call), protected.error(of: outcome))
        }
        if let error {
            waiter?.resume(throwing: error)
        } else {
            waiter?.resume()
        }
    }
}

// What the core decided.

extension EngineShell {
    private func perform(_ effect: EngineEffect) {
        switch effect {
        case .askAccount(let id):
            request(id) { database in .accountStatusReceived(id, await account(database)) }
        case .fetchDatabaseChanges(let id, let request, let account):
            self.request(id) { database in
                .databaseChangesFetched(
                    id,
                    await result { () async throws(SyncError) in
                        try await database.databaseChanges(request, account: account)
                    }
                )
            }
        case .fetchZoneChanges(let id, let request, let account):
            self.request(id) { database in
                .zoneChangesFetched(
                    id,
                    await result { () async throws(SyncError) in
                        try await database.zoneChanges(request, account: account)
                    }
                )
            }
        case .modifyZones(let id, let request, let account):
            self.request(id) { database in
                .zonesModified(
                    id,
                    await result { () async throws(SyncError) in
                        try await database.modifyZones(request, account: account)
                    }
                )
            }
        case .modifyRecords(let id, let request, let account):
            self.request(id) { database in
                .recordsModified(
                    id,
                    await result { () async throws(SyncError) in
                        try await database.modifyRecords(request, account: account)
                    }
                )
            }
        case .askOutcome(let id, let request, let account):
            self.request(id) { database in
                .outcomeReceived(
                    id,
                    await result { () async throws(SyncError) in
                        try await database.outcome(of: request, account: account)
                    }
                )
            }
        case .cancelRequest(let id): cancelRequest(id)
        case .deliver(let id, let event): deliver(id, event)
        case .requestBatch(let id, let context): requestBatch(id, context)
        case .requestFetchOptions(let id, let context): requestFetchOptions(id, context)
        case .endCall(let call, let outcome): endCall(call, outcome)
        }
    }

    private func request(
        _ id: RequestID,
        _ ask: @escaping @Sendable (any SyncDatabase) async -> EngineInput
    ) {
        let database = database
        // Under the lock, so that the task is known before its answer can be there.
        protected.withLock { protected in
            protected.requests[id] = environment.launch { [weak self] in
                let answer = await ask(database)
                self?.forgetRequest(id)
                self?.handle(answer)
            }
        }
    }

    private func forgetRequest(_ id: RequestID) {
        _ = protected.withLock { $0.requests.removeValue(forKey: id) }
    }

    private func cancelRequest(_ id: RequestID) {
        protected.withLock { $0.requests[id] }?.cancel()
    }
}

private func account(_ database: any SyncDatabase) async -> Result<AccountStatus, SyncError> {
    await result { () async throws(SyncError) in try await database.accountStatus() }
}

private func result<Reply>(
    _ ask: () async throws(SyncError) -> Reply
) async -> Result<Reply, SyncError> {
    do {
        return .success(try await ask())
    } catch {
        return .failure(error)
    }
}

// Calls of the delegate: one at a time, as the core gives them out.

extension EngineShell {
    private func deliver(_ id: EventID, _ event: SyncEvent) {
        callDelegate(id.number) { delegate, engine in
            try await delegate.handleEvent(event, syncEngine: engine)
            return .eventHandled(id, didThrow: false)
        } onThrow: {
            .eventHandled(id, didThrow: true)
        }
    }

    private func requestBatch(_ id: QuestionID, _ context: SendChangesContext) {
        let context = SendChangesContext(
            reason: context.reason,
            options: context.options,
            source: EngineQueue(shell: self)
        )
        callDelegate(id.number) { delegate, engine in
            let batch = try await delegate.nextRecordZoneChangeBatch(context, syncEngine: engine)
            return .batchProvided(id, batch)
        } onThrow: {
            .batchFailed(id)
        }
    }

    private func requestFetchOptions(_ id: QuestionID, _ context: FetchChangesContext) {
        callDelegate(id.number) { delegate, engine in
            let options = try await delegate.nextFetchChangesOptions(context, syncEngine: engine)
            return .fetchOptionsProvided(id, options)
        } onThrow: {
            .fetchOptionsFailed(id)
        }
    }

    private func callDelegate(
        _ number: UInt64,
        _ body:
            @escaping @Sendable (any SyncEngineDelegate, SyncEngine) async throws ->
            EngineInput,
        onThrow: @escaping @Sendable () -> EngineInput
    ) {
        let engine = protected.withLock { protected in
            protected.activeDelivery = number
            return protected.engine
        }
        guard let engine, let delegate else { return endCallsOfOrphan() }
        environment.launch { [weak self] in
            let marker = Delivery(engine: ObjectIdentifier(engine.shell), number: number)
            let input: EngineInput
            do {
                input = try await Self.$delivery.withValue(marker) {
                    try await body(delegate, engine)
                }
            } catch {
                self?.keep(error, of: number)
                input = onThrow()
            }
            self?.protected.withLock { $0.activeDelivery = nil }
            self?.handle(input)
        }
    }

    private func keep(_ error: any Error, of number: UInt64) {
        protected.withLock { protected in
            protected.thrown.append((number, error))
            if protected.thrown.count > Self.thrownCountMax { protected.thrown.removeFirst() }
        }
    }
}

// Tasks and timers.

extension EngineShell {
    /// Makes sure that a timer runs for the core's next deadline.
    private func armTimer() {
        let deadline = protected.withLock { protected -> EngineInstant? in
            guard let next = protected.core.nextDeadline else { return nil }
            if let armed = protected.armed, armed <= next { return nil }
            protected.armed = next
            return next
        }
        guard let deadline else { return }
        let sleep = environment.sleep
        let timer = environment.launch { [weak self] in
            try? await sleep(deadline)
            self?.timerFired(deadline)
        }
        protected.withLock { $0.timer = timer }
    }

    private func timerFired(_ deadline: EngineInstant) {
        let isNewest = protected.withLock { protected in
            guard protected.armed == deadline else { return false }
            protected.armed = nil
            return true
        }
        if isNewest { handle(.woke) }
    }

    /// Takes the server's hints while the engine lives.
    private func listen() {
        let notifications = database.notifications()
        let listener = environment.launch { [weak self] in
            for await notification in notifications {
                guard let self else { return }
                switch notification {
                case .databaseChanged: self.handle(.notificationReceived)
                case .accountChanged: self.handle(.accountMayHaveChanged)
                }
            }
        }
        protected.withLock { $0.listener = listener }
    }
}
