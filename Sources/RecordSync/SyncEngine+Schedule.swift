public import SyncCore

extension SyncEngine {
    /// What the engine does next, when, and every reason why it waits.
    ///
    /// `explain()` of the value says it in words. The cost does not grow with the number of pending
    /// changes.
    public var schedule: Schedule {
        let now = shell.environment.now()
        return shell.read { $0.schedule(at: now) }
    }

    /// The schedule now, and each time it is another one, for one observer.
    ///
    /// A slow observer gets the newest. The sequence does not keep the engine, and ends with it.
    public var schedules: Schedules { shell.observeSchedules() }

    /// Asks an automatic engine for a sync in its turn, such as when a user pulls a list down.
    ///
    /// It waits for nothing. With `.userInitiated`, poor conditions do not hold the sync back; the
    /// server's wish to be left alone does.
    public func requestSync(priority: SyncPriority = .userInitiated) {
        shell.handle(.syncRequested(priority))
    }

    /// Tells the engine whether the user has the app in front of them; nil if nobody knows.
    public func setForeground(_ isForeground: Bool?) { shell.setForeground(isForeground) }

    /// The schedules of an engine for one observer; iterate it once.
    public struct Schedules: AsyncSequence, Sendable {
        /// What it gives.
        public typealias Element = Schedule
        /// It never fails.
        public typealias Failure = Never

        let stream: AsyncStream<Schedule>

        /// Begins with the schedule of the moment.
        public func makeAsyncIterator() -> AsyncStream<Schedule>.Iterator {
            stream.makeAsyncIterator()
        }
    }
}
