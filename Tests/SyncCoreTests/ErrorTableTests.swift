import RecordModel
import SyncCore
import TestSupport
import Testing

/// Every error code, as the error of one record and as that of a whole request.
@Suite struct ErrorTableTests {
    /// What is documented for the change of a record that failed.
    enum Lot: Hashable {
        /// It is pending and offered again.
        case pending
        /// It is pending and not offered until the app resumes it.
        case parked
        /// It left the queue, and the app has its error.
        case handedBack
    }

    static let kept: Set<SyncError.Code> = [
        .networkUnavailable, .networkFailure, .serviceUnavailable, .requestRateLimited,
        .notAuthenticated, .zoneBusy, .accountTemporarilyUnavailable, .operationCancelled,
        .serverResponseLost, .managedAccountRestricted, .batchRequestFailed,
    ]

    private func documentedLot(_ code: SyncError.Code) -> Lot {
        if Self.kept.contains(code) { return .pending }
        return code == .quotaExceeded ? .parked : .handedBack
    }

    private func lot(of id: Record.ID, in device: inout CoreFixture) -> Lot {
        guard device.pending.contains(.saveRecord(id)) else { return .handedBack }
        return device.core.canOffer(saveOf: id, in: .all) ? .pending : .parked
    }

    @Test(
        .holds("S48", "S49", "S75", "S77", "S78", "S79", "S81", "H63", "P7"),
        arguments: SyncError.Code.allCases
    )
    func anItemThatFailsHasTheDocumentedLot(code: SyncError.Code) {
        var device = CoreFixture()
        device.edit(note("a"), note("b"))
        device.server.recordErrors[note("a")] = SyncError(code)
        let outcome = device.send()
        #expect(lot(of: note("a"), in: &device) == documentedLot(code))
        // It stands in an event whatever becomes of it, and says what.
        #expect(device.failures == [note("a"): code])
        #expect(SyncError(code).isKept == (documentedLot(code) != .handedBack))
        #expect(outcome?.code == .partialFailure)
        #expect(device.server.records[note("b")] != nil)
        #expect(device.pending.count == (documentedLot(code) == .handedBack ? 0 : 1))
    }

    @Test(
        .holds("S48", "S49", "S75", "S77", "H63", "P7"),
        arguments: SyncError.Code.allCases
    )
    func aRequestThatFailsGivesItsItemsTheDocumentedLot(code: SyncError.Code) {
        var device = CoreFixture()
        device.edit(note("a"), note("b"))
        device.server.requestErrors = [SyncError(code)]
        let outcome = device.send()
        switch code {
        case .networkFailure, .serverResponseLost, .limitExceeded:
            // Asked for again, or sent in halves, in this very call.
            #expect(outcome == .returned)
            #expect(device.server.records.count == 2)
            #expect(device.pending == [])
        case _:
            #expect(lot(of: note("a"), in: &device) == documentedLot(code))
            #expect(lot(of: note("b"), in: &device) == documentedLot(code))
            #expect(device.failures == [note("a"): code, note("b"): code])
            #expect(device.server.records.isEmpty)
            #expect(outcome?.code == endingCode(code))
        }
        #expect(device.core.state.openSends == [])
        #expect(device.faults == [])
    }

    /// What the call throws: the error itself where the whole database cannot be used.
    private func endingCode(_ code: SyncError.Code) -> SyncError.Code {
        switch code {
        case .networkUnavailable, .serviceUnavailable, .requestRateLimited, .operationCancelled,
            .managedAccountRestricted, .notAuthenticated, .accountTemporarilyUnavailable:
            code
        case _:
            .partialFailure
        }
    }

    @Test(.holds("S75", "P7"), arguments: SyncError.Code.allCases)
    func aZoneThatFailsStaysPendingOrIsHandedBack(code: SyncError.Code) {
        var device = CoreFixture()
        let zone = RecordZone(zoneName: "new")
        device.handle(.databaseChangesAdded([.saveZone(zone)]))
        device.server.zoneErrors[zone.zoneID] = SyncError(code)
        #expect(device.send()?.code == .partialFailure)
        let isKept = documentedLot(code) != .handedBack
        #expect(device.core.pendingDatabaseChanges == (isKept ? [.saveZone(zone)] : []))
        #expect(device.occurrences("sentDatabaseChanges(0 saved, 0 deleted, 1 failed)") == 1)
    }

    @Test(.holds("P40", "S81"))
    func aChangeOverTheQuotaIsSentAgainAfterResume() {
        var device = CoreFixture()
        device.edit(note("a"))
        device.server.recordErrors[note("a")] = SyncError(.quotaExceeded)
        device.send()
        device.server.recordErrors = [:]
        #expect(device.send() == .returned)
        #expect(device.server.batches.count == 1)
        #expect(device.pending == [.saveRecord(note("a"))])
        device.handle(.parkedChangesResumed)
        #expect(device.send() == .returned)
        #expect(device.pending == [])
    }

    @Test(.holds("P40", "S81"))
    func aParkedChangeStaysParkedAfterARelaunch() {
        var device = CoreFixture()
        device.edit(note("a"))
        device.delete(note("b"))
        for id in [note("a"), note("b")] {
            device.server.recordErrors[id] = SyncError(.quotaExceeded)
        }
        device.send()
        var relaunched = device.relaunched()
        relaunched.server.recordErrors = [:]
        #expect(relaunched.send() == .returned)
        #expect(relaunched.server.batches.count == 1)
        #expect(relaunched.pending == [.saveRecord(note("a")), .deleteRecord(note("b"))])
        // To ask again for one change is to want it tried.
        relaunched.edit(note("a"))
        relaunched.send()
        #expect(relaunched.pending == [.deleteRecord(note("b"))])
    }

    @Test(.holds("S115"))
    func aConflictCarriesWhatWasSentAndWhatTheServerHas() throws {
        var device = CoreFixture()
        var theirs = Record(recordType: "Note", recordID: note("a"))
        theirs["text"] = "theirs"
        let stored = device.server.put(theirs)
        device.edit(note("a"))
        let sent = try #require(device.records[note("a")])
        device.send()
        let error = try #require(device.sentEvents.first?.failedRecordSaves.first?.error)
        #expect(error.clientRecord == sent)
        #expect(error.serverRecord == stored)
    }

    @Test(.holds("S115", "S116", "H03", "H05"))
    func mergingIntoTheServersRecordTakesOneMoreSend() {
        var device = CoreFixture()
        device.server.put(Record(recordType: "Note", recordID: note("a")))
        device.onEvent = { device, event in
            guard case .sentRecordZoneChanges(let sent) = event else { return false }
            for failure in sent.failedRecordSaves {
                guard let server = failure.error.serverRecord else { continue }
                device.records[server.recordID] = server
                device.edit(server.recordID)
            }
            return false
        }
        device.edit(note("a"))
        #expect(device.send()?.code == .partialFailure)
        #expect(device.send() == .returned)
        #expect(device.server.batches.count == 2)
        #expect(device.records[note("a")]?.recordChangeTag == "2")
    }

    @Test(.holds("H04"))
    func nothingIsLeftToSendWhereTheServersVersionWins() {
        var device = CoreFixture()
        device.server.put(Record(recordType: "Note", recordID: note("a")))
        device.edit(note("a"))
        device.send()
        #expect(device.pending == [])
        #expect(device.send() == .returned)
        #expect(device.server.batches.count == 1)
    }
}
