import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Runs every job of an engine on the thread that measures, one after the other.
///
/// So the thread's CPU time is the engine's: no other thread works for it, and waiting costs
/// nothing.
final class BenchThread: TaskExecutor {
    private let jobs = Mutex<[UnownedJob]>([])

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
    }

    /// Runs a task and everything it leads to; returns when no job is left.
    func run(_ body: @escaping @Sendable () async -> Void) {
        Task(executorPreference: self) { await body() }
        while case let ready = takeJobs(), !ready.isEmpty {
            for job in ready { job.runSynchronously(on: asUnownedTaskExecutor()) }
        }
    }

    private func takeJobs() -> [UnownedJob] {
        jobs.withLock { jobs in
            defer { jobs = [] }
            return jobs
        }
    }

    /// The CPU time that this thread has taken.
    static func cpuTime() -> Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    /// The CPU time that a piece of work takes.
    static func measure(_ body: () -> Void) -> Duration {
        let start = cpuTime()
        body()
        return cpuTime() - start
    }
}

extension Duration {
    var nanoseconds: Double {
        Double(components.seconds) * 1e9 + Double(components.attoseconds) / 1e9
    }
}
