import MemoryCloud
import RecordModel
import RecordSync

/// One run of simulated devices: it draws the steps, heals, and compares.
struct SimulationRun<Store: Sendable, App: SyncEngineDelegate> {
    let simulation: SimulatedDevices<Store, App>
    let seed: UInt64
    let world: TestWorld
    let cloud: InMemoryCloud
    let trace: SimulationTrace
    let network: SimulatedNetwork
    var generator: SplitMix64
    var seats: [Seat] = []

    /// A device, and what runs on it.
    struct Seat {
        let device: SimulatedDevice
        let store: Store
        var launch: Launch
    }

    /// One launch of the app.
    struct Launch {
        let life: DeviceLife
        let delegate: SimulatedDelegate<App>
        let engine: SyncEngine
    }

    init(_ simulation: SimulatedDevices<Store, App>, seed: UInt64) {
        self.simulation = simulation
        self.seed = seed
        world = TestWorld(seed: seed, order: .shuffled, jobCountMax: 1_000_000)
        cloud = InMemoryCloud(world)
        trace = SimulationTrace(world.executor)
        generator = SplitMix64(seed: world.random())
        network = SimulatedNetwork(
            generator: SplitMix64(seed: world.random()),
            executor: world.executor,
            trace: trace
        )
    }

    mutating func play() throws {
        world.executor.stayOnThread()
        cloud.setPageSize(3)
        for number in 0..<simulation.deviceCount { seats.append(try makeSeat(number)) }
        for step in 0..<simulation.stepCount {
            try take(step)
            try world.advance(by: .milliseconds(roll(3000)))
            try relaunchTheDead()
        }
        try heal()
        try compare()
    }

    func failure(_ error: any Error) -> SimulationFailure {
        SimulationFailure(seed: seed, reason: reason(for: error), trace: trace.lines)
    }

    private func reason(for error: any Error) -> SimulationFailure.Reason {
        switch error {
        case let error as ReasonError: error.reason
        case let error as TestWorldError where error.reason == .escaped:
            .escaped(world.executor.escapedCalls)
        case let error as TestWorldError: .world(error)
        case let error: .thrown("\(error)")
        }
    }

    /// Draws a number from 0 up to a count.
    mutating func roll(_ count: Int) -> Int { Int.random(in: 0..<count, using: &generator) }
}

// Devices and launches.

extension SimulationRun {
    private func makeSeat(_ number: Int) throws -> Seat {
        let accounts = simulation.accounts
        let device = SimulatedDevice(
            number: number,
            account: accounts[number % accounts.count],
            world: world
        )
        let store = simulation.makeStore(device)
        return Seat(device: device, store: store, launch: try launch(device, store))
    }

    private func launch(_ device: SimulatedDevice, _ store: Store) throws -> Launch {
        trace.add("\(device.name): launches for \(device.account)")
        let life = DeviceLife(name: device.name, executor: world.executor, trace: trace)
        let delegate = SimulatedDelegate(simulation.makeApp(device, store), life: life)
        let database = cloud.database(.private, account: device.account, device: device.name)
        var configuration = SyncEngine.Configuration(
            database: SimulatedConnection(inner: database, life: life, network: network),
            stateSerialization: simulation.state(store),
            delegate: delegate
        )
        configuration.run(on: world)
        let engine = SyncEngine(configuration)
        for body in simulation.launches { try body(delegate.app, engine) }
        return Launch(life: life, delegate: delegate, engine: engine)
    }

    mutating func relaunchTheDead() throws {
        for place in seats.indices where seats[place].launch.life.isDead {
            seats[place].launch = try launch(seats[place].device, seats[place].store)
        }
    }
}

// The end of a run.

extension SimulationRun {
    private static var healingRoundCountMax: Int { 20 }

    private mutating func heal() throws {
        trace.add("all is healed")
        cloud.liftAllFaults()
        cloud.deliverLateRequests()
        for seat in seats {
            seat.launch.life.plan(nil)
            network.setSlow(false, seat.device.name)
            cloud.setOnline(true, device: seat.device.name)
            cloud.setPushSilent(false, device: seat.device.name)
        }
        for round in 0..<Self.healingRoundCountMax {
            // What was told to wait may wait for minutes: each round gives more time.
            try world.advance(by: .seconds(60 * (round + 1)))
            let writeCount = cloud.writeRequestCount()
            let before = seats.map { simulation.content($0.store) }
            for seat in seats { try sync(seat) }
            try world.advance(by: .seconds(5))
            let isStill = before == seats.map { simulation.content($0.store) }
            if isStill, unfinished.isEmpty, cloud.writeRequestCount() == writeCount { return }
        }
        let busy = unfinished.isEmpty ? ["devices send without end"] : unfinished
        throw ReasonError(reason: .unfinished(busy))
    }

    private func sync(_ seat: Seat) throws {
        try world.run { [engine = seat.launch.engine] in
            // A failure is no end: the next round tries again.
            try? await engine.sendChanges()
            try? await engine.fetchChanges()
        }
    }

    private var unfinished: [String] {
        seats.compactMap { seat in
            let state = seat.launch.engine.state
            let zoneCount = state.pendingDatabaseChanges.count
            let recordCount = state.pendingRecordZoneChangeCount
            guard zoneCount + recordCount > 0 else { return nil }
            return "\(seat.device.name) has \(zoneCount) changes of zones and \(recordCount) of "
                + "records to send"
        }
    }

    private func compare() throws {
        let contents = seats.map { seat in
            let lines = simulation.content(seat.store)
            return SimulatedContent(device: seat.device, store: seat.store, lines: lines)
        }
        let differences = contents.flatMap { content in
            let first = contents.first { $0.device.account == content.device.account } ?? content
            return content.differences(from: first)
        }
        guard differences.isEmpty else { throw ReasonError(reason: .different(differences)) }
        for check in simulation.checks { try check(contents) }
    }
}

extension SimulatedContent {
    fileprivate func differences(from other: SimulatedContent) -> [String] {
        guard lines != other.lines else { return [] }
        let missing = other.lines.filter { !lines.contains($0) }
        let extra = lines.filter { !other.lines.contains($0) }
        return ["\(device.name) lacks \(missing) and has \(extra), beside \(other.device.name)"]
    }
}
