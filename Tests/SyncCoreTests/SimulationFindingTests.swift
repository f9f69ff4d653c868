import RecordModel
import SyncCore
import TestSupport
import Testing

/// What the simulation found, each as a small story; `Docs/Simulation.md` lists them.
@Suite struct SimulationFindingTests {
    /// A device that fetched two zones to their ends.
    private func fetched() -> CoreFixture {
        var device = CoreFixture()
        device.server.saveElsewhere(record(note("a")))
        device.server.saveElsewhere(record(note("t", in: tasks)))
        device.fetch()
        device.clear()
        return device
    }

    private func deletedZones(_ device: CoreFixture) -> [RecordZone.ID] {
        device.events.flatMap { event in
            if case .fetchedDatabaseChanges(let changes) = event {
                changes.deletions.map(\.zoneID)
            } else {
                [RecordZone.ID]()
            }
        }
    }

    @Test(.holds("I6", "J10"))
    func aPageOfZonesFromBeforeAResetIsNoListing() {
        var device = fetched()
        device.callFetch()
        device.runUntilZonesAsked()
        device.handle(.tokensReset(.all))
        device.replyZones(.success(zones(token: "2")))
        #expect(device.askedZones != nil && device.askedZones?.since == nil)
        device.run()
        #expect(deletedZones(device) == [])
    }

    @Test(.holds("I6", "J10"))
    func aPageOfZonesHandledAfterAResetIsNoListing() {
        var device = fetched()
        device.server.saveElsewhere(record(note("b")))
        device.callFetch()
        device.runUntilZonesAsked()
        device.replyZones(.success(zones([notes], token: "3")))
        device.handle(.tokensReset(.all))
        device.handleEvents()
        #expect(device.askedZones != nil && device.askedZones?.since == nil)
        device.run()
        #expect(deletedZones(device) == [])
    }

    @Test(.holds("I6", "J10"))
    func aResetBeforeTheFirstFetchMakesNoAbsenceADeletion() {
        var device = CoreFixture()
        device.edit(note("a"))
        device.send()
        device.handle(.tokensReset(.all))
        device.callFetch()
        device.runUntilZonesAsked()
        // Another history, of which the device knows nothing.
        device.replyZones(.success(zones(token: "1")))
        device.run()
        #expect(deletedZones(device) == [])
    }

    @Test(.holds("I6", "J10"))
    func aResetWithinAListingOfAnotherHistoryKeepsItsReason() {
        var device = fetched()
        var other = zones([notes], token: "1", moreComing: true)
        other.historyID = "before"
        device.callFetch()
        device.runUntilZonesAsked()
        device.replyZones(.success(other))
        device.handleEvents()
        other.historyID = "after"
        device.replyZones(.success(other))
        device.handle(.tokensReset(.all))
        #expect(device.core.state.zoneListing == .newHistory)
        #expect(device.core.state.zones[notes]?.fullFetch?.reason == .newHistory)
    }

    @Test(.holds("I1", "J10", "P67"))
    func aZoneThatWasDeletedAndMadeAgainBetweenTwoPagesIsFetchedWhole() {
        var device = fetched()
        device.server.saveElsewhere(record(note("b")))
        device.callFetch()
        device.runUntilPageAsked()
        device.replyPage(.failure(SyncError(.zoneNotFound)))
        device.run()
        #expect(device.core.state.zones[notes]?.isMissing == true)
        // It was made again before the list of zones could tell that it was gone.
        device.server.saveElsewhere(record(note("c")))
        device.clear()
        device.fetch()
        #expect(
            device.delivered.contains("willFetchRecordZoneChanges(notes, full 3, tokenExpired)")
        )
    }

    @Test(.holds("J10"))
    func aZoneOfWhichNothingIsKnownIsForgottenWhenItIsNotThere() {
        var device = CoreFixture()
        device.server.saveElsewhere(record(note("b")))
        device.callFetch()
        device.runUntilPageAsked()
        device.replyPage(.failure(SyncError(.zoneNotFound)))
        device.run()
        #expect(device.core.state.zones[notes] == nil)
    }

    @Test(.holds("I21", "P55"))
    func nobodyIsWokenForAFlushThatWasGivenUp() {
        var device = CoreFixture()
        device.edit(note("a"))
        let call = device.callFlush(.seconds(1))
        device.runUntilSent()
        device.handle(.callAbandoned(call))
        device.pass(.seconds(2))
        device.wake()
        let due = device.core.nextDeadlineOfWork
        #expect(due.map { $0 > device.now } != false)
    }

    /// A device with a record in flight, and a page of its zone held back for it.
    private func holding() -> CoreFixture {
        var device = fetched()
        device.edit(note("a"))
        device.callSend()
        device.runUntilSent()
        device.callFetch()
        device.handleEvents()
        device.replyZones(.success(zones([notes], token: "9")))
        while device.askedPage == nil {
            if case .fetchOptions(let id, let context) = device.hand {
                device.hand = .empty
                device.handle(.fetchOptionsProvided(id, context.options))
            } else {
                device.handleEvent()
            }
        }
        device.clear()
        device.replyPage(.success(page([record(note("a"), version: 7)], token: "t9")))
        return device
    }

    @Test(.holds("I6", "P18"))
    func aPageHeldBackOverAResetIsNotTheWholeZone() {
        var device = holding()
        device.handle(.tokensReset(.all))
        device.server.recordErrors[note("a")] = SyncError(.zoneBusy)
        device.replyBatch()
        device.handleEvents()
        #expect(!device.delivered.contains { $0.hasPrefix("fetchedRecordZoneChanges") })
        #expect(device.core.state.zones[notes]?.token == nil)
        #expect(device.core.state.zones[notes]?.fullFetch?.reason == .tokensReset)
    }

    @Test(.holds("P18"))
    func aHeldPageIsAskedForAgainAfterAConflictShowedANewerVersion() {
        var device = holding()
        device.server.saveElsewhere(record(note("a"), version: 8))
        device.replyBatch()
        device.runUntilPageAsked()
        #expect(device.askedPage != nil)
        #expect(!device.delivered.contains { $0.hasPrefix("fetchedRecordZoneChanges") })
    }

    @Test(.holds("I1", "P19"))
    func whatAFailedSendLeftOnTheServerIsTold() throws {
        var device = fetched()
        device.edit(note("b"))
        device.callSend()
        device.runUntilSent()
        // The server takes it, and answers nonsense.
        let batch = try #require(device.sentBatch)
        _ = device.server.modifyRecords(batch)
        device.reply(failing: SyncError(.internalError))
        device.run()
        device.clear()
        device.fetch()
        #expect(device.delivered.contains("fetchedRecordZoneChanges(1 modified, 0 deleted)"))
    }
}
