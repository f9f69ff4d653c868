import MemoryCloud
import RecordModel
import RecordSync

// What a step can be.

extension SimulationRun {
    mutating func take(_ step: Int) throws {
        let place = roll(seats.count)
        switch roll(10) {
        case 0..<5: try act(place, step)
        case 5..<8: befall(place)
        case 8: sync(place)
        case _: try deliverLate()  // The last of ten numbers.
        }
    }

    private mutating func act(_ place: Int, _ step: Int) throws {
        let number = roll(1_000_000)
        guard let action = drawAction() else { return }
        let seat = seats[place]
        trace.add("\(seat.device.name): \(action.name)")
        let turn = SimulatedTurn(device: seat.device, step: step, number: number)
        if !simulation.crashesBeforeEditsAreStored { seat.launch.life.putCrashOff() }
        try action.body(seat.launch.delegate.app, seat.launch.engine, turn)
    }

    private mutating func drawAction() -> SimulatedDevices<Store, App>.Action? {
        let sum = simulation.actions.reduce(0) { $0 + $1.weight }
        guard sum > 0 else { return nil }
        var place = roll(sum)
        return simulation.actions.first { action in
            defer { place -= action.weight }
            return place < action.weight
        }
    }

    private func sync(_ place: Int) {
        let (life, engine) = (seats[place].launch.life, seats[place].launch.engine)
        trace.add("\(life.name): syncs")
        world.environment.launch {
            // The network fails on purpose; the engine keeps what it could not do.
            try? await engine.sendChanges()
            try? await engine.fetchChanges()
        }
    }

    private mutating func deliverLate() throws {
        let count = cloud.deliverLateRequests()
        if count > 0 { trace.add("\(count) late requests arrive") }
        try world.advance(by: .seconds(roll(20)))
    }

    private mutating func befall(_ place: Int) {
        let faults = SimulatedFault.allCases.filter(simulation.faults.contains)
        guard !faults.isEmpty else { return }
        let fault = faults[roll(faults.count)]
        let name = seats[place].device.name
        trace.add("\(name): \(fault)")
        switch fault {
        case .lostRequest: inject(.loseRequest, name)
        case .lostAnswer: inject(.loseAnswer, name)
        case .lateRequest: inject(.arriveLate, name)
        case .duplicate: inject(.duplicate, name)
        case .throttle: inject(.rateLimit(retryAfterSeconds: Double(1 + roll(30))), name)
        case .outage: cloud.inject(.next(.outage, count: 1 + roll(4)))
        case .delay: network.setSlow(!network.isSlow(name), name)
        case .partition: cloud.setOnline(roll(2) == 0, device: name)
        case .silence: cloud.setPushSilent(roll(2) == 0, device: name)
        case .expiredTokens: expireTokens(of: seats[place].device.account)
        case .crash:
            let crash = DeviceLife.PlannedCrash(skipCount: roll(6), isAfterCall: roll(2) == 0)
            seats[place].launch.life.plan(crash)
        }
    }

    /// Half of them befall a send, where they do most.
    private mutating func inject(_ effect: Fault.Effect, _ device: String) {
        let fault = Fault.next(effect).from(device)
        cloud.inject(roll(2) == 0 ? fault : fault.on(.modifyRecords))
    }

    private func expireTokens(of account: String) {
        // There is nothing to forget of an account that has not come yet.
        try? cloud.expireAllTokens(account: account)
    }
}
