import RecordModel
import SyncCore
import TestSupport
import Testing

@Suite struct SendSequenceTests {
    @Test(.holds("S1", "S3", "S6", "S7", "S8", "S14", "P2", "P9"))
    func sendsOneBatchAsOneRequestAndReportsIt() {
        var device = CoreFixture()
        device.edit(note("a"))
        #expect(device.send() == .returned)
        #expect(
            device.transcript.map(withoutNumber) == [
                "askAccount",
                "deliver willSendChanges(manual, all)",
                "requestBatch manual, all",
                "deliver stateUpdate",
                "modifyRecords save [notes/a] delete []",
                "deliver sentRecordZoneChanges(1 saved, 0 deleted, 0 failed)",
                "requestBatch manual, all",
                "deliver didSendChanges(manual, all)",
                "deliver stateUpdate",
                "endCall returned",
            ]
        )
    }

    @Test(.holds("S1", "S7"))
    func aSendOfNothingTellsOfNothingSent() {
        var device = CoreFixture()
        #expect(device.send() == .returned)
        #expect(
            device.transcript.map(withoutNumber) == [
                "askAccount",
                "deliver willSendChanges(manual, all)",
                "requestBatch manual, all",
                "deliver didSendChanges(manual, all)",
                "endCall returned",
            ]
        )
    }

    @Test(.holds("S2"))
    func zonesGoFirst() {
        var device = CoreFixture()
        device.edit(note("a", in: RecordZone.ID(zoneName: "new")))
        device.handle(.databaseChangesAdded([.saveZone(RecordZone(zoneName: "new"))]))
        #expect(device.send() == .returned)
        let order = device.transcript.map(withoutNumber).filter {
            $0.hasPrefix("modify") || $0.hasPrefix("deliver sent")
        }
        #expect(
            order == [
                "modifyZones save [new] delete []",
                "deliver sentDatabaseChanges(1 saved, 0 deleted, 0 failed)",
                "modifyRecords save [new/a] delete []",
                "deliver sentRecordZoneChanges(1 saved, 0 deleted, 0 failed)",
            ]
        )
    }

    @Test(.holds("P23", "S4", "S5", "S16"))
    func aZoneAddedByAHandlerGoesOutInTheSameCallAndItsRecordsInTheNext() {
        let zoneID = RecordZone.ID(zoneName: "missing")
        var device = CoreFixture()
        device.edit(note("a", in: zoneID))
        device.onEvent = { device, event in
            guard case .sentRecordZoneChanges(let sent) = event,
                sent.failedRecordSaves.first?.error.code == .zoneNotFound
            else { return false }
            device.handle(.databaseChangesAdded([.saveZone(RecordZone(zoneID: zoneID))]))
            device.edit(note("a", in: zoneID))
            return false
        }
        #expect(device.send()?.code == .partialFailure)
        #expect(device.server.zones.contains(zoneID))
        #expect(device.pending == [.saveRecord(note("a", in: zoneID))])
        #expect(device.send() == .returned)
        #expect(device.pending == [])
    }

    @Test(.holds("S10"))
    func theAnswerNilEndsTheStageAndWhatIsLeftIsAskedForAtTheNextSend() {
        var device = CoreFixture()
        device.edit(note("a"))
        device.isSilent = true
        #expect(device.send() == .returned)
        #expect(device.occurrences("requestBatch") == 1)
        #expect(device.pending == [.saveRecord(note("a"))])
        device.isSilent = false
        #expect(device.send() == .returned)
        #expect(device.pending == [])
    }

    @Test(.holds("P21", "S12", "S13"))
    func aBatchBeyondTheScopeFailsTheSend() {
        var device = CoreFixture()
        device.edit(note("a"), note("t", in: tasks))
        let call = device.callSend(.zoneIDs([tasks]))
        device.runUntilAsked()
        let records = device.records.values.sorted { $0.recordID < $1.recordID }
        device.provideBatch(RecordZoneChangeBatch(recordsToSave: records))
        device.run()
        #expect(device.ended[call]?.code == .invalidArguments)
        #expect(device.server.batches.isEmpty)
        #expect(device.pending.count == 2)
        #expect(device.occurrences("didSendChanges") == 1)
    }

    @Test func aRecordTwiceInABatchFailsTheSend() {
        var device = CoreFixture()
        let call = device.callSend()
        device.runUntilAsked()
        let record = Record(recordType: "Note", recordID: note("a"))
        device.provideBatch(
            RecordZoneChangeBatch(recordsToSave: [record], recordIDsToDelete: [note("a")])
        )
        device.run()
        #expect(device.ended[call]?.code == .invalidArguments)
    }

    @Test(
        .holds("P27", "S13"),
        arguments: [
            SendChangesOptions.Scope.zoneIDs([tasks]), .allExcluding([notes]),
            .recordIDs([note("t", in: tasks)]),
        ]
    )
    func theEnginesOwnWalkStaysInTheScope(_ scope: SendChangesOptions.Scope) {
        var device = CoreFixture()
        device.edit(note("a"), note("t", in: tasks))
        #expect(device.send(scope) == .returned)
        #expect(device.pending == [.saveRecord(note("a"))])
    }

    @Test(.holds("P20", "S15", "S16", "S17"))
    func otherZonesGoOnAfterAFailureAndTheFailedOneWaits() throws {
        var device = CoreFixture(limits: RequestLimits(batchCountMax: 1))
        device.edit(note("a"), note("b"), note("t", in: tasks), note("u", in: tasks))
        device.server.recordErrors[note("a")] = SyncError(.serverRejectedRequest)
        let outcome = device.send()
        guard case .failed(let error)? = outcome else {
            Issue.record("it returned")
            return
        }
        #expect(
            error.partialErrorsByItemID?.mapValues(\.code) == [
                .record(note("a")): .serverRejectedRequest
            ]
        )
        #expect(device.server.records.count == 2)
        #expect(device.pending == [.saveRecord(note("b"))])
        // What the app is told names the scope of the call, what it is asked for the rest.
        #expect(device.occurrences("didSendChanges(manual, all)") == 1)
        #expect(device.occurrences("requestBatch") == 4)
        #expect(device.send() == .returned)
        #expect(device.pending == [])
    }

    @Test(.holds("P21", "S17"))
    func aBatchOfADelegateThatDoesNotLookAtTheScopeKeepsItsFailedZoneSilently() {
        var device = CoreFixture()
        device.edit(note("a"), note("t", in: tasks))
        device.server.recordErrors[note("a")] = SyncError(.zoneBusy)
        let call = device.callSend()
        for _ in 0..<5 {
            device.runUntilAsked()
            let records = device.pending.compactMap { device.records[$0.recordID] }
            device.provideBatch(RecordZoneChangeBatch(recordsToSave: records))
        }
        device.run()
        #expect(device.ended[call]?.code == .partialFailure)
        #expect(device.pending == [.saveRecord(note("a"))])
        #expect(device.server.batches.count == 1)
    }

    @Test func batchesThatNobodyListedDoNotGoOnForEver() {
        var device = CoreFixture()
        let call = device.callSend()
        for number in 0..<1000 where device.ended[call] == nil {
            device.runUntilAsked()
            let record = Record(recordType: "Note", recordID: note("\(number)"))
            device.provideBatch(RecordZoneChangeBatch(recordsToSave: [record]))
            device.run { device in
                if case .batch = device.hand { true } else { false }
            }
        }
        #expect(device.ended[call]?.code == .invalidArguments)
        #expect(device.server.batches.count == EngineConfiguration.unlistedBatchCountMax)
    }

    @Test(.holds("S66", "S67", "S68"))
    func changesThatWerePutOffAreNamedAtTheEndAndStayPending() throws {
        var device = CoreFixture()
        device.edit(note("a"), note("b"))
        device.answers[note("a")] = .later
        #expect(device.send() == .returned)
        let did = device.events.compactMap { event in
            if case .didSendChanges(let did) = event { did } else { nil }
        }
        #expect(did.map(\.postponedChanges) == [[.saveRecord(note("a"))]])
        #expect(device.pending == [.saveRecord(note("a"))])
        #expect(device.asked.filter { $0 == note("a") }.count == 1)
    }

    @Test(.holds("S68", "H25"))
    func aChangeOfARecordThatIsGoneLeavesTheQueueAndTheOthersGoOut() {
        var device = CoreFixture()
        device.edit(note("a"), note("b"))
        device.records[note("a")] = nil
        #expect(device.send() == .returned)
        #expect(device.pending == [])
        #expect(device.server.records.keys.map { $0 } == [note("b")])
    }

    @Test(.holds("S56", "S64"))
    func theNewestContentsGoOutInTheQueuesOrder() {
        var device = CoreFixture()
        device.edit(note("b"), note("a"))
        device.delete(note("gone"))
        device.edit(note("b"))
        device.send()
        #expect(device.asked == [note("b"), note("a")])
        #expect(device.server.batches[0].recordsToSave.map { $0["version"] } == [2, 1])
        #expect(device.server.batches[0].recordsToDelete.map(\.recordID) == [note("gone")])
    }

    @Test(.holds("P37", "S80"))
    func theEngineCreatesNoZoneUnlessToldTo() {
        let zoneID = RecordZone.ID(zoneName: "unknown")
        for creates in [false, true] {
            var device = CoreFixture(createsMissingZones: creates)
            device.edit(note("a", in: zoneID), note("b", in: zoneID))
            device.send()
            #expect(device.server.zones.contains(zoneID) == creates)
            #expect(device.occurrences("modifyZones") == (creates ? 1 : 0))
            #expect(device.pending == [])
        }
    }
}

/// An effect in words without its number, which other effects shift.
func withoutNumber(_ line: String) -> String {
    line.split(separator: " ").filter { !$0.hasPrefix("#") }.joined(separator: " ")
}
