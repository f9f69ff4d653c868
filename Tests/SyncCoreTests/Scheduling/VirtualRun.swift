import RecordModel
import SyncCore

/// A device on virtual time: requests take a while, and things happen at their instants.
///
/// After each step it looks whether the schedule names a reason and an instant for all that waits.
struct VirtualRun {
    /// What a request meets instead of the server.
    enum Fate {
        case error(SyncError)
        /// No answer ever comes, though the server takes the request.
        case silence
        /// It never arrives, and no answer comes.
        case loss
    }

    /// A request that left.
    struct Sent {
        var instant: Duration
        var effect: EngineEffect
    }

    var device: CoreFixture
    var latency = Duration.milliseconds(50)
    var fate: @Sendable (EngineEffect, Duration) -> Fate? = { _, _ in nil }
    private(set) var sent: [Sent] = []
    /// When the core was woken.
    private(set) var wakeUps: [Duration] = []
    private(set) var faults: [String] = []
    private var plan: [(instant: Duration, action: @Sendable (inout CoreFixture) -> Void)] = []
    private var answers: [(instant: Duration, effect: EngineEffect)] = []

    init(_ device: CoreFixture) { self.device = device }

    var now: Duration { device.now.monotonic }

    /// Does something at an instant.
    mutating func plan(
        at instant: Duration,
        _ action: @escaping @Sendable (inout CoreFixture) -> Void
    ) {
        let place = plan.firstIndex { $0.instant > instant } ?? plan.count
        plan.insert((instant, action), at: place)
    }

    /// Lets everything happen until an instant, or until something holds.
    mutating func run(until end: Duration, or isDone: (VirtualRun) -> Bool = { _ in false }) {
        settle()
        for _ in 0..<2_000_000 {
            if isDone(self) { return }
            guard let next = nextInstant, next <= end else {
                device.now = max(device.now, device.now.advanced(by: end - now))
                return
            }
            if next > now { device.advance(by: next - now) }
            step()
            settle()
        }
        faults.append("it goes on for ever")
    }

    private var nextInstant: Duration? {
        [plan.first?.instant, answers.first?.instant, device.core.nextDeadline?.monotonic]
            .compactMap { $0 }.min()
    }

    private mutating func step() {
        if let planned = plan.first, planned.instant <= now {
            plan.removeFirst()
            return planned.action(&device)
        }
        if let answer = answers.first, answer.instant <= now {
            answers.removeFirst()
            device.handle(reply(to: answer.effect))
            return
        }
        wakeUps.append(now)
        device.handle(.woke)
    }

    private mutating func reply(to effect: EngineEffect) -> EngineInput {
        switch fate(effect, now) {
        case .error(let error): effect.failing(with: error)
        case nil: device.server.answer(effect)
        case .loss: .woke
        case .silence:
            lost(device.server.answer(effect))
        }
    }

    private func lost(_ answer: EngineInput) -> EngineInput { .woke }

    /// The delegate does its part at once; requests are on their way.
    private mutating func settle() {
        while true {
            let requests = device.requests
            device.requests = []
            for effect in requests {
                sent.append(Sent(instant: now, effect: effect))
                answers.append((now + latency, effect))
            }
            guard !device.hand.isEmpty else { break }
            device.run { !$0.requests.isEmpty || $0.hand.isEmpty }
        }
        check()
    }

    /// No engine with work waits without a reason and an instant.
    private mutating func check() {
        let schedule = device.core.schedule(at: device.now)
        guard schedule.isAutomatic else { return }
        let waiting = schedule.zones.reduce(0) { $0 + $1.remaining.pending.total }
        switch schedule.send.standing {
        case .idle:
            if waiting > 0 { faults.append("\(now): work, and sends are idle") }
        case .waiting:
            if schedule.send.due == nil || schedule.send.blockers.isEmpty {
                faults.append("\(now): sends wait without a reason")
            }
        case .due:
            if schedule.send.due == nil { faults.append("\(now): due without an instant") }
        case .running:
            if device.core.nextDeadlineOfWork == nil, device.hand.isEmpty {
                faults.append("\(now): a send runs and nothing ends it")
            }
        }
    }
}

extension VirtualRun {
    /// When requests of a kind left, in seconds.
    func instants(_ isCounted: (EngineEffect) -> Bool) -> [Double] {
        sent.filter { isCounted($0.effect) }.map { $0.instant.inSeconds }
    }

    var sends: [Double] { instants { if case .modifyRecords = $0 { true } else { false } } }

    var fetches: [Double] {
        instants { if case .fetchDatabaseChanges = $0 { true } else { false } }
    }

    /// An automatic device that has done its launch and has nothing to do.
    static func idle(seed: UInt64 = 0, policy: SchedulingPolicy = .init()) -> VirtualRun {
        var run = VirtualRun(
            CoreFixture(isSignedIn: false, isAutomatic: true, policy: policy, seed: seed)
        )
        run.run(until: .seconds(5))
        run.forgetRequests()
        run.device.clear()
        return run
    }

    /// Counts from here on.
    mutating func forgetRequests() {
        sent = []
        wakeUps = []
    }
}

extension EngineEffect {
    var isWrite: Bool {
        switch self {
        case .modifyRecords, .modifyZones: true
        case .askAccount, .fetchDatabaseChanges, .fetchZoneChanges, .askOutcome, .asset,
            .cancelRequest,
            .deliver, .requestBatch, .requestFetchOptions, .endCall:
            false
        }
    }

    /// The answer that the request failed.
    func failing(with error: SyncError) -> EngineInput {
        switch self {
        case .askAccount(let id): .accountStatusReceived(id, .failure(error))
        case .fetchDatabaseChanges(let id, _, _): .databaseChangesFetched(id, .failure(error))
        case .fetchZoneChanges(let id, _, _): .zoneChangesFetched(id, .failure(error))
        case .modifyZones(let id, _, _): .zonesModified(id, .failure(error))
        case .modifyRecords(let id, _, _): .recordsModified(id, .failure(error))
        case .askOutcome(let id, _, _): .outcomeReceived(id, .failure(error))
        case .asset, .cancelRequest, .deliver, .requestBatch, .requestFetchOptions, .endCall: .woke
        }
    }
}
