public import RecordModel
public import RecordSync

/// Virtual time and one thread for everything that runs in it: the same in every run.
///
///     let world = TestWorld()
///     let cloud = InMemoryCloud(world)
///     var configuration = SyncEngine.Configuration(…)
///     configuration.run(on: world)
///     let engine = SyncEngine(configuration)
///     try world.run { try await engine.sendChanges() }
///     try world.advance(by: .seconds(60))
///
/// Engines put on a world do nothing until the world runs. Then all their tasks, and the closure
/// given to `run`, take turns on the caller's thread; hours pass in no time. What leaves the world,
/// such as `Task {}`, `Task.detached`, `Task.sleep` or the main actor, is an error: use
/// `world.sleep` and task groups.
///
/// An error of a world names what happened; the world is of no use after it.
public final class TestWorld: Sendable {
    let executor: SteppedExecutor
    private let wall: Guarded<Wall>

    private struct Wall {
        let start: Timestamp
        var shiftMilliseconds: Int64 = 0
        var generator: SplitMix64
    }

    /// Which of the jobs that are ready goes next.
    public enum JobOrder: Hashable, Sendable {
        /// The one that has waited longest.
        case firstInFirstOut
        /// Any, drawn from the world's seed: other seeds give other turns.
        case shuffled
    }

    /// Makes a world; all chance in it comes from the seed.
    ///
    /// More jobs than `jobCountMax` in a row, while no time passes, end a run with `endlessJobs`.
    public init(
        seed: UInt64 = 0,
        order: JobOrder = .firstInFirstOut,
        jobCountMax: Int = 20_000_000,
        start: Timestamp = Timestamp(millisecondsSince1970: 1_800_000_000_000)
    ) {
        var generator = SplitMix64(seed: seed)
        executor = SteppedExecutor(
            shuffling: order == .shuffled ? generator.next() : nil,
            jobCountMax: jobCountMax
        )
        wall = Guarded(Wall(start: start, generator: generator))
    }

    deinit { executor.end() }

    /// How much virtual time has passed since the world began.
    public var elapsed: Duration { executor.now }

    /// The world's wall clock.
    public var time: Timestamp {
        let elapsed = elapsed
        return wall.withLock { wall in
            Timestamp(
                millisecondsSince1970: wall.start.millisecondsSince1970
                    + elapsed.milliseconds + wall.shiftMilliseconds
            )
        }
    }

    /// Sets the wall clock forward or back, as a user or a time server does; no time passes.
    public func shiftWallClock(by duration: Duration) {
        wall.withLock { $0.shiftMilliseconds += duration.milliseconds }
    }

    /// Runs a closure, and all that goes on beside it, until it has returned and nothing is ready.
    ///
    /// While nothing is ready and the closure has not returned, time moves on to the next timer.
    /// Timers that are set when it has returned stay so. Throws what the closure throws, or a
    /// `TestWorldError` if it can never return.
    public func run<Value: Sendable>(
        timeLimit: Duration = .seconds(7 * 24 * 60 * 60),
        _ body: @escaping @Sendable () async throws -> Value
    ) throws -> Value {
        let returned = Returned<Value>()
        let task = environment.launch { [returned] in
            do {
                returned.set(.success(try await body()))
            } catch {
                returned.set(.failure(error))
            }
        }
        do {
            try executor.run(until: executor.now + timeLimit) { returned.value != nil }
        } catch {
            task.cancel()
            throw error
        }
        guard let result = returned.value else {
            preconditionFailure("the world stopped before the closure had returned")
        }
        return try result.get()
    }

    /// Runs what is ready, until nothing is; no time passes.
    public func runUntilIdle() throws { try executor.advance(to: executor.now) }

    /// Lets time pass: each timer fires at its instant, and what it sets going runs to its end.
    public func advance(by duration: Duration) throws {
        try executor.advance(to: executor.now + duration)
    }

    /// Waits, inside of the world, for virtual time to pass.
    public func sleep(for duration: Duration) async throws {
        try await executor.sleepInCall(until: executor.now + duration)
    }

    /// Waits, inside of the world, until nothing else is ready; no time passes.
    public func idle() async { await executor.idle() }

    /// Where engines run, and what time it is for them.
    package var environment: EngineEnvironment {
        EngineEnvironment(
            now: { EngineInstant(monotonic: self.elapsed, wall: self.time) },
            // A sleep must not keep the world alive: when the world goes, its sleeps end.
            sleep: { [executor] in try await executor.sleep(until: $0.monotonic) },
            random: { self.wall.withLock { $0.generator.next() } },
            executor: executor
        )
    }

    /// Random bits from the world's seed.
    public func random() -> UInt64 { wall.withLock { $0.generator.next() } }
}

/// What a closure that ran in a world gave.
private final class Returned<Value: Sendable>: Sendable {
    private let protected = Guarded<Result<Value, any Error>?>(nil)

    var value: Result<Value, any Error>? { protected.withLock { $0 } }

    func set(_ value: Result<Value, any Error>) { protected.withLock { $0 = value } }
}

extension SyncEngine.Configuration {
    /// Puts the engine to be made on a world: its tasks run there, by its clocks and its chance.
    ///
    /// The platform's own monitor of conditions is left out, since it looks at the real device:
    /// give `ManualConditions` for a world's.
    public mutating func run(on world: TestWorld) {
        environment = world.environment
        if hasPlatformMonitor { conditionsMonitor = nil }
    }

    private var hasPlatformMonitor: Bool {
        #if os(Linux)
            conditionsMonitor is LinuxConditionsMonitor
        #elseif canImport(Network)
            conditionsMonitor is AppleConditionsMonitor
        #else
            false
        #endif
    }
}

extension InMemoryCloud {
    /// Makes an empty cloud that goes by a world's wall clock, the same in every run.
    public convenience init(_ world: TestWorld) {
        let key = (0..<4).flatMap { _ in
            let bits = world.random()
            return (0..<8).map { UInt8(truncatingIfNeeded: bits >> ($0 * 8)) }
        }
        self.init(tokenKey: key, clock: { world.time })
    }
}
