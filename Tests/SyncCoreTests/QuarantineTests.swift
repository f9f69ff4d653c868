import RecordModel
import SyncCore
import TestSupport
import Testing

/// What becomes of a change that fails again and again.
@Suite struct QuarantineTests {
    private let refusal = SyncError(.serverResponseLost, "it fell over")
    private static let countMax = EngineConfiguration.failureCountMax
    private static let spanMin = EngineConfiguration.quarantineSpanMin

    /// A device with one note that the server never takes, for no lasting reason.
    private func device(failing ids: Record.ID...) -> CoreFixture {
        var device = CoreFixture()
        for id in ids { device.server.recordErrors[id] = refusal }
        device.edit(ids)
        return device
    }

    /// Sends so often, each time with another edit that gets through if `zoneID` is given.
    private func send(
        _ device: inout CoreFixture,
        _ count: Int,
        besides zoneID: RecordZone.ID? = notes,
        every interval: Duration = .seconds(120)
    ) {
        for _ in 0..<count {
            if let zoneID { device.edit(note("good", in: zoneID)) }
            device.send()
            device.advance(by: interval)
        }
    }

    private func quarantined(_ device: CoreFixture) -> [PendingRecordZoneChange] {
        device.sentEvents.flatMap(\.quarantinedChanges)
    }

    @Test(.holds("P60"), arguments: [notes, tasks])
    func holdsBackAChangeThatFailsWhileOthersGetThrough(others: RecordZone.ID) {
        var device = device(failing: note("bad"))
        send(&device, Self.countMax - 1, besides: others)
        #expect(quarantined(device) == [])
        #expect(device.core.canOffer(saveOf: note("bad"), in: .all))
        send(&device, 1, besides: others)
        #expect(quarantined(device) == [.saveRecord(note("bad"))])
        #expect(device.pending == [.saveRecord(note("bad"))])
        #expect(!device.core.canOffer(saveOf: note("bad"), in: .all))
        let count = device.server.batches.count
        #expect(device.send() == .returned)
        #expect(device.server.batches.count == count)
    }

    @Test(.holds("P60", "P80"))
    func theScheduleTellsParkedAndQuarantinedApart() {
        var device = device(failing: note("bad"))
        send(&device, Self.countMax)
        device.edit(note("parked"))
        device.server.recordErrors = [note("parked"): SyncError(.quotaExceeded)]
        device.send()
        let schedule = device.core.schedule(at: device.now)
        #expect(schedule.remaining.quarantined == ChangeCounts(recordSaves: 1))
        #expect(schedule.remaining.parked == ChangeCounts(recordSaves: 1))
        #expect(schedule.remaining.heldBack == ChangeCounts(recordSaves: 2))
        #expect(schedule.remaining.total == 2)
        #expect(
            schedule.explain().contains(
                "Zone notes: 1 save parked (the storage was full) until the app resumes them, "
                    + "1 save quarantined until the app resumes them."
            )
        )
    }

    @Test(.holds("P60"))
    func saysInTheErrorThatAChangeIsHeldBack() {
        var device = device(failing: note("bad"))
        send(&device, Self.countMax)
        let error = device.sentEvents.last?.failedRecordSaves.first?.error
        #expect(error?.code == .serverResponseLost)
        #expect(error?.isKept == true)
        #expect(error?.message.hasPrefix("it fell over; it failed too often") == true)
    }

    @Test(.holds("P60"))
    func holdsBackADeletionToo() {
        var device = CoreFixture()
        device.server.recordErrors[note("bad")] = refusal
        device.delete(note("bad"))
        send(&device, Self.countMax)
        #expect(quarantined(device) == [.deleteRecord(note("bad"))])
        #expect(device.pending == [.deleteRecord(note("bad"))])
        let relaunched = device.relaunched()
        #expect(relaunched.core.state.records.status(of: note("bad")) == .quarantinedDelete)
    }

    @Test(.holds("P61"))
    func holdsNothingBackWhileNothingGetsThrough() {
        var device = device(failing: note("a"), note("b", in: tasks))
        send(&device, 3 * Self.countMax, besides: nil)
        #expect(quarantined(device) == [])
        #expect(device.pending.count == 2)
    }

    @Test(.holds("P61"), arguments: [SyncError.Code.zoneBusy, .serviceUnavailable])
    func doesNotCountARequestThatFailedAsAWhole(code: SyncError.Code) {
        var device = CoreFixture()
        device.edit(note("bad"))
        for _ in 0..<3 * Self.countMax {
            device.server.requestErrors = [SyncError(code)]
            device.send(.zoneIDs([notes]))
            device.edit(note("good", in: tasks))
            device.send(.zoneIDs([tasks]))
            device.advance(by: .seconds(120))
        }
        #expect(device.failures == [note("bad"): code])
        #expect(quarantined(device) == [])
        #expect(device.send() == .returned)
    }

    @Test(.holds("P61"), arguments: [false, true])
    func holdsNothingBackBeforeItFailedForAWhile(isLongEnough: Bool) {
        var device = device(failing: note("bad"))
        send(&device, 3 * Self.countMax, every: .zero)
        #expect(quarantined(device) == [])
        device.advance(by: isLongEnough ? Self.spanMin : Self.spanMin - .milliseconds(1))
        send(&device, 1)
        #expect(quarantined(device).count == (isLongEnough ? 1 : 0))
    }

    @Test(.holds("P61"))
    func countsFromZeroAfterASuccess() {
        var device = device(failing: note("bad"))
        send(&device, Self.countMax - 1)
        device.server.recordErrors = [:]
        device.send()
        #expect(device.pending == [])
        #expect(device.core.countedFailureCount == 0)
        device.server.recordErrors[note("bad")] = refusal
        device.edit(note("bad"))
        send(&device, Self.countMax - 1)
        #expect(quarantined(device) == [])
        send(&device, 1)
        #expect(quarantined(device).count == 1)
    }

    @Test(.holds("P62"))
    func triesItAgainAfterResume() {
        var device = device(failing: note("bad"))
        send(&device, Self.countMax)
        device.handle(.parkedChangesResumed)
        #expect(device.send()?.code == .partialFailure)
        device.server.recordErrors = [:]
        #expect(device.send() == .returned)
        #expect(device.pending == [])
        #expect(device.server.records[note("bad")] != nil)
    }

    @Test(.holds("P62"))
    func triesItAgainAfterANewAdd() {
        var device = device(failing: note("bad"), note("other"))
        send(&device, Self.countMax)
        #expect(quarantined(device).count == 2)
        device.server.recordErrors = [:]
        device.edit(note("bad"))
        #expect(device.send() == .returned)
        #expect(device.pending == [.saveRecord(note("other"))])
    }

    @Test(.holds("P60", "P32"))
    func staysHeldBackAfterARelaunch() {
        var device = device(failing: note("bad"))
        send(&device, Self.countMax)
        var relaunched = device.relaunched()
        #expect(relaunched.pending == [.saveRecord(note("bad"))])
        #expect(relaunched.core.state.records.status(of: note("bad")) == .quarantinedSave)
        let count = relaunched.server.batches.count
        #expect(relaunched.send() == .returned)
        #expect(relaunched.server.batches.count == count)
        let bytes = device.core.serialization.bytes
        #expect((try? StateSerialization(bytes: bytes))?.bytes == bytes)
    }

    @Test(.holds("P60", "J6"))
    func staysHeldBackWhenItsEntryIsReplayed() throws {
        var device = device(failing: note("bad"))
        let before = device.core.serialization
        send(&device, Self.countMax)
        var state = before.restoredState()
        for update in device.events {
            guard case .stateUpdate(let update) = update else { continue }
            for entry in update.entries {
                let stored = try JournalEntry(bytes: entry.bytes)
                #expect(stored == entry)
                if !state.covers(stored.id) { state.apply(stored) }
            }
        }
        #expect(state.records.status(of: note("bad")) == .quarantinedSave)
    }

    @Test(.holds("P60", "P12"))
    func anEditMadeMeanwhileIsTried() {
        var device = device(failing: note("bad"))
        send(&device, Self.countMax - 1)
        device.edit(note("good"))
        device.callSend()
        device.runUntilSent()
        device.edit(note("bad"))
        device.run()
        #expect(quarantined(device) == [])
        #expect(device.core.canOffer(saveOf: note("bad"), in: .all))
    }

    @Test(.holds("P60", "P43"))
    func holdsTheCulpritBackLongBeforeItsSiblings() {
        var device = device(failing: note("bad"))
        device.isAtomic = true
        device.edit(note("sibling"))
        for _ in 0..<Self.countMax {
            device.edit(note("good", in: tasks))
            // The culprit's batch fails, the other zone's gets through.
            device.send(.zoneIDs([notes]))
            device.send(.zoneIDs([tasks]))
            device.advance(by: .seconds(120))
        }
        device.send(.zoneIDs([notes]))
        #expect(quarantined(device) == [.saveRecord(note("bad"))])
        #expect(device.send() == .returned)
        #expect(device.server.records[note("sibling")] != nil)
        #expect(device.pending == [.saveRecord(note("bad"))])
    }

    @Test(.holds("P60", "P36"))
    func childrenWaitForAParentThatIsHeldBack() {
        var device = device(failing: note("bad"))
        device.answers[note("bad")] = nil
        send(&device, Self.countMax)
        device.edit(note("child"), under: note("bad"))
        device.send()
        #expect(device.server.records[note("child")] == nil)
        #expect(device.pending == [.saveRecord(note("bad")), .saveRecord(note("child"))])
        device.server.recordErrors = [:]
        device.handle(.parkedChangesResumed)
        #expect(device.send() == .returned)
        #expect(device.pending == [])
    }

    @Test(.holds("P61"))
    func countsNoMoreThanSoManyChanges() {
        let countMax = EngineConfiguration.countedFailureCountMax
        var device = CoreFixture()
        let ids = (0..<countMax + 1).map { note("\($0)") }
        for id in ids { device.server.recordErrors[id] = refusal }
        device.edit(ids)
        for id in ids { device.send(.recordIDs([id])) }
        #expect(device.core.countedFailureCount == countMax)
        device.handle(.recordZoneChangesRemoved(ids.map { .saveRecord($0) }))
        #expect(device.core.countedFailureCount == 0)
    }
}
