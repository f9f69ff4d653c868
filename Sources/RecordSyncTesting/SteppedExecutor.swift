import RecordModel
import RecordSync

/// Runs jobs one by one on the thread that asks for it, and moves virtual time between them.
final class SteppedExecutor: TaskExecutor, Sendable {
    private let protected: Guarded<Schedule>

    /// Jobs that may run while no time passes.
    let jobCountMax: Int

    init(shuffling seed: UInt64?, jobCountMax: Int) {
        self.jobCountMax = jobCountMax
        protected = Guarded(Schedule(generator: seed.map { SplitMix64(seed: $0) }))
    }

    var now: Duration { protected.withLock { $0.now } }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let thread = ThreadID.current
        protected.withLock { schedule in
            if let owner = schedule.owner ?? schedule.home, owner != thread {
                schedule.noteEscape(during: schedule.calls)
            }
            schedule.ready.add(job)
        }
    }

    /// Runs until something holds and nothing is ready, moving time on to the next timer while it
    /// does not hold.
    func run(until limit: Duration, _ isDone: () -> Bool) throws(TestWorldError) {
        try drive { () throws(TestWorldError) in
            if isDone() { return .stop }
            guard let next = protected.withLock({ $0.timers.first }) else {
                throw error(.deadlock)
            }
            guard next <= limit else { throw error(.timeLimit) }
            return .fireTimer
        }
    }

    /// Runs what is ready, and fires the timers up to an instant.
    func advance(to instant: Duration) throws(TestWorldError) {
        try drive {
            guard let next = protected.withLock({ $0.timers.first }), next <= instant else {
                return .stop
            }
            return .fireTimer
        }
        protected.withLock { $0.now = max($0.now, instant) }
    }

    /// Cancels what waits for a time, so that no task is left behind.
    func end() {
        let timers = protected.withLock { $0.timers.removeAll() }
        for timer in timers { timer.resume(throwing: CancellationError()) }
        // The jobs that this made ready may fail to end; there is nobody left to tell.
        try? drive { .stop }
    }

    private enum Step {
        case stop
        case fireTimer
    }

    private func drive(
        _ decide: () throws(TestWorldError) -> Step
    ) throws(TestWorldError) {
        let thread = ThreadID.current
        let isFree = protected.withLock { schedule in
            guard schedule.owner == nil else { return false }
            schedule.owner = thread
            return true
        }
        guard isFree else { throw error(.alreadyRunning) }
        defer { protected.withLock { $0.owner = nil } }
        repeat { try runReady() } while try step(decide)
    }

    private func step(
        _ decide: () throws(TestWorldError) -> Step
    ) throws(TestWorldError) -> Bool {
        if let waiter = protected.withLock({ $0.takeIdleWaiter() }) {
            waiter.resume()
            return true
        }
        try refuseStuckCalls()
        switch try decide() {
        case .stop: return false
        case .fireTimer:
            protected.withLock { $0.takeTimer() }?.resume()
            return true
        }
    }

    private func runReady() throws(TestWorldError) {
        let executor = asUnownedTaskExecutor()
        var count = 0
        while let job = protected.withLock({ $0.takeJob() }) {
            job.runSynchronously(on: executor)
            count += 1
            guard count < jobCountMax else { throw error(.endlessJobs) }
        }
        if protected.withLock({ $0.hasEscape }) { throw error(.escaped) }
    }

    private func error(_ reason: TestWorldError.Reason) -> TestWorldError {
        protected.withLock { schedule in
            TestWorldError(reason: reason, elapsed: schedule.now, jobCount: schedule.jobCount)
        }
    }
}

// Calls of an app's delegate, which must not leave the world.

extension SteppedExecutor {
    /// The call that a task belongs to.
    @TaskLocal static var call: Int?

    /// The calls during which work left the world.
    var escapedCalls: [String] { protected.withLock { $0.escapedCalls } }

    /// Counts every job from another thread as escaped from now on, also while nothing runs.
    func stayOnThread() {
        let thread = ThreadID.current
        protected.withLock { $0.home = thread }
    }

    func beginCall(_ name: String) -> Int {
        protected.withLock { schedule in
            defer { schedule.nextCall += 1 }
            schedule.calls.append(DelegateCall(id: schedule.nextCall, name: name))
            return schedule.nextCall
        }
    }

    func endCall(_ id: Int) { protected.withLock { $0.calls.removeAll { $0.id == id } } }

    /// Waits for virtual time in a call, which is no escape.
    func sleepInCall(until instant: Duration) async throws {
        guard let id = Self.call else { return try await sleep(until: instant) }
        protected.withLock { $0.addSleepers(1, to: id) }
        defer { protected.withLock { $0.addSleepers(-1, to: id) } }
        try await sleep(until: instant)
    }

    /// Nothing is ready: a call that has not returned and waits for no timer waits for something
    /// outside of the world.
    private func refuseStuckCalls() throws(TestWorldError) {
        let isStuck = protected.withLock { schedule in
            let stuck = schedule.calls.filter { $0.sleeperCount == 0 }
            if !stuck.isEmpty { schedule.noteEscape(during: stuck) }
            return !stuck.isEmpty
        }
        if isStuck { throw error(.escaped) }
    }
}

/// A call of a delegate that has not returned.
private struct DelegateCall {
    let id: Int
    let name: String
    /// How many of its tasks wait for virtual time.
    var sleeperCount = 0
}

extension SteppedExecutor {
    /// Waits for an instant; throws if its task is cancelled.
    func sleep(until instant: Duration) async throws {
        let id = protected.withLock { $0.timers.makeID() }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                protected.withLock { $0.timers.add(id, at: max(instant, $0.now), continuation) }
                // The task may have been cancelled before there was anything to cancel.
                if Task.isCancelled { cancelTimer(id) }
            }
        } onCancel: {
            cancelTimer(id)
        }
    }

    private func cancelTimer(_ id: Int) {
        let timer = protected.withLock { $0.timers.remove(id) }
        timer?.resume(throwing: CancellationError())
    }

    /// Waits until nothing else is ready.
    func idle() async {
        await withCheckedContinuation { continuation in
            protected.withLock { $0.idleWaiters.append(continuation) }
        }
    }
}

/// What an executor has to do, and when.
private struct Schedule {
    var now = Duration.zero
    var ready: ReadyJobs
    var timers = TimerQueue()
    var idleWaiters: [CheckedContinuation<Void, Never>] = []
    /// The thread that runs jobs; nil while none does.
    var owner: ThreadID?
    /// True once another thread put a job in while one ran.
    var hasEscape = false
    /// The thread that all work must come from, also while no job runs; nil for any.
    var home: ThreadID?
    var calls: [DelegateCall] = []
    var nextCall = 1
    /// The calls that may have caused the first escape.
    var escapedCalls: [String] = []
    var jobCount = 0

    init(generator: SplitMix64?) { ready = ReadyJobs(generator: generator) }

    mutating func noteEscape(during calls: [DelegateCall]) {
        if !hasEscape { escapedCalls = calls.map(\.name) }
        hasEscape = true
    }

    mutating func addSleepers(_ count: Int, to call: Int) {
        for place in calls.indices where calls[place].id == call {
            calls[place].sleeperCount += count
        }
    }

    mutating func takeJob() -> UnownedJob? {
        guard let job = ready.take() else { return nil }
        jobCount += 1
        return job
    }

    mutating func takeIdleWaiter() -> CheckedContinuation<Void, Never>? {
        idleWaiters.isEmpty ? nil : idleWaiters.removeFirst()
    }

    mutating func takeTimer() -> CheckedContinuation<Void, any Error>? {
        guard let (instant, timer) = timers.takeFirst() else { return nil }
        now = max(now, instant)
        return timer
    }
}
