import RecordModel
package import SyncCore

/// Time, chance and the place where tasks run: what a test puts its own in for.
package struct EngineEnvironment: Sendable {
    /// Now, on both clocks.
    package var now: @Sendable () -> EngineInstant
    /// Waits until an instant of `now`; throws if its task is cancelled.
    package var sleep: @Sendable (EngineInstant) async throws -> Void
    /// 64 random bits.
    package var random: @Sendable () -> UInt64
    /// Where every task of the engine runs; nil for the default.
    package var executor: (any TaskExecutor)?

    package init(
        now: @escaping @Sendable () -> EngineInstant,
        sleep: @escaping @Sendable (EngineInstant) async throws -> Void,
        random: @escaping @Sendable () -> UInt64,
        executor: (any TaskExecutor)?
    ) {
        self.now = now
        self.sleep = sleep
        self.random = random
        self.executor = executor
    }

    /// Starts a task: the only place of the client that does.
    @discardableResult
    package func launch(_ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        Task(executorPreference: executor) { await body() }
    }

    /// The machine's clocks and random numbers, on the default executor.
    package static let system: EngineEnvironment = {
        let start = ContinuousClock.now
        return EngineEnvironment(
            now: { EngineInstant(monotonic: ContinuousClock.now - start, wall: .now) },
            sleep: { instant in
                try await Task.sleep(until: start + instant.monotonic, clock: .continuous)
            },
            random: { UInt64.random(in: .min ... .max) },
            executor: nil
        )
    }()
}
