import RecordModel
import RecordSync
import RecordSyncTesting
import TestSupport
import Testing

/// Accounts come and go on a device.
@Suite struct AccountStoryTests {
    private let story = Story()

    private func removesDataOnSignOut(_ device: TestDevice) -> TestDevice {
        device.delegate.onEvent(.accountChange) { [delegate = device.delegate] event, _, _ in
            guard case .accountChange(let change) = event else { return }
            switch change.changeType {
            case .signIn: break
            case .signOut, .switchAccounts: delegate.records = [:]
            }
        }
        return device
    }

    private func changes(_ device: TestDevice) -> [String] {
        device.delegate.eventDescriptions.filter {
            $0.hasPrefix("accountChange") || $0.hasPrefix("abandonedChanges")
        }
    }

    @Test(.holds("P39", "H79", "S97", "J11"), arguments: [false, true])
    func sendsNothingOfOneAccountUnderAnother(isAutomatic: Bool) throws {
        let device = TestDevice(
            "A",
            on: story.world,
            cloud: story.cloud,
            isAutomatic: isAutomatic
        )
        try story.world.advance(by: .seconds(10))
        try story.send(device)
        story.cloud.setOnline(false, device: "A")
        for name in ["a", "b", "c"] { device.save(name, text: "x") }
        story.cloud.signOut(device: "A")
        story.cloud.signIn("bob", device: "A")
        story.cloud.setOnline(true, device: "A")
        try story.world.advance(by: .seconds(1000))
        try story.send(device)
        try story.world.advance(by: .seconds(1000))
        #expect(story.cloud.records(in: device.zone.zoneID, account: "bob").isEmpty)
        #expect(story.cloud.records(in: device.zone.zoneID, account: "alice").isEmpty)
        #expect(changes(device).last?.hasPrefix("abandonedChanges(3 of records") == true)
        #expect(device.pending == [])
    }

    @Test(.holds("H79", "H82"))
    func sendsNothingOfOneAccountThatWasUnderWayWhenAnotherCame() throws {
        let device = story.device("A")
        try story.send(device)
        device.save("n", text: "alice's")
        let cloud = story.cloud
        _ = TestDevice.code {
            try story.world.run {
                let hold = cloud.hold(.modifyRecords, at: .beforeServer)
                async let send: Void = device.engine.sendChanges()
                try await hold.arrived()
                cloud.signIn("bob", device: "A")
                hold.release()
                try await send
            }
        }
        try story.send(device)
        #expect(story.cloud.records(in: device.zone.zoneID, account: "bob").isEmpty)
        #expect(changes(device).last?.hasPrefix("abandonedChanges(1 of records") == true)
    }

    @Test(.holds("S97", "S102", "H81", "H11"))
    func goesOnWhereItWasWhenItsAccountSignsInAgain() throws {
        let device = removesDataOnSignOut(story.device("A"))
        device.save("sent", text: "x")
        try story.send(device)
        try story.fetch(device)
        device.engine.state.add(pendingRecordZoneChanges: [.deleteRecord(device.id("other"))])
        story.cloud.signOut(device: "A")
        #expect(TestDevice.code { try story.send(device) } == .notAuthenticated)
        #expect(device.delegate.records.isEmpty)
        story.cloud.signIn("alice", device: "A")
        try story.fetch(device)
        #expect(
            changes(device) == [
                "accountChange(signIn alice)", "accountChange(signOut alice)",
                "accountChange(signIn alice)",
            ]
        )
        // What it sent before comes back, since the app had removed it.
        #expect(device.text("sent") == "x")
        #expect(device.pending == [.deleteRecord(device.id("other"))])
    }

    @Test(.holds("H80"))
    func bringsNothingOfTheFormerAccountAfterItsSignOut() throws {
        let device = removesDataOnSignOut(story.device("A"))
        try story.cloud.save(
            [Record(recordType: "Note", recordID: device.id("n"))],
            account: "alice"
        )
        let cloud = story.cloud
        _ = TestDevice.code {
            try story.world.run {
                let hold = cloud.hold(.zoneChanges)
                async let fetch: Void = device.engine.fetchChanges()
                try await hold.arrived()
                cloud.signIn("bob", device: "A")
                // The engine hears of it while the page is on its way.
                async let send: Void = device.engine.sendChanges()
                try? await send
                hold.release()
                try? await fetch
            }
        }
        try story.fetch(device)
        #expect(device.delegate.records.isEmpty)
        #expect(changes(device).contains("accountChange(switch alice to bob)"))
    }

    @Test(.holds("S87"))
    func wakesByItselfWhenAnAccountSignsIn() throws {
        let device = TestDevice("A", on: story.world, cloud: story.cloud)
        story.cloud.signOut(device: "A")
        device.save("n", text: "x")
        try story.world.advance(by: .seconds(3600))
        #expect(story.text(device.id("n")) == nil)
        story.cloud.signIn("alice", device: "A")
        try story.world.advance(by: .milliseconds(10))
        #expect(story.text(device.id("n")) == "x")
    }

    @Test(.holds("S99"))
    func tellsOfTheLastAccountOnlyAfterARelaunch() throws {
        let device = story.device("A")
        try story.send(device)
        for account in ["bob", "carol", "dave"] { story.cloud.signIn(account, device: "A") }
        let relaunched = device.relaunched()
        try story.fetch(relaunched)
        #expect(changes(relaunched) == ["accountChange(switch alice to dave)"])
    }
}
