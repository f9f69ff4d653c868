import RecordModel
import ServerCore
import SyncCore

/// Devices, a server and a clock: everything that happens in one run.
///
/// One thread, virtual time, and chance from the seed alone: equal seeds give equal runs.
struct World {
    let options: SimulationOptions
    let plan: Plan
    var clock = Duration.zero
    var agenda = Agenda()
    var random: SplitMix64
    var server: Server<MemoryStorage>
    var isServerUp = true
    /// How far the server's wall clock is off, in milliseconds.
    var serverClockOffset: Int64 = 0
    var backup: (server: Server<MemoryStorage>, ledger: Ledger)?
    var devices: [Device] = []
    var nextWriter: UInt64 = 1
    var nextTag = 1
    /// True once all faults are over.
    var isHealed = false

    var checkers = Checkers()
    var counts = Counts()
    var digest = Digest()
    var diary = Diary()

    static let recordCount = 7
    static let accounts = ["ann", "bob"]

    init(plan: Plan, options: SimulationOptions, isTold: Bool) {
        self.plan = plan
        self.options = options
        random = SplitMix64(seed: plan.seed)
        var configuration = ServerConfiguration(tokenKey: Array(0..<32))
        configuration.pageCountMax = random.isLucky(50) ? 400 : 1 + random.roll(4)
        #if PLANTED_BUGS
            if let bug = options.plantedBug { configuration.plantedBugs = [bug] }
        #endif
        server = Server(storage: MemoryStorage(), configuration: configuration)
        diary.isKept = isTold
        attempt { world throws(SyncError) in
            for account in World.accounts { try world.server.createAccount(account, at: .zero) }
        }
        for number in 0..<options.deviceCount { addDevice(number) }
        for step in plan.steps.indices.prefix(1) {
            agenda.add(.step(step), at: .seconds(1) + plan.steps[step].gap)
        }
    }

    var serverWall: Timestamp {
        Timestamp(millisecondsSince1970: 1_700_000_000_000 + clock.milliseconds + serverClockOffset)
    }

    /// The time, however far clocks are off; each instant a millisecond behind the last.
    var trueTime: Timestamp {
        Timestamp(millisecondsSince1970: 1_700_000_000_000 + 10_000_000 + clock.milliseconds)
    }

    func now(on device: Int) -> EngineInstant {
        EngineInstant(
            monotonic: clock - devices[device].bootedAt,
            wall: Timestamp(
                millisecondsSince1970: 1_700_000_000_000 + clock.milliseconds
                    + devices[device].clockOffset
            )
        )
    }

    /// Notes that a rule was broken.
    mutating func report(_ kind: Verdict.Kind, _ checker: String, _ what: String) {
        checkers.report(kind, checker, what)
        tell(nil, .broken, "BROKEN (\(checker)): \(what)")
    }

    /// Does what the run itself wants of the server.
    mutating func attempt(_ body: (inout World) throws(SyncError) -> Void) {
        do {
            try body(&self)
        } catch {
            tell(nil, .server, "the server refused: \(error)")
        }
    }

    func zoneID(_ number: Int) -> RecordZone.ID { RecordZone.ID(zoneName: "z\(number)") }

    mutating func noteFault(_ fault: Fault) { counts.faults[fault.rawValue] += 1 }

    /// Writes into the diary, if one is kept.
    mutating func tell(_ device: Int?, _ kind: Diary.Kind, _ text: @autoclosure () -> String) {
        guard diary.isKept else { return }
        // Tokens are no text.
        let words = String(
            text().unicodeScalars.lazy.filter { $0.isASCII && $0.value >= 32 }.prefix(300).map {
                Character($0)
            }
        )
        diary.lines.append(.init(time: clock, device: device, kind: kind, text: words))
    }
}

extension Timestamp {
    static let zero = Timestamp(millisecondsSince1970: 1_700_000_000_000)
}

/// How much happened.
package struct Counts: Hashable, Sendable {
    package var steps = 0
    package var inputs = 0
    package var edits = 0
    package var relaunches = 0
    package var conflicts = 0
    package var virtualSeconds = 0.0
    /// By number.
    package var faults = [Int](repeating: 0, count: 51)

    package init() {}

    package static func += (left: inout Counts, right: Counts) {
        left.steps += right.steps
        left.inputs += right.inputs
        left.edits += right.edits
        left.relaunches += right.relaunches
        left.conflicts += right.conflicts
        left.virtualSeconds += right.virtualSeconds
        for number in left.faults.indices { left.faults[number] += right.faults[number] }
    }
}

/// What happened, line by line, for a person.
package struct Diary: Sendable {
    package var isKept = false
    package var lines: [Line] = []

    package enum Kind: String, Sendable {
        case step
        case input
        case effect
        case request
        case answer
        case fault
        case conflict
        case launch
        case store
        case server
        case broken
    }

    package struct Line: Sendable {
        package var time: Duration
        /// The device; nil for the server and the world.
        package var device: Int?
        package var kind: Kind
        package var text: String
    }

    package init() {}
}
