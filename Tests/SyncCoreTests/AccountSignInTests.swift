import RecordModel
import SyncCore
import TestSupport
import Testing

@Suite struct AccountSignInTests {
    private var annID: Record.ID { Record.ID(recordName: "ann") }

    @Test(.holds("P14", "S100", "S101", "S96", "J11"))
    func tellsOfTheFirstAccountBeforeTheFirstSendAndKeepsWhatWasAdded() {
        var device = CoreFixture(isSignedIn: false)
        device.edit(note("a"))
        #expect(device.send() == .returned)
        #expect(
            device.words.prefix(3) == [
                "askAccount", "deliver accountChange(signIn ann)",
                "deliver willSendChanges(manual, all)",
            ]
        )
        #expect(device.server.records[note("a")] != nil)
    }

    @Test(.holds("P14", "S100"))
    func tellsOfTheFirstAccountBeforeTheFirstFetch() {
        var device = CoreFixture(isSignedIn: false)
        #expect(device.fetch() == .returned)
        #expect(
            device.delivered.prefix(2)
                == ["accountChange(signIn ann)", "willFetchChanges(manual, all)"]
        )
    }

    @Test(.holds("S100"))
    func tellsOfTheSameAccountOnceHoweverOftenItIsAsked() {
        var device = CoreFixture(isSignedIn: false)
        device.callSend()
        device.callFetch()
        device.reply()
        // The delegate has the sign-in in hand while the account is asked for once more.
        device.handle(.accountMayHaveChanged)
        device.replyAccount(.success(ann))
        device.run()
        device.accountBecomes(ann)
        device.run()
        #expect(device.delivered.filter { $0.hasPrefix("accountChange") }.count == 1)
        #expect(device.ended.values.allSatisfy { $0 == .returned })
        #expect(device.ended.count == 2)
    }

    @Test(.holds("S63", "S99"))
    func tellsNothingWhenTheSameAccountIsThereAfterARelaunch() {
        var device = CoreFixture()
        device.edit(note("a"))
        device.wake()
        device.run()
        var relaunched = device.relaunched()
        #expect(relaunched.send() == .returned)
        #expect(relaunched.words.first == "askAccount")
        #expect(!relaunched.delivered.contains { $0.hasPrefix("accountChange") })
    }

    @Test(.holds("S99", "S97"))
    func tellsOfOneSwitchAfterARelaunchWithAnotherAccount() {
        var device = CoreFixture()
        device.edit(note("a"))
        device.wake()
        device.run()
        var relaunched = device.relaunched()
        relaunched.server.account = .success(bob)
        #expect(relaunched.send() == .returned)
        #expect(
            relaunched.delivered.prefix(2) == [
                "accountChange(switch ann to bob)",
                "abandonedChanges(1 of records, 0 of zones, account ann was replaced)",
            ]
        )
        #expect(relaunched.server.batches.isEmpty)
    }

    @Test(.holds("P4", "S100"))
    func tellsOfTheSignInAgainIfTheDelegateThrewAtIt() {
        var device = CoreFixture(isSignedIn: false)
        device.onEvent = { _, event in if case .accountChange = event { true } else { false } }
        guard case .delegateThrew? = device.send() else {
            Issue.record("the call did not throw what the delegate threw")
            return
        }
        #expect(device.core.state.account == .unidentified)
        device.onEvent = { _, _ in false }
        device.clear()
        #expect(device.send() == .returned)
        #expect(
            device.delivered == [
                "accountChange(signIn ann)", "willSendChanges(manual, all)",
                "didSendChanges(manual, all)",
            ]
        )
    }

    @Test(.holds("J11", "S97"))
    func tellsOfBothWhenAnotherAccountCameWhileTheFirstWasBeingTold() {
        var device = CoreFixture(isSignedIn: false)
        device.edit(note("a"))
        device.callSend()
        device.reply()
        device.accountBecomes(bob)
        device.replyAccount(.success(bob))
        device.run()
        #expect(
            device.delivered.prefix(3) == [
                "accountChange(signIn ann)", "accountChange(switch ann to bob)",
                "abandonedChanges(1 of records, 0 of zones, account ann was replaced)",
            ]
        )
        #expect(device.core.state.account == .signedIn(userRecordName: "bob"))
        #expect(device.server.batches.isEmpty)
        #expect(device.faults == [])
    }

    @Test(.holds("J11", "S101"))
    func tellsOnlyOfTheLastAccountIfTheFirstWasNotToldYet() {
        var device = CoreFixture(isSignedIn: false)
        device.edit(note("a"))
        device.wake()
        // The delegate is busy with a state update.
        device.callSend()
        device.reply()
        device.accountBecomes(bob)
        device.replyAccount(.success(bob))
        device.run()
        #expect(
            device.delivered.filter { $0.hasPrefix("accountChange") }
                == ["accountChange(signIn bob)"]
        )
        #expect(device.server.batches.count == 1)
    }

    @Test(.holds("J11"))
    func signsOutAgainAfterTheSignInThatWasBeingTold() {
        var device = CoreFixture(isSignedIn: false)
        let call = device.callSend()
        device.reply()
        device.accountBecomes(.noAccount)
        device.replyAccount(.success(.noAccount))
        device.run()
        #expect(
            device.delivered == ["accountChange(signIn ann)", "accountChange(signOut ann)"]
        )
        #expect(device.ended[call]?.code == .notAuthenticated)
    }

    @Test(
        .holds("S87", "S24", "S75"),
        arguments: [
            (AccountStatus.noAccount, SyncError.Code.notAuthenticated),
            (.couldNotDetermine, .notAuthenticated),
            (.restricted, .managedAccountRestricted),
            (.temporarilyUnavailable, .accountTemporarilyUnavailable),
        ]
    )
    func doesNothingWithoutAnAccountButSayWhy(status: AccountStatus, code: SyncError.Code) {
        var device = CoreFixture(isSignedIn: false)
        device.server.account = .success(status)
        device.edit(note("a"))
        #expect(device.send()?.code == code)
        #expect(device.fetch()?.code == code)
        #expect(device.delivered == [])
        #expect(device.pending == [.saveRecord(note("a"))])
        device.server.account = .success(ann)
        #expect(device.send() == .returned)
        #expect(device.pending == [])
    }
}

extension CallOutcome {
    /// The code of the error that the call throws.
    var code: SyncError.Code? {
        guard case .failed(let error) = self else { return nil }
        return error.code
    }
}
