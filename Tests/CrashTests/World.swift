import RecordModel
import ServerCore
import SyncCore

/// Devices, a server and a clock: a value, so that a copy is another course of the same history.
struct World {
    let story: Story
    var server: Server<MemoryStorage>
    var devices: [Device] = []
    /// Since the beginning.
    var clock = Duration.zero
    /// The step of the story that is under way.
    var nextStep = 0
    var nextWriter: UInt64 = 1
    /// What must never happen and did.
    var faults: [String] = []
    /// Requests that still arrive although nobody waits for them.
    var late: [(device: Int, request: EngineEffect)] = []
    /// Every batch that reached the server, by its key.
    var batches: [IdempotencyKey: ModifyRecordsRequest] = [:]
    /// Calls of the server so far, and what happens to one of them.
    var callCount = 0
    var callFault: (call: Int, fault: CallFault)?
    var writeCount = 0
    /// How calls of apps failed.
    var failures: [String] = []
    var breakage = Breakage.none
    var recorder: Recorder?

    /// What a test breaks on purpose, to see that the sweep notices.
    enum Breakage: Hashable {
        case none
        /// The app stores a state before the data of the events that came before it.
        case stateBeforeData
        /// Every launch writes under the name of the first.
        case sameWriter
        #if PLANTED_BUGS
            /// Every engine makes this mistake.
            case engine(PlantedBug)
        #endif
    }

    init(_ story: Story, breakage: Breakage = .none) {
        self.story = story
        #if PLANTED_BUGS
            // The first launches make it too.
            if case .engine = breakage { self.breakage = breakage }
        #endif
        var configuration = ServerConfiguration(tokenKey: Array(0..<32))
        configuration.pageCountMax = story.pageCountMax
        configuration.limits.recordByteCountMax = story.recordByteCountMax
        server = Server(storage: MemoryStorage(), configuration: configuration)
        attempt { world throws(SyncError) in
            try world.server.createAccount("ann", at: world.wall)
            try world.server.createAccount("bob", at: world.wall)
        }
        for number in 0..<story.deviceCount { addDevice(number) }
        perform(.saveZone(0, "notes"))
        for number in devices.indices {
            perform(.send(number))
            perform(.fetch(number))
        }
        for number in devices.indices { devices[number].disk.doneSteps = 0 }
        callCount = 0
        self.breakage = breakage
    }

    var wall: Timestamp {
        Timestamp(millisecondsSince1970: 1_000_000_000 + clock.milliseconds)
    }

    func now(on device: Int) -> EngineInstant {
        EngineInstant(monotonic: clock - devices[device].bootedAt, wall: wall)
    }

    private mutating func addDevice(_ number: Int) {
        let now = EngineInstant(monotonic: .zero, wall: wall)
        let configuration = makeConfiguration()
        let core = EngineCore(configuration: configuration, now: now)
        let name = String(UnicodeScalar(UInt8(ascii: "A") + UInt8(number)))
        devices.append(
            Device(
                name: name,
                account: "ann",
                core: core,
                writer: configuration.writer,
                bootedAt: clock
            )
        )
    }

    /// The configuration of a launch, with a writer of its own.
    mutating func makeConfiguration() -> EngineConfiguration {
        defer { if breakage != .sameWriter { nextWriter += 1 } }
        let configuration = EngineConfiguration(
            databaseName: "memory/private",
            isAutomatic: story.isAutomatic,
            limits: RequestLimits(batchCountMax: story.batchCountMax),
            writer: WriterID(high: nextWriter, low: 7),
            seed: nextWriter
        )
        #if PLANTED_BUGS
            if case .engine(let bug) = breakage {
                var planted = configuration
                planted.plantedBugs = [bug]
                return planted
            }
        #endif
        return configuration
    }

    /// Does what the story's server does by itself; a refusal is a fault of the story.
    mutating func attempt(_ body: (inout World) throws(SyncError) -> Void) {
        do {
            try body(&self)
        } catch {
            faults.append("the world refused: \(error)")
        }
    }

    func caller(on device: Int) -> ServerCaller {
        ServerCaller(account: devices[device].account ?? "", deviceID: devices[device].name)
    }
}

// How the world moves.

extension World {
    /// Moves an engine by one input.
    mutating func handle(_ input: EngineInput, on device: Int) {
        let effects = devices[device].core.handle(input, at: now(on: device))
        for effect in effects { take(effect, on: device) }
    }

    mutating func take(_ effect: EngineEffect, on device: Int) {
        switch effect {
        case .askAccount, .fetchDatabaseChanges, .fetchZoneChanges, .modifyZones, .modifyRecords,
            .askOutcome:
            devices[device].requests.append(effect)
        case .asset: return
        case .cancelRequest(let id):
            devices[device].requests.removeAll { $0.requestID == id }
        case .deliver(let id, let event):
            if case .stateUpdate = event {
                devices[device].windowInHand = devices[device].disk.window.count
            }
            fill(.event(id, event), on: device)
        case .requestBatch(let id, let context): fill(.batch(id, context), on: device)
        case .requestFetchOptions(let id, let context):
            fill(.fetchOptions(id, context), on: device)
        case .endCall(_, let outcome):
            if outcome != .returned { failures.append("\(device): \(outcome)") }
        }
    }

    private mutating func fill(_ hand: Device.Hand, on device: Int) {
        if case .empty = devices[device].hand {} else { faults.append("two things in one hand") }
        devices[device].hand = hand
    }

    /// One move of the first device that can make one; false if none can.
    mutating func move() -> Bool { devices.indices.contains { move($0) } }

    /// One move of a device: its app first, then an answer, then a request.
    mutating func move(_ device: Int) -> Bool {
        switch devices[device].hand {
        case .event(let id, let event):
            devices[device].hand = .empty
            handleEvent(id, event, on: device)
        case .batch(let id, let context):
            devices[device].hand = .empty
            provideBatch(id, context, on: device)
        case .fetchOptions(let id, let context):
            devices[device].hand = .empty
            handle(.fetchOptionsProvided(id, context.options), on: device)
        case .empty:
            if !devices[device].answers.isEmpty {
                handle(devices[device].answers.removeFirst(), on: device)
            } else if !devices[device].requests.isEmpty {
                call(devices[device].requests.removeFirst(), from: device)
            } else {
                return false
            }
        }
        return true
    }

    /// Lets everybody move until nobody can, and wakes who wants to be woken soon.
    mutating func run() {
        let end = clock + .seconds(600)
        for _ in 0..<4000 {
            if move() { continue }
            guard let deadline = nextDeadline, deadline <= end else { return }
            clock = max(clock, deadline)
            for device in devices.indices {
                let due = devices[device].core.nextDeadline
                if let due, due.monotonic + devices[device].bootedAt <= clock {
                    handle(.woke, on: device)
                }
            }
        }
        faults.append("it goes on for ever")
    }

    private var nextDeadline: Duration? {
        devices.compactMap { device in
            device.core.nextDeadlineOfWork.map { $0.monotonic + device.bootedAt }
        }.min()
    }

    mutating func makeCall(on device: Int) -> CallID {
        devices[device].callCount += 1
        return CallID(devices[device].callCount)
    }
}

extension EngineEffect {
    /// The request that the effect makes of the server; nil if it makes none.
    var requestID: RequestID? {
        switch self {
        case .askAccount(let id), .fetchDatabaseChanges(let id, _, _),
            .fetchZoneChanges(let id, _, _), .modifyZones(let id, _, _),
            .modifyRecords(let id, _, _), .askOutcome(let id, _, _):
            id
        case .asset, .cancelRequest, .deliver, .requestBatch, .requestFetchOptions, .endCall:
            nil
        }
    }
}
