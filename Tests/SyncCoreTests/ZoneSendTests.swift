import RecordModel
import SyncCore
import TestSupport
import Testing

/// A send of zones has a key, as one of records has: whatever arrives late has no second effect.
struct ZoneSendTests {
    private static let zone = RecordZone(zoneName: "new")
    private static let id = zone.zoneID

    /// A device that has asked for a change of a zone, and whose request waits for its answer.
    private func sending(_ change: PendingDatabaseChange) -> CoreFixture {
        var device = CoreFixture()
        device.handle(.databaseChangesAdded([change]))
        device.callSend()
        device.runUntilZonesSent()
        return device
    }

    @Test(.holds("P9", "P68"))
    func zonesLeaveAfterTheirMarkWasStored() throws {
        var device = CoreFixture()
        device.handle(.databaseChangesAdded([.saveZone(Self.zone)]))
        device.callSend()
        device.run { device in
            if case .event(_, .stateUpdate) = device.hand { true } else { false }
        }
        #expect(device.requests.isEmpty)
        device.run()
        #expect(device.server.zones.contains(Self.id))
        #expect(device.core.state.openZoneSends == [])
        #expect(device.faults == [])
    }

    @Test(.holds("P68"))
    func aLostAnswerIsAskedForAgainUnderTheSameKey() throws {
        var device = sending(.deleteZone(tasks))
        let first = try #require(device.sentZones)
        _ = device.server.answer(device.requests[0])
        device.reply(failing: SyncError(.serverResponseLost))
        device.run()
        #expect(device.core.pendingDatabaseChanges == [.deleteZone(tasks)])
        device.server.requestErrors = []
        device.callSend()
        device.runUntilZonesSent()
        #expect(device.sentZones == first)
        device.run()
        #expect(device.core.pendingDatabaseChanges == [])
        #expect(device.sentZoneEvents.map(\.deletedZoneIDs) == [[tasks]])
    }

    @Test(.holds("P68"))
    func aLateDeletionLeavesTheNextLifeOfItsZoneAlone() throws {
        var device = sending(.deleteZone(tasks))
        let late = try #require(device.requests.first)
        device.reply(failing: SyncError(.networkFailure))
        device.run()
        device.handle(.databaseChangesAdded([.saveZone(RecordZone(zoneID: tasks))]))
        device.edit(note("b", in: tasks))
        #expect(device.send() == .returned)
        #expect(device.server.records.keys.contains(note("b", in: tasks)))
        _ = device.server.answer(late)
        #expect(device.server.zones.contains(tasks))
        #expect(device.server.records.keys.contains(note("b", in: tasks)))
    }

    @Test(.holds("P68", "J9", "P5"))
    func aRelaunchAsksAgainUnderTheSameKey() throws {
        var device = sending(.deleteZone(tasks))
        let first = try #require(device.sentZones)
        _ = device.server.answer(device.requests[0])
        var next = device.relaunched()
        #expect(next.core.pendingDatabaseChanges == [.deleteZone(tasks)])
        next.callSend()
        next.runUntilZonesSent()
        #expect(next.sentZones == first)
        next.run()
        #expect(next.core.pendingDatabaseChanges == [])
        #expect(next.sentZoneEvents.map(\.deletedZoneIDs) == [[tasks]])
        #expect(next.faults == [])
    }

    @Test(.holds("P68", "J6"))
    func theJournalAloneKnowsOfASendOfZones() throws {
        var device = sending(.saveZone(Self.zone))
        let entries = device.events.flatMap { event -> [JournalEntry] in
            guard case .stateUpdate(let update) = event else { return [] }
            return Array(update.entries)
        }
        let read = try entries.map { try JournalEntry(bytes: $0.bytes) }
        let restored = StateSerialization(nil, applying: read).restoredState()
        #expect(restored.openZoneSends.map(\.key) == device.core.state.openZoneSends.map(\.key))
        #expect(restored.openZoneSends.flatMap(\.entries).map(\.change) == [.saveZone(Self.zone)])
        device.run()
        #expect(device.core.state.openZoneSends == [])
    }

    @Test(.holds("P68"))
    func whatIsAskedForMeanwhileGoesOutUnderAKeyOfItsOwn() throws {
        var device = sending(.saveZone(Self.zone))
        let first = try #require(device.requests.first)
        device.handle(.databaseChangesAdded([.deleteZone(Self.id)]))
        device.reply(failing: SyncError(.networkFailure))
        device.run()
        device.callSend()
        device.runUntilZonesSent()
        #expect(device.sentZones?.zoneIDsToDelete == [Self.id])
        device.run()
        _ = device.server.answer(first)
        #expect(!device.server.zones.contains(Self.id))
        #expect(device.core.pendingDatabaseChanges == [])
    }

    @Test(.holds("P11", "P68"), arguments: [false, true])
    func aDeletionThatWasTakenBackIsNotDoneAfterAll(isLate: Bool) throws {
        var device = sending(.deleteZone(tasks))
        let late = try #require(device.requests.first)
        device.reply(failing: SyncError(.networkFailure))
        device.run()
        device.handle(.databaseChangesRemoved([.deleteZone(tasks)]))
        device = isLate ? device : device.relaunchedFromNewest()
        #expect(device.send() == .returned)
        #expect(device.core.state.openZoneSends == [])
        _ = device.server.answer(late)
        #expect(device.server.zones.contains(tasks))
    }

    @Test(.holds("P11", "P68"))
    func aDeletionThatWasDoneIsToldThoughItWasTakenBack() throws {
        var device = sending(.deleteZone(tasks))
        _ = device.server.answer(device.requests[0])
        device.reply(failing: SyncError(.serverResponseLost))
        device.run()
        device.handle(.databaseChangesRemoved([.deleteZone(tasks)]))
        device.server.requestErrors = []
        #expect(device.send() == .returned)
        #expect(device.sentZoneEvents.map(\.deletedZoneIDs) == [[tasks]])
        #expect(device.core.state.openZoneSends == [])
    }

    @Test(.holds("P65", "P68"))
    func aServerThatDeniesTheOutcomeHoldsNothingUp() {
        var device = sending(.deleteZone(tasks))
        device.reply(failing: SyncError(.networkFailure))
        device.run()
        device.handle(.databaseChangesRemoved([.deleteZone(tasks)]))
        device.edit(note("a"))
        let denied = SyncError(.internalError)
        device.server.outcomeErrors = [denied, denied, denied]
        #expect(device.send() == .failed(denied))
        #expect(device.send() == .failed(denied))
        #expect(device.send() == .returned)
        #expect(device.server.zones.contains(tasks))
        #expect(device.pending == [])
    }

    @Test(.holds("P4", "P68"))
    func anAnswerThatTheDelegateDidNotTakeIsToldAgainAndNotSentAgain() {
        var device = sending(.saveZone(Self.zone))
        device.onEvent = { _, event in
            if case .sentDatabaseChanges = event { true } else { false }
        }
        device.run()
        #expect(device.core.pendingDatabaseChanges == [.saveZone(Self.zone)])
        device.onEvent = { _, _ in false }
        device.send()
        #expect(device.occurrences("modifyZones") == 1)
        #expect(device.sentZoneEvents.map { $0.savedZones.map(\.zoneID) } == [[Self.id]])
        #expect(device.core.pendingDatabaseChanges == [])
    }

    @Test(.holds("P9", "P68"))
    func nothingLeavesIfTheMarkCouldNotBeStored() {
        var device = CoreFixture()
        device.handle(.databaseChangesAdded([.saveZone(Self.zone)]))
        device.onEvent = { _, event in
            if case .stateUpdate = event { true } else { false }
        }
        device.send()
        #expect(device.occurrences("modifyZones") == 0)
        #expect(device.core.state.openZoneSends == [])
        #expect(device.core.pendingDatabaseChanges == [.saveZone(Self.zone)])
    }

    @Test(.holds("P34", "P68"))
    func whatIsCancelledBeforeItsMarkIsStoredDoesNotLeave() {
        var device = CoreFixture()
        device.handle(.databaseChangesAdded([.saveZone(Self.zone)]))
        device.callSend()
        device.run { device in
            if case .event(_, .stateUpdate) = device.hand { true } else { false }
        }
        device.handle(.operationsCancelled)
        device.run()
        #expect(device.occurrences("modifyZones") == 0)
        #expect(device.core.state.openZoneSends == [])
        #expect(device.core.pendingDatabaseChanges == [.saveZone(Self.zone)])
    }

    @Test(.holds("P39", "P68", "J11"))
    func anotherAccountHasNothingOfIt() {
        var device = sending(.deleteZone(tasks))
        device.accountBecomes(.available(userRecordName: "bob"))
        device.run()
        device.send()
        #expect(device.occurrences("modifyZones") == 1)
        #expect(device.core.state.openZoneSends == [])
    }
}

extension CoreFixture {
    /// Goes on until changes of zones have been sent and wait for their answer.
    fileprivate mutating func runUntilZonesSent() { run { $0.sentZones != nil } }

    /// The changes of zones that wait for their answer.
    fileprivate var sentZones: ModifyZonesRequest? {
        for case .modifyZones(_, let request, _) in requests { return request }
        return nil
    }

    /// A launch that goes on from the state as it is now.
    fileprivate func relaunchedFromNewest() -> CoreFixture {
        relaunched(from: (core.serialization, records))
    }

    fileprivate var sentZoneEvents: [SyncEvent.SentDatabaseChanges] {
        events.compactMap { event in
            if case .sentDatabaseChanges(let sent) = event { sent } else { nil }
        }
    }
}
