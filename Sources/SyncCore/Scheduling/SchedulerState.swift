import RecordModel

/// What the scheduler remembers while the process lives.
struct SchedulerState: Sendable {
    var situation: Situation
    var conditions = Conditions.unknown
    /// Zones whose sends failed; their changes wait, those of other zones do not.
    var sendBackoffs = ZoneBackoffs()
    /// Zones whose fetches failed.
    var fetchBackoffs = ZoneBackoffs()
    var bucket: RequestBucket
    /// True once the present launch has sent changes of zones.
    var hasLaunchedZones = false
    /// Requests without an answer, the oldest first: one of each kind at most, and a few files.
    var openRequests: [(id: RequestID, since: EngineInstant)] = []
    /// What the delegate has in hand, to see when it has something else.
    var delegateHand: UInt64?
    /// The decision after the last input; nil for an engine that acts on calls only.
    var decision: Schedule?

    init(policy: SchedulingPolicy, now: EngineInstant) {
        situation = Situation(since: now)
        bucket = RequestBucket(policy: policy, now: now)
    }
}

/// Zones that failed, and when each may be tried again.
struct ZoneBackoffs: Sendable {
    private(set) var delays = OrderedTable<RecordZone.ID, Situation.Delay>()

    /// Zones that wait now.
    func waitingZones(at now: EngineInstant) -> [RecordZone.ID] {
        guard !delays.isEmpty else { return [] }
        return delays.pairs.filter { $0.value.until > now }.map(\.key)
    }

    subscript(zoneID: RecordZone.ID) -> Situation.Delay? { delays[zoneID] }

    /// A zone failed once more.
    mutating func fail(_ zoneID: RecordZone.ID, _ delay: Situation.Delay) {
        delays[zoneID] = delay
    }

    /// A zone works: its next failure is the first.
    mutating func succeed(_ zoneID: RecordZone.ID) {
        guard !delays.isEmpty else { return }
        delays[zoneID] = nil
    }
}

/// Requests that may leave now: as many as have trickled in, at a rate that shrinks when the server
/// throttles and grows with each pass that it does not.
struct RequestBucket: Sendable {
    private let policy: SchedulingPolicy
    private(set) var rate: Double
    private var count: Double
    private var instant: EngineInstant

    init(policy: SchedulingPolicy, now: EngineInstant) {
        self.policy = policy
        rate = policy.requestRateMax
        count = Double(policy.requestBurstMax)
        instant = now
    }

    mutating func spend(at now: EngineInstant) {
        refill(at: now)
        count -= 1
    }

    mutating func throttle(at now: EngineInstant) {
        refill(at: now)
        rate = max(policy.requestRateMin, rate / 2)
        // What was saved up must not go out at once.
        count = min(count, 1)
    }

    mutating func grow(at now: EngineInstant) {
        refill(at: now)
        rate = min(policy.requestRateMax, rate * 1.1 + 0.1)
    }

    /// When the next request may leave; nil for now.
    func next(at now: EngineInstant) -> EngineInstant? {
        var bucket = self
        bucket.refill(at: now)
        guard bucket.count < 1 else { return nil }
        let seconds = (1 - bucket.count) / rate
        return now.advanced(by: .milliseconds(Int64((seconds * 1000).rounded(.up))))
    }

    private mutating func refill(at now: EngineInstant) {
        let seconds = (now.monotonic - instant.monotonic).inSeconds
        instant = now
        count = min(Double(policy.requestBurstMax), count + max(seconds, 0) * rate)
    }
}
