package import RecordModel

/// What the scheduler decides from, besides conditions and time; as small with a million pending
/// changes as with none.
package struct Situation: Hashable, Sendable {
    /// How urgent automatic work is where no trigger says otherwise.
    package var priority = SyncPriority.default
    package var send = Lane()
    package var fetch = Lane()
    /// There is no account to sync for; it is asked for again at the end.
    package var account: Delay?
    /// The server asked to be left alone.
    package var retryAfter: Delay?
    /// The server refused, without saying for how long.
    package var database: Delay?
    /// The requests come too fast.
    package var pacing: Delay?
    /// The app cancelled everything.
    package var cancellation: Delay?
    package var launch = Launch()
    package var conditionsSince: ConditionsSince
    package var push = PushChannel.silent
    /// When the last fetch began.
    package var lastFetch: EngineInstant?
    /// Where in the last tenth of its delay the next poll comes, from 0 to 1.
    package var pollJitter = 0.0
    /// Since when the delegate has something in hand.
    package var delegateSince: EngineInstant?

    package init(since start: EngineInstant) {
        conditionsSince = ConditionsSince(start)
        launch.stepBegan = start
    }

    /// A reason to wait that ends by itself.
    package struct Delay: Hashable, Sendable {
        package var since: EngineInstant
        package var until: EngineInstant
        /// Failures in a row that led here.
        package var attempts = 0
        package var error: SyncError?

        package init(
            since: EngineInstant,
            until: EngineInstant,
            attempts: Int = 0,
            error: SyncError? = nil
        ) {
            self.since = since
            self.until = until
            self.attempts = attempts
            self.error = error
        }
    }

    /// What calls for a pass.
    package struct Trigger: Hashable, Sendable {
        /// When the first came, and the newest, since the last pass began.
        package var first: EngineInstant
        package var newest: EngineInstant
        package var priority: SyncPriority
        /// Everything goes out as if it were at least so urgent: the app asked for it.
        package var raised: SyncPriority

        package init(
            first: EngineInstant,
            newest: EngineInstant,
            priority: SyncPriority,
            raised: SyncPriority = .background
        ) {
            self.first = first
            self.newest = newest
            self.priority = priority
            self.raised = raised
        }
    }

    /// Sends, or fetches.
    package struct Lane: Hashable, Sendable {
        /// Since when an operation is under way.
        package var runningSince: EngineInstant?
        /// True if something can be done now, outside of the zones that wait.
        package var hasWork = false
        package var trigger: Trigger?
        /// How urgent the most urgent of the work is; nil where nothing says so.
        package var urgency: SyncPriority?
        /// True from a pass that failed until one succeeds: no trigger puts its retry off.
        package var mustRetry = false
        /// When the last pass began that a trigger called for.
        package var lastTriggeredPass: EngineInstant?
        /// When the last pass began.
        package var lastPass: EngineInstant?
        /// When the last pass began that left nothing to better conditions.
        package var lastFullPass: EngineInstant?
        /// Passes failed.
        package var failure: Delay?
        /// Passes moved nothing; a trigger ends that.
        package var idle: Delay?
        /// True if what the last pass left are records with assets, on a network that costs.
        package var holdsAssetsOnly = false
        /// A flush ended, and its caller counts on quiet.
        package var flush: Delay?
        /// The first of the zones that failed and have work may be tried again.
        package var zoneRetry: Delay?

        package init() {}
    }

    /// How far the launch has come: zones, then a fetch, then everything.
    package struct Launch: Hashable, Sendable {
        package enum Step: Hashable, Sendable {
            /// Changes of zones are sent, and nothing else.
            case zones
            /// The first fetch.
            case fetch
            /// The launch is over.
            case done
        }

        package var step = Step.done
        package var stepBegan = EngineInstant(
            monotonic: .zero,
            wall: Timestamp(millisecondsSince1970: 0)
        )
    }

    /// Since when each condition is as it is.
    package struct ConditionsSince: Hashable, Sendable {
        package var network: EngineInstant
        package var power: EngineInstant
        package var load: EngineInstant
        package var foreground: EngineInstant

        package init(_ instant: EngineInstant) {
            network = instant
            power = instant
            load = instant
            foreground = instant
        }

        /// Notes what became better or worse.
        package mutating func note(
            _ new: Conditions,
            after old: Conditions,
            _ policy: SchedulingPolicy,
            at now: EngineInstant
        ) {
            if new.network != old.network { network = now }
            if Self.power(new, policy) != Self.power(old, policy) { power = now }
            if Self.load(new, policy) != Self.load(old, policy) { load = now }
            if new.isForeground != old.isForeground { foreground = now }
        }

        /// A percent less is no news, a limit that was passed is.
        private static func power(_ conditions: Conditions, _ policy: SchedulingPolicy) -> [Bool] {
            let percent = conditions.batteryPercent ?? 100
            return [
                conditions.isLowPowerMode == true, conditions.isCharging == false,
                percent < policy.batteryPercentMin, percent < policy.backgroundBatteryPercentMin,
            ]
        }

        private static func load(_ conditions: Conditions, _ policy: SchedulingPolicy) -> [Bool] {
            let load = conditions.load ?? 0
            return [load > policy.loadMax, load > policy.backgroundLoadMax]
        }
    }
}

/// Whether the server's notifications can be relied on.
public enum PushChannel: String, Hashable, Sendable {
    /// One arrived, and none was missing since.
    case working
    /// None has arrived yet, or a fetch brought what none had told of.
    case silent
    /// The stream of notifications ended.
    case closed
}
