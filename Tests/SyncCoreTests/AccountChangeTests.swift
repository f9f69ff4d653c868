import RecordModel
import SyncCore
import TestSupport
import Testing

@Suite struct AccountChangeTests {
    private var accountNews: [String] {
        [
            "accountChange(switch ann to bob)",
            "abandonedChanges(1 of records, 1 of zones, account ann was replaced)",
        ]
    }

    private func pendingDevice() -> CoreFixture {
        var device = CoreFixture()
        device.server.saveElsewhere(record(note("x")))
        device.fetch()
        device.edit(note("a"))
        device.handle(.databaseChangesAdded([.saveZone(RecordZone(zoneID: tasks))]))
        device.clear()
        return device
    }

    /// Which entries of a former launch the state holds is forgotten by then.
    @Test(.holds("P39", "J11", "H79"))
    func givesUpWhatAFormerLaunchLeftAfterThisOneStoredAState() {
        var device = CoreFixture()
        device.edit(note("a"))
        device.handle(.databaseChangesAdded([.deleteZone(tasks)]))
        device.wake()
        device.run()
        device = device.relaunched()
        device.edit(note("b"))
        device.wake()
        device.run()
        device.accountBecomes(bob)
        device.run()
        device.send()
        #expect(device.pending == [])
        #expect(device.core.pendingDatabaseChanges == [])
        #expect(device.server.batches.isEmpty)
        #expect(device.abandoned.map(\.recordZoneChanges.count) == [2])
    }

    @Test(.holds("S97", "J11", "P7", "H79"))
    func givesUpTheFormerAccountsChangesAndListsThem() {
        var device = pendingDevice()
        device.accountBecomes(bob)
        device.run()
        #expect(device.delivered == accountNews)
        guard case .abandonedChanges(let abandoned) = device.events.last else { return }
        #expect(abandoned.recordZoneChanges == [.saveRecord(note("a"))])
        #expect(abandoned.databaseChanges == [.saveZone(RecordZone(zoneID: tasks))])
        #expect(
            abandoned.reason == .accountChanged(previousUser: Record.ID(recordName: "ann"))
        )
        #expect(device.send() == .returned)
        #expect(device.server.batches.isEmpty)
    }

    @Test(.holds("S98"))
    func keepsWhatTheHandlerOfTheSwitchAdds() {
        var device = pendingDevice()
        device.onEvent = { device, event in
            if case .accountChange = event { device.edit(note("new")) }
            return false
        }
        device.accountBecomes(bob)
        device.run()
        #expect(device.pending == [.saveRecord(note("new"))])
    }

    @Test(.holds("H77", "H78", "S97"))
    func startsFromTheBeginningWithAnotherAccount() {
        var device = pendingDevice()
        device.accountBecomes(bob)
        device.run()
        device.callFetch()
        device.runUntilZonesAsked()
        #expect(device.askedZones?.since == nil)
        device.runUntilPageAsked()
        #expect(device.askedPage?.since == nil)
    }

    @Test(.holds("S97", "J11", "H81", "H80"))
    func suspendsTheOutboxWhenTheAccountSignsOut() {
        var device = pendingDevice()
        device.accountBecomes(.noAccount)
        device.run()
        #expect(device.delivered == ["accountChange(signOut ann)"])
        #expect(device.pending == [.saveRecord(note("a"))])
        #expect(device.send()?.code == .notAuthenticated)
        #expect(device.server.batches.isEmpty)
        device.accountBecomes(ann)
        device.run()
        #expect(device.delivered.last == "accountChange(signIn ann)")
        #expect(device.send() == .returned)
        #expect(device.pending == [])
        #expect(device.server.records[note("a")] != nil)
    }

    @Test(.holds("J11", "H79"))
    func givesUpTheOutboxWhenAnotherAccountSignsInAfterTheSignOut() {
        var device = pendingDevice()
        device.accountBecomes(.noAccount)
        device.run()
        device.wake()
        device.run()
        var relaunched = device.relaunched()
        relaunched.server.account = .success(bob)
        #expect(relaunched.send() == .returned)
        #expect(
            relaunched.delivered.prefix(2) == [
                "accountChange(signIn bob)",
                "abandonedChanges(1 of records, 1 of zones, account ann was replaced)",
            ]
        )
        #expect(relaunched.server.batches.isEmpty)
        #expect(relaunched.pending == [])
    }

    @Test(.holds("J11"))
    func tellsOfSeveralChangesInTheirOrder() {
        var device = CoreFixture()
        device.edit(note("a"))
        device.wake()
        // The delegate is busy with a state update.
        for status in [bob, .noAccount, ann] {
            device.accountBecomes(status)
            device.replyAccount(.success(status))
        }
        device.run()
        #expect(
            device.delivered == [
                "accountChange(switch ann to bob)",
                "abandonedChanges(1 of records, 0 of zones, account ann was replaced)",
                "accountChange(signOut bob)", "accountChange(signIn ann)",
            ]
        )
        #expect(device.core.state.account == .signedIn(userRecordName: "ann"))
    }

    @Test(.holds("P7", "J11"))
    func tellsOfTheGivenUpChangesAlthoughTheDelegateThrewAtThemBeforeTheNextChange() {
        var device = pendingDevice()
        device.onEvent = { _, event in
            if case .abandonedChanges = event { true } else { false }
        }
        device.accountBecomes(bob)
        device.run()
        device.onEvent = { _, _ in false }
        device.accountBecomes(.noAccount)
        device.run()
        #expect(
            device.delivered == accountNews + [
                "abandonedChanges(1 of records, 1 of zones, account ann was replaced)",
                "accountChange(signOut bob)",
            ]
        )
    }

    @Test(.holds("S24"))
    func doesNotAskAsNobodyWhenTheNewsOfAnAccountIsHandledAfterItsSignOut() {
        var device = pendingDevice()
        device.accountBecomes(bob)
        device.replyAccount(.success(bob))
        // The switch is in the delegate's hands.
        device.accountBecomes(.noAccount)
        device.replyAccount(.success(.noAccount))
        let calls = [device.callSend(), device.callFetch()]
        device.run()
        #expect(calls.map { device.ended[$0]?.code } == [.notAuthenticated, .notAuthenticated])
        #expect(device.server.batches.isEmpty)
    }

    @Test(.holds("S97"))
    func asksAgainWhoIsThereWhenTheServerSaysThatNobodyIs() {
        var device = pendingDevice()
        device.callFetch()
        device.runUntilZonesAsked()
        device.server.account = .success(bob)
        device.replyZones(.failure(SyncError(.notAuthenticated)))
        device.run()
        device.clear()
        #expect(device.fetch() == .returned)
        #expect(device.words.first == "askAccount")
        #expect(device.delivered.prefix(2) == accountNews[...])
    }
}
