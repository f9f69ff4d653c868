import RecordModel
import SyncCore
import TestSupport
import Testing

/// Every state that was ever handed out is a place to go on from.
@Suite struct RestartTests {
    /// A story with edits, deletions, zones, a conflict, a lost answer and a batch in halves.
    private func story() -> CoreFixture {
        var device = CoreFixture(limits: RequestLimits(batchCountMax: 3))
        device.onEvent = { device, event in
            RandomRun.mend(&device, event)
            return false
        }
        device.handle(.databaseChangesAdded([.saveZone(RecordZone(zoneName: "new"))]))
        device.edit((0..<5).map { note("\($0)") })
        device.wake()
        device.send()
        device.server.batchCountMax = 2
        device.edit(note("0"), note("1"), note("5"))
        device.delete(note("2"))
        device.wake()
        if var record = device.server.records[note("1")] {
            record["version"] = 50
            device.server.saveElsewhere(record)
        }
        device.server.lostAnswerCount = 1
        device.send()
        device.send()
        device.fetch()
        return device
    }

    @Test(.holds("P5", "J9", "S51", "S60"))
    func goingOnFromEveryStateHandedOutLosesNothing() {
        let end = story()
        #expect(end.stored.count > 10)
        for stored in end.stored {
            // What the app changed after this state, it names again, as its newer store knows.
            var device = end.relaunched(from: (stored.state, end.records))
            for id in (0..<6).map({ note("\($0)") }) where end.records[id] != stored.records[id] {
                device.handle(
                    .recordZoneChangesAdded([
                        end.records[id] == nil ? .deleteRecord(id) : .saveRecord(id)
                    ])
                )
            }
            for _ in 0..<4 {
                device.send()
                device.fetch()
            }
            #expect(device.pending == [])
            #expect(device.core.state.openSends == [])
            #expect(device.faults == [])
            for id in (0..<6).map({ note("\($0)") }) {
                let own: Int? = device.records[id]?["version"]
                let theirs: Int? = device.server.records[id]?["version"]
                #expect(own == theirs, "\(id)")
            }
        }
    }

    /// A device whose process died while a batch was on its way.
    private func interrupted(arrives: Bool, keepsKeys: Bool = true) -> CoreFixture {
        var device = CoreFixture()
        device.server.keepsKeys = keepsKeys
        device.edit(note("a"), note("b"))
        device.callSend()
        device.runUntilSent()
        if arrives, let request = device.sentBatch { _ = device.server.modifyRecords(request) }
        return device.relaunched()
    }

    @Test(.holds("J9", "H109"))
    func aSendThatArrivedIsReportedAndNotSentAgain() {
        var device = interrupted(arrives: true)
        #expect(device.pending.count == 2)
        #expect(device.send() == .returned)
        #expect(
            device.sentEvents.map { $0.savedRecords.map(\.recordID) } == [[note("a"), note("b")]]
        )
        #expect(device.server.batches.count == 1)
        #expect(device.pending == [])
    }

    @Test(.holds("J9", "H60"))
    func aSendThatDidNotArriveIsClosedAndSentAgain() {
        var device = interrupted(arrives: false)
        let late = device.core.state.openSends.map(\.key)
        #expect(device.send() == .returned)
        #expect(device.server.closedKeys == Set(late))
        #expect(device.server.batches.map { $0.recordsToSave.count } == [2])
        #expect(device.server.batches.map(\.idempotencyKey) != late)
        #expect(device.pending == [])
    }

    @Test(.holds("J9", "H109"), arguments: [true, false])
    func withoutKeysAConflictWithWhatWasSentCountsAsSaved(arrives: Bool) {
        var device = interrupted(arrives: arrives, keepsKeys: false)
        #expect(device.send() == .returned)
        #expect(device.failures == [:])
        #expect(device.records[note("a")]?.recordChangeTag != nil)
        #expect(device.pending == [])
    }

    @Test(.holds("H109"))
    func withoutKeysAConflictWithSomebodyElsesVersionIsOne() {
        var device = interrupted(arrives: true, keepsKeys: false)
        if var record = device.server.records[note("a")] {
            record["version"] = 77
            device.server.put(record)
        }
        device.send()
        #expect(device.failures == [note("a"): .serverRecordChanged])
        #expect(device.server.records[note("a")]?["version"] == 77)
    }

    @Test(.holds("H109"))
    func aLostAnswerIsAskedForAndTakesEffectOnce() {
        var device = CoreFixture()
        device.server.lostAnswerCount = 1
        device.edit(note("a"))
        #expect(device.send() == .returned)
        #expect(device.server.batches.count == 1)
        #expect(device.sentEvents.map { $0.savedRecords.map(\.recordChangeTag) } == [["1"]])
    }

    @Test(.holds("H60", "J9"))
    func changesWhoseFateNobodyKnowsStayInFlightAndAreAskedForFirst() {
        var device = CoreFixture()
        device.server.lostAnswerCount = 1
        device.server.outcomeErrors = [SyncError(.networkUnavailable)]
        device.edit(note("a"))
        #expect(device.send()?.code == .networkUnavailable)
        #expect(device.pending == [.saveRecord(note("a"))])
        #expect(!device.core.canOffer(saveOf: note("a"), in: .all))
        #expect(device.send() == .returned)
        #expect(device.server.batches.count == 1)
        #expect(device.pending == [])
    }

    @Test(.holds("J8"))
    func noKeyIsMadeTwiceFromTheSameState() throws {
        var device = CoreFixture()
        device.edit(note("a"))
        device.wake()
        device.run()
        let stored = try #require(device.stored.last)
        var first = device.relaunched(from: stored)
        first.send()
        var second = first
        second = CoreFixture(state: stored.state, writer: WriterID(high: 9, low: 9))
        second.records = stored.records
        second.send()
        let keys = [first, second].flatMap { $0.server.batches.map(\.idempotencyKey) }
        #expect(keys.count == 2)
        #expect(Set(keys).count == 2)
    }
}
