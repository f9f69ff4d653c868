import RecordModel
import SyncCore
import TestSupport
import Testing

/// Nothing advances past an event that the delegate threw at, and it comes first next time.
@Suite struct DelegateThrowTests {
    /// Lets the delegate throw at the next event of a kind, and nothing else.
    private func throwOnce(
        _ device: inout CoreFixture,
        at isIt: @escaping @Sendable (SyncEvent) -> Bool
    ) {
        device.run { device in
            if case .event(_, let event) = device.hand { isIt(event) } else { false }
        }
        device.handleEvent(throwing: true)
        device.run()
    }

    private func names(_ device: CoreFixture) -> [String] {
        device.events.map { String("\($0)".prefix { $0 != "(" }) }
    }

    @Test(.holds("P4", "H12"))
    func aSentEventIsToldAgainFirstAndItsChangesStayInFlightMeanwhile() {
        var device = CoreFixture()
        device.edit(note("a"), note("t", in: tasks))
        let call = device.callSend(.zoneIDs([notes]))
        throwOnce(&device) { if case .sentRecordZoneChanges = $0 { true } else { false } }
        #expect(device.ended[call]?.isThrownByDelegate == true)
        #expect(device.core.state.openSends.count == 1)
        #expect(device.sentEvents == [])
        device.events = []
        #expect(device.send() == .returned)
        #expect(names(device).first == "sentRecordZoneChanges")
        #expect(
            device.sentEvents.map { $0.savedRecords.map(\.recordID) } == [
                [note("a")], [note("t", in: tasks)],
            ]
        )
        #expect(device.core.state.openSends == [])
        #expect(device.server.batches.count == 2)
    }

    @Test(.holds("S17", "P4"))
    func otherZonesGoOnInASendWhoseEventWasThrownAt() {
        var device = CoreFixture(limits: RequestLimits(batchCountMax: 1))
        device.edit(note("a"), note("b"), note("t", in: tasks))
        let call = device.callSend()
        throwOnce(&device) { if case .sentRecordZoneChanges = $0 { true } else { false } }
        #expect(device.ended[call]?.isThrownByDelegate == true)
        #expect(device.pending == [.saveRecord(note("b"))])
        #expect(Set(device.server.records.keys) == [note("a"), note("t", in: tasks)])
    }

    @Test(.holds("S1"))
    func nothingIsSentBeforeItsAnnouncementWhenAnOldEventIsThrownAtAgain() {
        var device = CoreFixture()
        device.edit(note("a"))
        device.callSend()
        throwOnce(&device) { if case .sentRecordZoneChanges = $0 { true } else { false } }
        device.handle(.databaseChangesAdded([.saveZone(RecordZone(zoneName: "new"))]))
        device.transcript = []
        device.callSend()
        throwOnce(&device) { if case .sentRecordZoneChanges = $0 { true } else { false } }
        let will = device.transcript.firstIndex { $0.contains("willSendChanges") }
        let zones = device.transcript.firstIndex { $0.contains("modifyZones") }
        #expect(will != nil && zones != nil && will! < zones!)
        #expect(device.transcript.filter { $0.contains("didSendChanges") }.count == 1)
        #expect(device.faults == [])
    }

    @Test(.holds("P4"))
    func aFetchDoesNotHangOnASendThatTheDelegateDoesNotTake() {
        var device = CoreFixture()
        device.edit(note("a"))
        device.callSend()
        throwOnce(&device) { if case .sentRecordZoneChanges = $0 { true } else { false } }
        let call = device.callFetch()
        throwOnce(&device) { if case .sentRecordZoneChanges = $0 { true } else { false } }
        #expect(device.ended[call] != nil)
        #expect(device.fetch() == .returned)
        #expect(device.core.state.openSends == [])
    }

    @Test(.holds("P4", "J9"))
    func aFetchDoesNotHangOnASettlementThatTheDelegateDoesNotTake() {
        var device = CoreFixture()
        device.edit(note("a"))
        device.callSend()
        device.runUntilSent()
        device.reply()
        var relaunched = device.relaunched()
        let call = relaunched.callFetch()
        throwOnce(&relaunched) { if case .sentRecordZoneChanges = $0 { true } else { false } }
        #expect(relaunched.ended[call]?.isThrownByDelegate == true)
        #expect(relaunched.fetch() == .returned)
        #expect(relaunched.sentEvents.map { $0.savedRecords.map(\.recordID) } == [[note("a")]])
    }

    @Test(.holds("P9", "H54"))
    func nothingIsSentWhenTheMarkCannotBeStored() {
        var device = CoreFixture()
        device.edit(note("a"))
        device.callSend()
        device.runUntilAsked()
        device.provideBatch()
        device.handleEvent(throwing: true)
        device.run()
        #expect(device.server.batches.isEmpty)
        #expect(device.pending == [.saveRecord(note("a"))])
        #expect(device.core.state.openSends == [])
        #expect(device.send() == .returned)
        #expect(device.server.batches.count == 1)
    }

    @Test(.holds("P7"))
    func aBatchThatTheProviderThrowsAtKeepsItsChanges() {
        var device = CoreFixture()
        device.edit(note("a"))
        let call = device.callSend()
        device.runUntilAsked()
        device.throwInQuestion()
        device.run()
        #expect(device.ended[call]?.isThrownByDelegate == true)
        #expect(device.pending == [.saveRecord(note("a"))])
        #expect(device.transcript.filter { $0.contains("didSendChanges") }.count == 1)
    }

    @Test func changesOfZonesStayPendingUntilTheirEventIsTaken() {
        var device = CoreFixture()
        device.handle(.databaseChangesAdded([.saveZone(RecordZone(zoneName: "new"))]))
        device.callSend()
        throwOnce(&device) { if case .sentDatabaseChanges = $0 { true } else { false } }
        #expect(device.core.pendingDatabaseChanges.count == 1)
        device.events = []
        #expect(device.send() == .returned)
        #expect(names(device).first == "sentDatabaseChanges")
        #expect(device.core.pendingDatabaseChanges == [])
    }

    @Test(.holds("S1"), arguments: ["willSendChanges", "didSendChanges"])
    func aSendThatIsThrownAtEndsOnce(_ name: String) {
        var device = CoreFixture()
        device.edit(note("a"))
        let call = device.callSend()
        throwOnce(&device) { "\($0)".hasPrefix(name) }
        #expect(device.ended[call]?.isThrownByDelegate == true)
        #expect(device.transcript.filter { $0.contains("didSendChanges") }.count == 1)
        #expect(device.send() == .returned)
        #expect(device.pending == [])
    }

    @Test(.holds("S1", "S14"))
    func anEventThrownAtWhileASendConcludesDoesNotEndTheNextOne() {
        var device = CoreFixture()
        device.edit(note("a"))
        device.handle(.databaseChangesAdded([.deleteZone(notes)]))
        let first = device.callSend()
        let second = device.callSend()
        device.run { device in
            if case .event(_, .abandonedChanges) = device.hand { true } else { false }
        }
        device.handle(.operationsCancelled)
        let third = device.callSend()
        device.handleEvent(throwing: true)
        device.run()
        #expect(device.ended.keys.count == 3)
        #expect(device.ended[first]?.isThrownByDelegate == true)
        #expect(device.ended[second]?.code == .operationCancelled)
        #expect(device.ended[third] == .returned)
        #expect(device.occurrences("willSendChanges") == device.occurrences("didSendChanges"))
        #expect(device.occurrences("willSendChanges") == 2)
    }
}

extension CallOutcome {
    var isThrownByDelegate: Bool {
        switch self {
        case .delegateThrew, .delegateThrewAnswering: true
        case .returned, .failed, .flushed: false
        }
    }
}

extension CoreFixture {
    /// How often a word stands in the transcript.
    func occurrences(_ word: String) -> Int { transcript.filter { $0.contains(word) }.count }
}
