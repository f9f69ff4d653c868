import RecordModel
import SyncCore
import TestSupport
import Testing

/// No state tells of an account before the app has heard of it.
@Suite struct AccountNewsTests {
    private func device() -> CoreFixture {
        var device = CoreFixture()
        device.edit(note("a"))
        device.wake()
        device.run()
        device.clear()
        return device
    }

    private func accounts(_ device: CoreFixture) -> [EngineState.AccountState] {
        device.stored.map(\.state.state.account)
    }

    @Test(.holds("P4", "J11", "I26"), arguments: [["accountChange"], ["abandonedChanges"]])
    func whatTheAppThrewAtIsInNoState(names: [String]) {
        var device = device()
        let before = device.stored.count
        device.accountBecomes(bob)
        device.callSend()
        device.runThrowing(names)
        device.wake()
        device.runThrowing(names)
        #expect(device.stored.count == before)
        // A relaunch from what is stored hears of it.
        var next = device.relaunched()
        next.server.account = .success(bob)
        next.send()
        #expect(next.delivered.contains("accountChange(switch ann to bob)"))
        #expect(next.abandoned.map(\.recordZoneChanges) == [[.saveRecord(note("a"))]])
    }

    @Test(.holds("P4", "J11"))
    func onceTheAppTookTheNewsTheStateFollows() {
        var device = device()
        device.accountBecomes(bob)
        device.callSend()
        device.runThrowing(["accountChange"])
        device.send()
        #expect(device.delivered.contains("accountChange(switch ann to bob)"))
        #expect(accounts(device).last == .signedIn(userRecordName: "bob"))
    }
}

extension CoreFixture {
    /// Goes on until nothing moves; the app throws at these events.
    fileprivate mutating func runThrowing(_ names: [String]) {
        onEvent = { _, event in names.contains { "\(event)".hasPrefix($0) } }
        run()
        onEvent = { _, _ in false }
    }
}
