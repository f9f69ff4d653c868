import RecordModel
import SyncCore
import TestSupport
import Testing

@Suite struct InFlightTests {
    @Test(.holds("S46", "S50"))
    func changesOfABatchLeaveTheListAsItIsHandedOver() {
        var device = CoreFixture()
        device.edit(note("a"), note("b"))
        device.callSend()
        device.runUntilAsked()
        device.provideBatch(RecordZoneChangeBatch(recordsToSave: [device.records[note("a")]!]))
        #expect(device.pending == [.saveRecord(note("b"))])
        #expect(device.sentBatch == nil)
    }

    @Test(.holds("P12", "S47", "S48", "H01"))
    func keepsAnEditMadeWhileItsRecordWasBeingSent() {
        var device = CoreFixture()
        device.edit(note("a"))
        device.callSend()
        device.runUntilSent()
        device.edit(note("a"))
        #expect(device.pending == [.saveRecord(note("a"))])
        device.run()
        #expect(device.pending == [])
        #expect(device.server.batches.map { $0.recordsToSave.map { $0["version"] } } == [[1], [2]])
        #expect(device.server.records[note("a")]?["version"] == 2)
    }

    @Test(.holds("P12", "H08"))
    func keepsAnEditMadeWhileItsBatchWasBeingMade() {
        var device = CoreFixture()
        device.edit(note("a"))
        device.callSend()
        device.runUntilAsked()
        let older = device.records[note("a")]!
        device.edit(note("a"))
        device.provideBatch(RecordZoneChangeBatch(recordsToSave: [older]))
        #expect(device.pending == [.saveRecord(note("a"))])
        device.run()
        #expect(device.pending == [])
        #expect(device.server.records[note("a")]?["version"] == 2)
    }

    @Test(.holds("P12"))
    func aChangeRemovedAndAddedAgainWhileItsBatchIsMadeStandsInItOnce() {
        var device = CoreFixture()
        device.edit(note("a"), note("b"))
        device.callSend()
        device.runUntilAsked()
        let walk = { (core: EngineCore, position: WalkPosition) in
            core.nextOfferable(after: position, in: .all, limit: 9).steps.map(\.change.recordID)
        }
        #expect(walk(device.core, device.core.walkStart) == [note("a"), note("b")])
        device.handle(.recordZoneChangesRemoved([.saveRecord(note("a"))]))
        device.edit(note("a"))
        #expect(walk(device.core, device.core.walkStart) == [note("b")])
        device.run()
        #expect(device.pending == [])
        #expect(
            device.server.batches.map { $0.recordsToSave.map(\.recordID) } == [
                [note("b")], [note("a")],
            ]
        )
    }

    @Test(.holds("P12"))
    func whatIsAddedWhileThereIsNoBatchIsAskedForOnce() {
        var device = CoreFixture()
        device.edit(note("a"))
        let call = device.callSend()
        for name in ["b", "c"] {
            device.runUntilAsked()
            device.edit(note(name))
            device.provideBatch(nil)
        }
        device.run()
        #expect(device.ended[call] == .returned)
        #expect(device.server.batches.isEmpty)
    }

    @Test(.holds("P12"))
    func keepsAnEditMadeAfterTheAppSaidThatItsRecordIsGone() {
        var device = CoreFixture()
        device.edit(note("a"))
        device.callSend()
        device.runUntilAsked()
        device.edit(note("a"))
        device.handle(.changeDropped(.saveRecord(note("a"))))
        #expect(device.pending == [.saveRecord(note("a"))])
    }

    @Test(.holds("H08", "H09"))
    func sendsTheLastOfManyEditsOnTopOfTheVersionThatTheFirstGot() {
        var device = CoreFixture()
        device.edit(note("a"))
        let call = device.callSend()
        device.runUntilSent()
        for _ in 0..<4 { device.edit(note("a")) }
        device.run()
        #expect(device.ended[call] == .returned)
        #expect(
            device.server.batches.map { $0.recordsToSave.map(\.recordChangeTag) } == [[nil], ["1"]]
        )
        #expect(device.server.records[note("a")]?["version"] == 5)
    }

    @Test(.holds("S48"))
    func aChangeReturnsToItsOldPlaceAfterAFailureThatARetryMends() {
        var device = CoreFixture()
        device.edit(note("a"), note("b"))
        device.callSend(.recordIDs([note("a")]))
        device.runUntilSent()
        device.edit(note("c"))
        device.reply(failing: SyncError(.zoneBusy))
        device.run()
        #expect(device.pending.map(\.recordID) == [note("a"), note("b"), note("c")])
    }

    @Test(.holds("S49", "P7"))
    func aFailureForGoodHandsTheChangeBackWithItsError() {
        var device = CoreFixture()
        device.edit(note("a"))
        device.server.recordErrors[note("a")] = SyncError(.permissionFailure)
        device.send()
        #expect(device.pending == [])
        #expect(device.failures == [note("a"): .permissionFailure])
    }

    @Test(.holds("P11", "S52"))
    func removeLeavesASendOnItsWayAlone() {
        var device = CoreFixture()
        device.edit(note("a"))
        device.callSend()
        device.runUntilSent()
        device.handle(.recordZoneChangesRemoved([.saveRecord(note("a"))]))
        device.run()
        #expect(device.server.records[note("a")] != nil)
    }

    @Test(.holds("P11", "S52"))
    func aRemovedChangeInFlightIsNotPutBackWhenItFails() {
        var device = CoreFixture()
        device.edit(note("a"))
        device.callSend()
        device.runUntilSent()
        device.handle(.recordZoneChangesRemoved([.saveRecord(note("a"))]))
        device.reply(failing: SyncError(.zoneBusy))
        device.run()
        #expect(device.pending == [])
    }

    @Test(.holds("S52", "J9"))
    func aChangeRemovedInFlightIsNotPutBackAfterARelaunch() {
        var device = CoreFixture()
        device.edit(note("a"))
        device.callSend()
        device.runUntilSent()
        device.handle(.recordZoneChangesRemoved([.saveRecord(note("a"))]))
        let state = StateSerialization(snapshotOf: device.core.state)
        device.requests = []
        var relaunched = device.relaunched(from: (state, device.records))
        #expect(relaunched.pending == [])
        #expect(relaunched.send() == .returned)
        #expect(relaunched.server.batches.isEmpty)
        #expect(relaunched.pending == [])
    }

    @Test(.holds("S52"))
    func removingTheOtherKindLeavesTheChangeInFlight() {
        var device = CoreFixture()
        device.edit(note("a"))
        device.callSend()
        device.runUntilSent()
        device.handle(.recordZoneChangesRemoved([.deleteRecord(note("a"))]))
        device.reply(failing: SyncError(.zoneBusy))
        device.run()
        #expect(device.pending == [.saveRecord(note("a"))])
    }

    @Test(.holds("P12", "S48"))
    func aNewerIntentWinsOverTheReturningOne() {
        var device = CoreFixture()
        device.edit(note("a"))
        device.callSend()
        device.runUntilSent()
        device.delete(note("a"))
        device.reply(failing: SyncError(.zoneBusy))
        device.run()
        #expect(device.pending == [.deleteRecord(note("a"))])
    }

    @Test(.holds("S55", "P7"))
    func aChangeThatWasNeverListedIsPendingAfterAFailureThatARetryMends() {
        var device = CoreFixture()
        device.callSend()
        device.runUntilAsked()
        let record = Record(recordType: "Note", recordID: note("unlisted"))
        device.provideBatch(
            RecordZoneChangeBatch(recordsToSave: [record], recordIDsToDelete: [note("gone")])
        )
        device.runUntilSent()
        device.reply(failing: SyncError(.zoneBusy))
        device.run()
        #expect(device.pending == [.saveRecord(note("unlisted")), .deleteRecord(note("gone"))])
    }

    @Test(.holds("S47", "H01"))
    func keepsAnEditMadeWhileTheHalvesOfItsBatchWereBeingSent() {
        var device = CoreFixture()
        device.server.batchCountMax = 1
        device.edit(note("a"), note("b"))
        device.callSend()
        device.runUntilSent()
        device.reply()
        device.runUntilSent()
        // The first half is on its way, the second waits with what was made of "b".
        device.edit(note("b"))
        device.run()
        #expect(device.pending == [])
        #expect(device.server.records[note("b")]?["version"] == 2)
    }

    @Test(.holds("S47", "H01"))
    func keepsAnEditMadeBeforeItsBatchWasHalved() {
        var device = CoreFixture()
        device.server.batchCountMax = 1
        device.edit(note("a"), note("b"))
        device.callSend()
        device.runUntilSent()
        device.edit(note("b"))
        device.run()
        #expect(device.pending == [])
        #expect(device.server.records[note("b")]?["version"] == 2)
    }

    @Test(.holds("S46", "S51"))
    func halvesThatWaitAreInFlightAndPendingAfterARelaunch() {
        var device = CoreFixture()
        device.server.batchCountMax = 1
        device.edit(note("a"), note("b"), note("c"))
        device.callSend()
        device.runUntilSent()
        device.reply()
        device.runUntilSent()
        #expect(device.pending == [])
        var relaunched = device.relaunched()
        #expect(relaunched.pending.map(\.recordID) == [note("a"), note("b"), note("c")])
        relaunched.send()
        #expect(relaunched.server.records.count == 3)
        #expect(relaunched.pending == [])
    }

    @Test(.holds("S39", "S51"))
    func anEditOfARestoredChangeInFlightStandsInTheListOnce() {
        var device = CoreFixture()
        device.edit(note("a"), note("b"))
        device.callSend()
        device.runUntilSent()
        var relaunched = device.relaunched()
        relaunched.edit(note("a"))
        #expect(relaunched.pending == [.saveRecord(note("b")), .saveRecord(note("a"))])
    }
}
