import SyncSimulation
import TestSupport
import Testing

@Suite struct SimulationTests {
    private func options(_ faults: FaultSet) -> SimulationOptions {
        var options = SimulationOptions()
        options.faults = faults
        return options
    }

    @Test(
        .holds("I1", "I2", "I3", "I5", "I6", "I7", "I9", "I10", "I11", "I12", "I16", "I18", "I19"),
        arguments: UInt64(0)..<6
    )
    func seedsPassWithEveryFault(seed: UInt64) {
        let run = Simulation.run(seed: seed, options: options(.all))
        #expect(run.verdict == nil)
        #expect(run.counts.edits > 20)
    }

    @Test(.holds("I20", "I21", "I22", "I23", "I26", "I27", "I30"), arguments: UInt64(100)..<104)
    func seedsPassWithoutFaults(seed: UInt64) {
        let run = Simulation.run(seed: seed, options: options(.none))
        #expect(run.verdict == nil)
        #expect(run.counts.faults[Fault.requestLost.rawValue] == 0)
    }

    @Test(.holds("I33"))
    func oneSeedIsOneCourse() {
        let first = Simulation.run(seed: 7, options: options(.all))
        let second = Simulation.run(seed: 7, options: options(.all), isTold: true)
        #expect(first.digest == second.digest)
        #expect(first.counts == second.counts)
        #expect(first.digest != Simulation.run(seed: 8, options: options(.all)).digest)
    }

    @Test func theFaultsOfARunAreThoseAskedFor() {
        let run = Simulation.run(seed: 3, options: options(FaultSet([.answerLost])))
        for fault in Fault.allCases where fault != .answerLost && !fault.isMet {
            let isOfThePlan = [.foreignToken, .zoneDeletedElsewhere, .twoTriggers].contains(fault)
            guard !isOfThePlan, fault != .answerAfterTimeout, fault != .recordTooLarge else {
                continue
            }
            #expect(run.counts.faults[fault.rawValue] == 0, "\(fault.name)")
        }
    }

    @Test(arguments: ["F8", "F7,F8", "F1,F48"])
    func aSetOfFaultsIsReadAsItIsWritten(text: String) {
        #expect(FaultSet(text)?.argument == text)
    }

    @Test(arguments: ["", "F2", "f8", "F8;F9", "everything"])
    func whatIsNoSetOfFaultsIsRefused(text: String) {
        #expect(FaultSet(text) == nil)
    }

    @Test func allFaultsAndNoneHaveNames() {
        #expect(FaultSet("all") == .all)
        #expect(FaultSet("none") == FaultSet.none)
        #expect(FaultSet.all.argument == "all")
    }
}
