public import SyncCore

extension SyncEngine {
    /// Sends what fits into a time, and returns what is left: for an app that is about to pause.
    ///
    /// It is a send of everything that is pending, behind any send under way. It returns when that
    /// is done, or at the deadline, whatever the server or the delegate is busy with; it never
    /// throws. No batch leaves at or after the deadline. One that left before is finished: if it
    /// is not when the flush returns, its changes are counted as in flight, and if its answer is
    /// lost, as of unknown outcome; either way nothing is lost, and nothing takes effect twice.
    ///
    /// While the server wants to be left alone it returns at once, and so it does inside a method
    /// of the delegate, for whose return it would wait; the error says so.
    ///
    /// The deadline also ends a send that an automatic engine began by itself. With what is left,
    /// such an engine goes on one second later. A `sendChanges` of the app under way is not cut
    /// short. Cancelling the task makes the flush return with `operationCancelled`.
    public func flush(deadline duration: Duration) async -> FlushResult {
        FlushResult(await shell.flush(within: duration))
    }

    /// What a flush could not get confirmed.
    public struct FlushResult: Sendable {
        /// The zones of which something is left, and what.
        public var zones: [RemainingChanges.Zone]
        /// True while the app has changes that it does not list.
        public var hasUntrackedChanges: Bool
        /// True if the flush returned because its time was over.
        public var isDeadlineReached: Bool
        /// What went wrong: the same that `sendChanges` would have thrown; nil if nothing did.
        ///
        /// The deadline is no error.
        public var error: (any Error)?

        /// Makes a result, for the test of an app.
        public init(
            zones: [RemainingChanges.Zone] = [],
            hasUntrackedChanges: Bool = false,
            isDeadlineReached: Bool = false,
            error: (any Error)? = nil
        ) {
            self.zones = zones
            self.hasUntrackedChanges = hasUntrackedChanges
            self.isDeadlineReached = isDeadlineReached
            self.error = error
        }

        /// What is left of all zones together.
        public var remaining: RemainingChanges {
            zones.reduce(into: RemainingChanges()) { $0 += $1.remaining }
        }

        /// True if the server has confirmed everything.
        public var isEverythingConfirmed: Bool { remaining.isEmpty && !hasUntrackedChanges }
    }
}

extension SyncEngine.FlushResult {
    fileprivate init(_ flush: FlushReturn) {
        self.init(
            zones: flush.report.zones,
            hasUntrackedChanges: flush.report.hasUntrackedChanges,
            isDeadlineReached: flush.report.isDeadlineReached,
            error: flush.error
        )
    }
}
