/// Why a `TestWorld` cannot go on.
public struct TestWorldError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What happened.
    public let reason: Reason
    /// The virtual time at which it happened.
    public let elapsed: Duration
    /// How many jobs had run.
    public let jobCount: Int

    /// What happened.
    public enum Reason: Hashable, Sendable {
        /// The closure waits, and nothing in the world could ever wake it.
        case deadlock
        /// Another thread went on with work of the world.
        case escaped
        /// The closure has not returned within its time.
        case timeLimit
        /// So many jobs ran while no time passed that they will never end.
        case endlessJobs
        /// The world was told to run by something that runs in it, or on a second thread.
        case alreadyRunning
    }

    /// What happened, when, and what is likely to have caused it.
    public var description: String {
        "\(text) (\(elapsed) of virtual time, \(jobCount) jobs)"
    }

    private var text: String {
        switch reason {
        case .deadlock:
            "deadlock: the closure has not returned, no job is ready and no timer is set; it waits "
                + "for what never comes, or for something outside of the world, such as Task {}, "
                + "Task.detached, Task.sleep or the main actor"
        case .escaped:
            "escaped: a thread other than the one that runs the world went on with work of it; "
                + "something in it used Task {}, Task.detached, Task.sleep, the main actor or a "
                + "callback from a thread"
        case .timeLimit:
            "time limit: the closure has not returned, and only timers go on"
        case .endlessJobs:
            "endless jobs: too many ran while no time passed; something in it spins"
        case .alreadyRunning:
            "already running: inside of the world use sleep(for:) and idle()"
        }
    }
}
