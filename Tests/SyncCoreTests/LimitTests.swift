import RecordModel
import SyncCore
import TestSupport
import Testing

/// How much goes into a batch, and what becomes of one that is too large.
@Suite struct LimitTests {
    private func counts(_ device: CoreFixture) -> [Int] {
        device.server.batches.map { $0.recordsToSave.count + $0.recordsToDelete.count }
    }

    @Test(
        .holds("P25", "S9", "S65", "H46", "H48"),
        arguments: zip(
            [0, 1, 9, 10, 11, 20, 21],
            [[], [1], [9], [10], [10, 1], [10, 10], [10, 10, 1]]
        )
    )
    func sendsAllInFullBatches(count: Int, batches: [Int]) {
        var device = CoreFixture(limits: RequestLimits(batchCountMax: 10))
        device.edit((0..<count).map { note("\($0)") })
        #expect(device.send() == .returned)
        #expect(counts(device) == batches)
        #expect(device.sentEvents.count == batches.count)
        #expect(device.pending == [])
        #expect(device.send() == .returned)
        #expect(counts(device) == batches)
    }

    @Test(.holds("S9"))
    func sendsManyHundredChangesInOneCall() {
        var device = CoreFixture()
        device.edit((0..<444).map { note("\($0)") })
        #expect(device.send() == .returned)
        #expect(counts(device) == [250, 194])
    }

    @Test(.holds("H47"))
    func countsSavesAndDeletionsTogether() {
        var device = CoreFixture(limits: RequestLimits(batchCountMax: 4))
        for name in 0..<3 {
            device.edit(note("\(name)"))
            device.delete(note("gone \(name)"))
        }
        device.send()
        #expect(counts(device).first == 4)
        #expect(device.server.batches[0].recordsToSave.map(\.recordID) == [note("0"), note("1")])
    }

    @Test(.holds("P25", "S65"))
    func stopsAtTheLargestSizeAndNoEarlier() {
        var one = Record(recordType: "Note", recordID: note("0"))
        one["version"] = 1
        for (max, batches) in [(3 * one.byteCount, [3, 3]), (3 * one.byteCount - 1, [2, 2, 2])] {
            var device = CoreFixture(limits: RequestLimits(batchByteCountMax: max))
            device.edit((0..<6).map { note("\($0)") })
            #expect(device.send() == .returned)
            #expect(counts(device) == batches)
        }
    }

    @Test(.holds("P25", "S65"))
    func aSingleRecordIsAlwaysAllowed() {
        var device = CoreFixture(limits: RequestLimits(batchByteCountMax: 1))
        device.edit(note("a"), note("b"))
        #expect(device.send() == .returned)
        #expect(counts(device) == [1, 1])
    }

    @Test(.holds("P24", "S70", "H49"))
    func halvesABatchThatTheServerCallsTooLargeInTheSameCall() {
        var device = CoreFixture()
        device.server.batchCountMax = 3
        device.edit((0..<10).map { note("\($0)") })
        #expect(device.send() == .returned)
        #expect(device.server.records.count == 10)
        #expect(counts(device) == [10, 5, 2, 3, 5, 2, 3])
        #expect(device.sentEvents.count == 4)
        #expect(device.pending == [])
        #expect(device.faults == [])
    }

    @Test(.holds("P24", "H49", "H101"))
    func aRecordThatIsTooLargeAloneFailsAloneAndIsHandedBack() {
        var device = CoreFixture()
        device.edit((0..<5).map { note("\($0)") })
        device.server.recordErrors[note("3")] = SyncError(.limitExceeded)
        #expect(device.send()?.code == .partialFailure)
        #expect(device.server.records.count == 4)
        #expect(device.failures == [note("3"): .limitExceeded])
        #expect(device.sentEvents.flatMap(\.failedRecordSaves).map(\.error.isKept) == [false])
        #expect(device.pending == [])
        #expect(counts(device) == [5, 1])
    }

    @Test(.holds("H49"))
    func noBatchOfTheAppsOwnIsOfferedForEver() {
        var device = CoreFixture()
        device.edit(note("a"), note("b"))
        for id in [note("a"), note("b")] {
            device.server.recordErrors[id] = SyncError(.limitExceeded)
        }
        device.callSend()
        for _ in 0..<20 {
            device.runUntilAsked()
            guard case .batch = device.hand else { break }
            let records = device.pending.compactMap { device.records[$0.recordID] }
            device.provideBatch(
                records.isEmpty ? nil : RecordZoneChangeBatch(recordsToSave: records)
            )
        }
        #expect(counts(device) == [2, 1, 1])
        #expect(device.failures == [note("a"): .limitExceeded, note("b"): .limitExceeded])
        #expect(device.pending == [])
    }

    @Test(.holds("H49", "H101"))
    func aRecordThatIsTooLargeHoldsNoOtherOfItsZoneUp() {
        var device = CoreFixture()
        device.edit((0..<8).map { note("\($0)") })
        device.callSend()
        device.runUntilSent()
        device.reply(failing: SyncError(.limitExceeded))
        device.server.recordErrors[note("1")] = SyncError(.limitExceeded)
        device.run()
        #expect(device.server.records.count == 7)
        #expect(device.pending == [])
    }

    @Test(.holds("H101", "S16"))
    func aRecordThatIsTooLargeAndQueuedAgainWaitsForTheNextCall() {
        var device = CoreFixture()
        device.edit(note("a"))
        device.server.recordErrors[note("a")] = SyncError(.limitExceeded)
        device.onEvent = { device, event in
            guard case .sentRecordZoneChanges(let sent) = event else { return false }
            device.edit(sent.failedRecordSaves.map(\.record.recordID))
            return false
        }
        #expect(device.send()?.code == .partialFailure)
        #expect(counts(device) == [1])
        #expect(device.pending == [.saveRecord(note("a"))])
    }

    @Test(.holds("S70", "S71"))
    func anAtomicBatchIsCutBetweenZonesOnly() {
        var device = CoreFixture()
        device.isAtomic = true
        device.server.batchCountMax = 2
        device.edit(note("a"), note("b"), note("c", in: tasks), note("d", in: tasks))
        #expect(device.send() == .returned)
        #expect(counts(device) == [4, 2, 2])
        #expect(device.pending == [])
    }

    @Test(.holds("S70", "S71"))
    func anAtomicBatchOfOneZoneIsNotCut() {
        var device = CoreFixture()
        device.isAtomic = true
        device.server.batchCountMax = 2
        device.edit(note("a"), note("b"), note("c"))
        #expect(device.send()?.code == .partialFailure)
        #expect(counts(device) == [3])
        #expect(Set(device.failures.values) == [.limitExceeded])
        #expect(device.pending == [])
    }

    @Test(.holds("P43", "S71", "S72"))
    func theSiblingsOfAFailedAtomicBatchAreSentAgainByTheEngine() {
        var device = CoreFixture()
        device.isAtomic = true
        device.edit(note("a"), note("b"))
        device.server.recordErrors[note("a")] = SyncError(.serverRejectedRequest)
        #expect(device.send()?.code == .partialFailure)
        #expect(
            device.failures == [
                note("a"): .serverRejectedRequest, note("b"): .batchRequestFailed,
            ]
        )
        #expect(device.pending == [.saveRecord(note("b"))])
        #expect(device.send() == .returned)
        #expect(device.server.records.keys.map { $0 } == [note("b")])
    }

    @Test(.holds("P26", "S71", "S73"))
    func aBatchIsNotAtomicUnlessAskedFor() {
        var device = CoreFixture()
        device.edit(note("a"), note("b"))
        device.server.recordErrors[note("a")] = SyncError(.serverRejectedRequest)
        device.send()
        #expect(device.server.batches.map(\.isAtomicByZone) == [false])
        #expect(device.server.records.keys.map { $0 } == [note("b")])
    }

    @Test(.holds("H109", "S48"))
    func partsWhoseAnswerIsLostAreOfferedAgainInTheSameCall() {
        var device = CoreFixture()
        device.server.batchCountMax = 1
        device.edit(note("a"), note("b"))
        device.callSend()
        device.runUntilSent()
        device.reply()
        device.runUntilSent()
        device.reply(failing: SyncError(.networkFailure))
        device.run()
        #expect(device.server.records.count == 2)
        #expect(device.pending == [])
    }

    @Test(.holds("S17", "S70"))
    func aPartOfAZoneThatFailedMeanwhileStaysPending() {
        var device = CoreFixture()
        device.server.batchCountMax = 2
        device.edit(note("a"), note("t", in: tasks), note("b"), note("u", in: tasks))
        device.server.recordErrors[note("a")] = SyncError(.serverRejectedRequest)
        #expect(device.send()?.code == .partialFailure)
        #expect(device.pending == [.saveRecord(note("b"))])
        #expect(device.server.records.count == 2)
        #expect(device.core.state.openSends == [])
    }

    @Test(.holds("P7"))
    func zonesThatAreTooManyForARequestAreSentInFewer() {
        var device = CoreFixture()
        device.server.requestErrors = [SyncError(.limitExceeded)]
        device.handle(
            .databaseChangesAdded((0..<4).map { .saveZone(RecordZone(zoneName: "z\($0)")) })
        )
        #expect(device.send() == .returned)
        #expect(device.core.pendingDatabaseChanges == [])
    }
}
