public import RecordModel

/// What an engine does next, when, and every reason why it waits.
///
/// It is the scheduler's decision at one moment, as a value: `explain()` tells it to a person.
public struct Schedule: Hashable, Sendable {
    /// When it was decided, by the wall clock.
    public var instant: Timestamp { now.wall }
    /// The conditions that were weighed.
    public var conditions: Conditions
    /// What comes of sends.
    public var send: Lane
    /// What comes of fetches.
    public var fetch: Lane
    /// The zones of which something is left, or that wait after a failure.
    public var zones: [Zone] = []
    /// Whether notifications can be relied on.
    public var pushChannel: PushChannel
    /// What the delegate has in hand; nil if it has nothing.
    public var delegate: DelegateWait?
    /// False for an engine that acts on calls only.
    public var isAutomatic = true
    package var now: EngineInstant

    package init(
        now: EngineInstant,
        conditions: Conditions,
        send: Lane,
        fetch: Lane,
        pushChannel: PushChannel
    ) {
        self.now = now
        self.conditions = conditions
        self.send = send
        self.fetch = fetch
        self.pushChannel = pushChannel
    }

    /// Sends, or fetches.
    public struct Lane: Hashable, Sendable {
        /// What comes of it.
        public var standing: Standing
        /// Why what is wanted waits; empty if nothing holds it back.
        public var blockers: [Blocker] = []
        /// How urgent what is wanted is.
        public var priority: SyncPriority
        /// Failures in a row.
        public var attempts = 0
        /// Why the last attempt failed; nil if none did since the last success.
        public var lastError: SyncError?
        package var due: EngineInstant?
        /// Less urgent work is left to better conditions.
        package var floor = SyncPriority.background

        package init(_ standing: Standing, priority: SyncPriority) {
            self.standing = standing
            self.priority = priority
        }

        /// When it acts next; nil while it runs, or if nothing is wanted.
        public var nextInstant: Timestamp? { due?.wall }
    }

    /// What comes of a lane.
    public enum Standing: Hashable, Sendable {
        /// Nothing is wanted but, for fetches, the next poll.
        case idle
        /// It acts now.
        case due
        /// It waits for what its blockers name.
        case waiting
        /// An operation is under way, since this instant.
        case running(since: Timestamp)
    }

    /// A reason to wait.
    public struct Blocker: Hashable, Sendable {
        /// What it is.
        public var reason: Reason
        package var from: EngineInstant
        package var end: EngineInstant

        package init(_ reason: Reason, from: EngineInstant, end: EngineInstant) {
            self.reason = reason
            self.from = from
            self.end = end
        }

        /// Since when it holds.
        public var since: Timestamp { from.wall }
        /// When it ends by itself, if nothing ends it before.
        public var until: Timestamp { end.wall }
    }

    /// What can hold work back.
    public enum Reason: Hashable, Sendable {
        /// There is no account that can be used.
        case account(SyncError?)
        /// The server asked to be left alone.
        case serverAskedToWait
        /// The server refused; the next attempt waits longer after each failure.
        case databaseBackoff(attempts: Int, SyncError?)
        /// This kind of operation failed; the next attempt waits longer after each failure.
        case backoff(attempts: Int, SyncError?)
        /// All zones with work failed, and wait after it; the others are done.
        case zoneBackoff(attempts: Int, SyncError?)
        /// Requests go out more slowly, since the server throttled them.
        case pacing
        /// There is no network; it is tried all the same at the end.
        case networkUnavailable
        /// The network is to be used little, or costs money.
        case networkMetered
        /// The user wants power saved.
        case lowPowerMode
        /// The battery is low and not charging.
        case batteryLow(percent: Int)
        /// The device is busy.
        case loadHeavy
        /// A step of the launch comes first.
        case launchOrder
        /// The app cancelled everything.
        case cancelled
        /// A flush ended just now.
        case flushEnded
        /// More of the same is gathered into one pass.
        case coalescing
        /// What is left are records with assets, and the network is to be used little or costs
        /// money.
        case assets
        /// The last pass moved nothing.
        case nothingMoved
    }

    /// What waits in one zone.
    public struct Zone: Hashable, Sendable {
        /// Which zone.
        public var zoneID: RecordZone.ID
        /// What is pending, held back and in flight, by kind.
        public var remaining: RemainingChanges
        /// Why its sends wait, while those of other zones do not.
        public var sendBlocker: Blocker?
        /// Why its fetches wait, while those of other zones do not.
        public var fetchBlocker: Blocker?

        package init(
            zoneID: RecordZone.ID,
            remaining: RemainingChanges = RemainingChanges()
        ) {
            self.zoneID = zoneID
            self.remaining = remaining
        }
    }

    /// Something that the delegate has not returned from.
    public struct DelegateWait: Hashable, Sendable {
        package var from: EngineInstant
        /// True once it has taken `delegateDurationMax`.
        public var isLong: Bool

        package init(from: EngineInstant, isLong: Bool) {
            self.from = from
            self.isLong = isLong
        }

        /// Since when.
        public var since: Timestamp { from.wall }
    }
}

extension Schedule {
    /// When the engine acts next by itself; nil while it waits for an answer, or for calls.
    public var nextInstant: Timestamp? { nextDue?.wall }

    package var nextDue: EngineInstant? {
        guard let send = send.due else { return fetch.due }
        guard let fetch = fetch.due else { return send }
        return min(send, fetch)
    }

    /// The same without the poll, where nothing but it is wanted.
    package var nextDueOfWork: EngineInstant? {
        fetch.standing == .idle ? send.due : nextDue
    }

    /// True if nothing is wanted but the next poll.
    public var isAtRest: Bool {
        send.standing == .idle && fetch.standing == .idle && delegate == nil
    }

    /// True if the other one differs in nothing but its instant.
    package func saysTheSame(as other: Schedule) -> Bool {
        var moved = self
        moved.now = other.now
        return moved == other
    }

    /// What is left of all zones together.
    public var remaining: RemainingChanges {
        zones.reduce(into: RemainingChanges()) { $0 += $1.remaining }
    }
}
