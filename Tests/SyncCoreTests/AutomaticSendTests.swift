import RecordModel
import SyncCore
import TestSupport
import Testing

@Suite struct AutomaticSendTests {
    /// Wakes the engine as often as it wants within a time, and counts its sends.
    private func sends(of device: inout CoreFixture, within duration: Duration) -> Int {
        let before = device.occurrences("willSendChanges")
        let end = device.now.advanced(by: duration)
        device.run()
        for _ in 0..<1000 {
            guard let deadline = device.core.nextDeadline, deadline <= end else { break }
            device.wake()
            device.run()
        }
        device.now = end
        return device.occurrences("willSendChanges") - before
    }

    @Test(.holds("S45"))
    func anAddIsSentByItself() {
        var device = CoreFixture(isAutomatic: true)
        _ = sends(of: &device, within: .seconds(10))
        device.edit(note("a"))
        #expect(sends(of: &device, within: .seconds(1)) == 1)
        #expect(device.pending == [])
    }

    @Test(.holds("S83"))
    func aManualEnginePlansNoRetry() {
        var device = CoreFixture()
        device.edit(note("a"))
        device.server.recordErrors[note("a")] = SyncError(.zoneBusy)
        device.send()
        device.server.recordErrors = [:]
        #expect(sends(of: &device, within: .seconds(1000)) == 0)
        #expect(device.pending == [.saveRecord(note("a"))])
    }

    @Test(.holds("S75", "H60", "H63"))
    func anAutomaticEngineTriesAgain() {
        var device = CoreFixture(isAutomatic: true)
        _ = sends(of: &device, within: .seconds(10))
        device.edit(note("a"))
        device.server.requestErrors = [SyncError(.networkUnavailable)]
        _ = sends(of: &device, within: .seconds(10))
        #expect(device.pending == [])
    }

    @Test(.holds("S76"))
    func noRetryComesBeforeTheTimeThatTheServerAskedFor() {
        var device = CoreFixture(isAutomatic: true)
        _ = sends(of: &device, within: .seconds(10))
        device.edit(note("a"))
        device.server.requestErrors = [SyncError(.requestRateLimited, retryAfterSeconds: 60)]
        #expect(sends(of: &device, within: .seconds(59)) == 1)
        #expect(device.server.records.isEmpty)
        #expect(sends(of: &device, within: .seconds(2)) == 1)
        #expect(device.pending == [])
    }

    @Test(.holds("S68"), arguments: [true, false])
    func aPassThatMovedNothingDelaysTheNext(walks: Bool) {
        var device = CoreFixture(isAutomatic: true)
        _ = sends(of: &device, within: .seconds(10))
        device.edit(note("a"))
        if walks { device.answers[note("a")] = .later }
        device.isSilent = !walks
        #expect(sends(of: &device, within: .seconds(60)) < 20)
        #expect(device.pending == [.saveRecord(note("a"))])
        // A new edit does not wait for that delay.
        device.isSilent = false
        device.edit(note("b"))
        _ = sends(of: &device, within: .seconds(1))
        #expect(device.server.records[note("b")] != nil)
    }

    @Test(.holds("S113"))
    func anEditAfterACancellationIsSent() {
        var device = CoreFixture(isAutomatic: true)
        _ = sends(of: &device, within: .seconds(10))
        device.server.requestErrors = [SyncError(.networkUnavailable)]
        device.edit(note("a"))
        _ = sends(of: &device, within: .milliseconds(1))
        device.handle(.operationsCancelled)
        #expect(sends(of: &device, within: .seconds(1000)) == 0)
        device.edit(note("b"))
        _ = sends(of: &device, within: .seconds(1))
        #expect(device.pending == [])
    }

    @Test(.holds("H03"))
    func anAppThatAnswersAConflictWithItsOldCopyIsSlowedDown() {
        var device = CoreFixture(isAutomatic: true)
        _ = sends(of: &device, within: .seconds(10))
        device.server.put(Record(recordType: "Note", recordID: note("a")))
        device.onEvent = { device, event in
            guard case .sentRecordZoneChanges(let sent) = event else { return false }
            device.edit(sent.failedRecordSaves.map(\.record.recordID))
            return false
        }
        device.edit(note("a"))
        #expect(sends(of: &device, within: .seconds(60)) < 20)
    }

    @Test(.holds("P13", "S53", "S54"))
    func theUntrackedFlagLeadsToAQuestionAndFallsWithTheAnswerNil() {
        var device = CoreFixture(isAutomatic: true)
        _ = sends(of: &device, within: .seconds(10))
        device.handle(.untrackedChangesSet(true))
        let before = device.occurrences("requestBatch")
        #expect(sends(of: &device, within: .seconds(10)) == 1)
        #expect(device.occurrences("requestBatch") == before + 1)
        #expect(!device.core.state.hasPendingUntrackedChanges)
    }

    @Test(.holds("P13", "S54"))
    func theUntrackedFlagStaysIfItWasSetAgainSinceTheQuestion() {
        var device = CoreFixture()
        device.handle(.untrackedChangesSet(true))
        device.callSend()
        device.runUntilAsked()
        device.handle(.untrackedChangesSet(true))
        device.provideBatch(nil)
        device.run()
        #expect(device.core.state.hasPendingUntrackedChanges)
    }
}
