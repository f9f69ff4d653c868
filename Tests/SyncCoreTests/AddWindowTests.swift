import RecordModel
import SyncCore
import TestSupport
import Testing

/// A process that dies between an edit and the state update that holds it.
@Suite struct AddWindowTests {
    /// What another launch finds: a state, entries that the app stored, and the app's records.
    private func relaunch(
        _ device: CoreFixture,
        from state: StateSerialization,
        _ entries: [JournalEntry] = []
    ) -> CoreFixture {
        device.relaunched(from: (StateSerialization(state, applying: entries), device.records))
    }

    @Test(.holds("H53", "J2", "J6"))
    func anEntryStoredWithTheEditOutlivesTheProcess() {
        var device = CoreFixture()
        let state = device.core.serialization
        let entry = device.core.prepare(.recordChangesAdded([.saveRecord(note("a"))]))
        device.records[note("a")] = record(note("a"))
        // It dies before the change was made, let alone a state handed out.
        var relaunched = relaunch(device, from: state, [entry])
        #expect(relaunched.pending == [.saveRecord(note("a"))])
        #expect(relaunched.send() == .returned)
        #expect(relaunched.server.batches.count == 1)
    }

    @Test(.holds("H53", "J5", "J7"))
    func anEntryThatIsReplayedAfterItsSendCausesNoSecondOne() {
        var device = CoreFixture()
        let entry = device.core.prepare(.recordChangesAdded([.saveRecord(note("a"))]))
        device.records[note("a")] = record(note("a"))
        device.handle(.entryApplied(entry, isStored: true))
        device.send()
        // The app has the newest state, and has not deleted the entry yet.
        var relaunched = relaunch(device, from: device.core.serialization, [entry])
        #expect(relaunched.pending == [])
        #expect(relaunched.send() == .returned)
        #expect(relaunched.server.batches.count == 1)
    }

    @Test(.holds("H53"))
    func addingEverythingTwiceAtTheStartSendsItOnce() {
        var device = CoreFixture()
        let state = device.core.serialization
        device.edit(note("a"), note("b"))
        var relaunched = relaunch(device, from: state)
        #expect(relaunched.pending == [])
        for _ in 1...2 {
            relaunched.handle(
                .recordZoneChangesAdded([.saveRecord(note("a")), .saveRecord(note("b"))])
            )
        }
        #expect(relaunched.send() == .returned)
        #expect(relaunched.server.batches.map(\.recordsToSave.count) == [2])
        #expect(relaunched.send() == .returned)
        #expect(relaunched.server.batches.count == 1)
    }

    @Test(.holds("H53", "J9"))
    func addingAtTheStartWhatWasInFlightMakesNoSecondRecordAndNoConflict() {
        var device = CoreFixture()
        device.edit(note("a"))
        device.server.lostAnswerCount = 1
        device.server.outcomeErrors = [SyncError(.networkUnavailable)]
        device.send()
        var relaunched = device.relaunched()
        relaunched.handle(.recordZoneChangesAdded([.saveRecord(note("a"))]))
        #expect(relaunched.send() == .returned)
        #expect(relaunched.failures == [:])
        #expect(relaunched.server.records.count == 1)
        #expect(relaunched.pending == [])
    }

    @Test(.holds("H41", "P5"), arguments: [false, true])
    func knowsNoMoreThanWhatItTookOfAFirstFetchThatBroke(isRelaunched: Bool) {
        var device = CoreFixture()
        for name in ["a", "b", "c"] { device.server.saveElsewhere(record(note(name))) }
        device.server.pageCountMax = 1
        device.callFetch()
        device.runUntilPageAsked()
        device.replyPage()
        device.handleEvents()
        device.replyPage(.failure(SyncError(.internalError)))
        device.run()
        #expect(device.core.zoneIDsWithUnfetchedChanges == [notes])
        var next = isRelaunched ? device.relaunched() : device
        next.callFetch()
        next.runUntilPageAsked()
        #expect(next.askedPage?.since == token("1"))
        next.run()
        #expect(next.records.keys.map(\.recordName).sorted() == ["a", "b", "c"])
    }
}
