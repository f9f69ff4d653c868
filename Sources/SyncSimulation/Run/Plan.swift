import SyncCore

/// What a run lets happen, made from its seed alone.
package struct Plan: Sendable {
    package let seed: UInt64
    package var steps: [Step]

    package init(seed: UInt64, options: SimulationOptions) {
        self.seed = seed
        var random = SplitMix64(seed: seed ^ 0x51ED_270B)
        let faults = options.faults.faults.filter { !$0.isMet }
        // Few kinds a run, so that each of them gets deep, and other kinds in other runs.
        var chosen: [Fault] = []
        if !faults.isEmpty {
            for _ in 0..<(4 + random.roll(8)) { chosen.append(random.pick(faults)) }
        }
        let isHasty = random.isLucky(30)
        steps = (0..<options.stepCount).map { _ in
            let device = random.roll(options.deviceCount)
            let isFault = !chosen.isEmpty && random.isLucky(14)
            return Step(
                gap: random.time(upTo: isHasty ? 400 : random.isLucky(5) ? 120_000 : 3000),
                action: isFault
                    ? .fault(random.pick(chosen), device) : Plan.action(device, &random),
                salt: random.next()
            )
        }
    }

    private static func action(_ device: Int, _ random: inout SplitMix64) -> Step.Action {
        switch random.roll(100) {
        case 0..<44: .edit(device)
        case 44..<54: .editMany(device)
        case 54..<64: .delete(device)
        case 64..<66: .takeBack(device)
        case 66..<67: .editUnlisted(device)
        case 67..<69: .saveZone(device)
        case 69..<70: .deleteZone(device)
        case 70..<77: .send(device)
        case 77..<84: .fetch(device)
        case 84..<86: .flush(device)
        case 86..<88: .cancel(device)
        case 88..<89: .abandonCall(device)
        case 89..<91: .resume(device)
        case 91..<92: .resetTokens(device)
        case 92..<96: .relaunch(device)
        case _: .read
        }
    }
}
