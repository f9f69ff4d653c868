public import RecordModel

/// Every figure of the scheduler: how long it waits, and where a condition begins to count.
///
/// A new value has the defaults. An engine refuses one that `validate` throws at: each of its calls
/// then throws the same error.
public struct SchedulingPolicy: Hashable, Sendable {
    /// Further edits and notifications are gathered until none came for this time; 1 second.
    public var coalescingWindow = Duration.seconds(1)
    /// Edits and notifications are gathered no longer than this; 5 seconds.
    public var coalescingDelayMax = Duration.seconds(5)

    /// The first retry comes within this time, each further one may take twice as long; 1 second.
    public var backoffMin = Duration.seconds(1)
    /// No retry waits longer by itself; 2 minutes.
    public var backoffMax = Duration.seconds(2 * 60)

    /// Time between fetches that nothing called for, while notifications arrive; 2 minutes.
    public var pollDelayLong = Duration.seconds(2 * 60)
    /// The same while notifications are missing; 30 seconds.
    public var pollDelayShort = Duration.seconds(30)
    /// The same while the app is in the background; 15 minutes.
    public var pollDelayBackground = Duration.seconds(15 * 60)

    /// An unavailable network is tried all the same after this time; 15 minutes.
    public var offlineProbeDelay = Duration.seconds(15 * 60)
    /// Poor conditions hold work back no longer than this; 24 hours.
    public var deferralMax = Duration.seconds(24 * 60 * 60)
    /// Work of default priority waits while the battery holds less, in percent; 20.
    public var batteryPercentMin = 20
    /// Work of background priority waits while the battery holds less, in percent; 50.
    public var backgroundBatteryPercentMin = 50
    /// Work of default priority waits while more tasks want to run on each processor; 2.
    public var loadMax = 2.0
    /// Work of background priority waits while more tasks want to run on each processor; 0.75.
    public var backgroundLoadMax = 0.75

    /// A step of the launch is waited for no longer than this; 30 seconds.
    public var launchStepDurationMax = Duration.seconds(30)
    /// A request without an answer counts as failed after this time; 2 minutes.
    public var requestDurationMax = Duration.seconds(2 * 60)
    /// A delegate that has not returned is reported after this time; 30 seconds.
    public var delegateDurationMax = Duration.seconds(30)
    /// After `cancelOperations` the engine goes on by itself no later than this; 30 minutes.
    public var cancellationRest = Duration.seconds(30 * 60)
    /// What a flush had no time for goes out by itself after this time; 1 second.
    public var flushRest = Duration.seconds(1)

    /// Requests in a row before the rate counts; 200.
    public var requestBurstMax = 200
    /// Requests a second, as long as the server does not throttle; 100.
    public var requestRateMax = 100.0
    /// Requests a second that throttling never takes away; 0.5.
    public var requestRateMin = 0.5

    /// Makes the default policy.
    public init() {}

    /// Throws `invalidArguments` that names the field, if a figure cannot work.
    public func validate() throws(SyncError) {
        for (name, value) in durations where value <= .zero || value > Self.durationMax {
            throw Self.fault(name, "\(value)", "longer than nothing and at most 30 days")
        }
        try check("coalescingDelayMax", coalescingDelayMax, atLeast: coalescingWindow)
        try check("backoffMax", backoffMax, atLeast: backoffMin)
        try check("pollDelayLong", pollDelayLong, atLeast: pollDelayShort)
        try check("pollDelayBackground", pollDelayBackground, atLeast: pollDelayLong)
        try check("batteryPercentMin", batteryPercentMin, in: 0...100)
        try check("backgroundBatteryPercentMin", backgroundBatteryPercentMin, in: 0...100)
        try check("loadMax", loadMax, in: 0.01...1000)
        try check("backgroundLoadMax", backgroundLoadMax, in: 0.01...1000)
        try check("requestBurstMax", requestBurstMax, in: 1...1_000_000)
        try check("requestRateMax", requestRateMax, in: 0.001...1_000_000)
        try check("requestRateMin", requestRateMin, in: 0.001...requestRateMax)
    }

    /// No figure of time is greater; so sums with instants never overflow.
    public static let durationMax = Duration.seconds(30 * 24 * 60 * 60)

    private var durations: [(name: String, value: Duration)] {
        [
            ("coalescingWindow", coalescingWindow), ("coalescingDelayMax", coalescingDelayMax),
            ("backoffMin", backoffMin), ("backoffMax", backoffMax),
            ("pollDelayLong", pollDelayLong), ("pollDelayShort", pollDelayShort),
            ("pollDelayBackground", pollDelayBackground),
            ("offlineProbeDelay", offlineProbeDelay), ("deferralMax", deferralMax),
            ("launchStepDurationMax", launchStepDurationMax),
            ("requestDurationMax", requestDurationMax),
            ("delegateDurationMax", delegateDurationMax), ("cancellationRest", cancellationRest),
            ("flushRest", flushRest),
        ]
    }

    private func check(
        _ name: String,
        _ value: Duration,
        atLeast least: Duration
    ) throws(SyncError) {
        guard value < least else { return }
        throw Self.fault(name, "\(value)", "at least \(least)")
    }

    private func check<Value: Comparable>(
        _ name: String,
        _ value: Value,
        in range: ClosedRange<Value>
    ) throws(SyncError) {
        guard !range.contains(value) else { return }
        throw Self.fault(name, "\(value)", "from \(range.lowerBound) to \(range.upperBound)")
    }

    private static func fault(_ name: String, _ value: String, _ rule: String) -> SyncError {
        SyncError(.invalidArguments, "the scheduling policy's \(name) is \(value): give \(rule)")
    }
}

extension SchedulingPolicy {
    /// How long an attempt waits at most after this many failures in a row.
    package func backoffBound(failureCount: Int) -> Duration {
        let doublings = min(max(failureCount - 1, 0), 24)
        return min(backoffMax, backoffMin * (1 << doublings))
    }
}
