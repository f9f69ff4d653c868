import RecordModel
import SyncCore
import TestSupport
import Testing

@Suite struct FetchInFlightTests {
    /// A device with a record in flight that asks, meanwhile, for a page of its zone.
    private func sendingAndFetching() -> CoreFixture {
        var device = CoreFixture()
        device.server.saveElsewhere(record(note("a")))
        device.fetch()
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
        return device
    }

    private var pageEvent: String { "fetchedRecordZoneChanges(1 modified, 0 deleted)" }

    @Test(.holds("P18", "H09", "P4"))
    func holdsAPageBackWhileARecordOfItIsInFlight() {
        var device = sendingAndFetching()
        device.replyPage(.success(page([record(note("a"), version: 7)], token: "t9")))
        device.handleEvents()
        #expect(device.delivered == [])
        #expect(device.core.state.zones[notes]?.token != token("t9"))
    }

    @Test(.holds("P18", "H09"))
    func deliversTheHeldPageWhenTheSendFailed() {
        var device = sendingAndFetching()
        device.server.recordErrors[note("a")] = SyncError(.zoneBusy)
        device.replyPage(.success(page([record(note("a"), version: 7)], token: "t9")))
        device.replyBatch()
        device.run()
        #expect(
            device.delivered.filter { $0.contains("RecordZoneChanges(") } == [
                "sentRecordZoneChanges(0 saved, 0 deleted, 1 failed)", pageEvent,
                "didFetchRecordZoneChanges(notes)",
            ]
        )
        #expect(device.core.state.zones[notes]?.token == token("t9"))
    }

    @Test(.holds("P18", "H09", "H14"))
    func asksAgainForAHeldPageOnceTheSendConfirmedARecordOfIt() {
        var device = sendingAndFetching()
        device.replyPage(.success(page([record(note("a"))], token: "t9")))
        device.replyBatch()
        device.runUntilPageAsked()
        #expect(device.askedPage?.since != token("t9"))
        device.run()
        // The page holds the own version by now, which is no news.
        #expect(!device.delivered.contains(pageEvent))
        #expect(device.ended.values.allSatisfy { $0 == .returned })
        let version: Int? = device.records[note("a")]?["version"]
        #expect(version == 2)
    }

    @Test(.holds("H09"))
    func asksAgainForAPageThatAnOwnSendOvertook() {
        var device = sendingAndFetching()
        let old = device.server.records[note("a")]!
        device.replyBatch()
        device.handleEvents()
        device.replyPage(.success(page([old], token: "t9")))
        #expect(device.askedPage != nil)
        device.run()
        #expect(!device.delivered.contains(pageEvent))
        let version: Int? = device.records[note("a")]?["version"]
        #expect(version == 2)
    }

    @Test(.holds("H09"))
    func takesAPageOfOtherRecordsWhileASendRuns() {
        var device = sendingAndFetching()
        device.replyPage(.success(page([record(note("b"))], token: "t9")))
        device.handleEvents()
        #expect(device.delivered.first == pageEvent)
        #expect(device.core.state.zones[notes]?.token == token("t9"))
    }

    @Test(.holds("H51"))
    func boundsHowOftenAnOvertakenPageIsAskedFor() {
        var device = sendingAndFetching()
        device.replyBatch()
        device.handleEvents()
        for _ in 0...EngineConfiguration.repeatedPageCountMax {
            // Each time another send confirms the record before the page is there.
            device.replyPage(.success(page([record(note("a"))], token: "t9")))
            guard device.askedPage != nil else { break }
            device.run { $0.askedPage != nil && $0.hand.isEmpty && $0.sentBatch == nil }
            device.edit(note("a"))
            device.callSend()
            device.run { $0.sentBatch != nil }
            device.replyBatch()
            device.run { $0.requests.count == 1 && $0.hand.isEmpty }
        }
        device.run()
        let codes = device.ended.values.compactMap { outcome -> SyncError.Code? in
            guard case .failed(let error) = outcome else { return nil }
            return error.partialErrorsByItemID?[.zone(notes)]?.code
        }
        #expect(codes == [.zoneBusy])
    }

    @Test(.holds("H76", "H60"))
    func endsTheFetchOfAPageWhoseRecordsNobodyKnowsTheFateOf() {
        var device = sendingAndFetching()
        device.replyPage(.success(page([record(note("a"))], token: "t9")))
        device.server.requestErrors = [SyncError(.networkFailure)]
        device.server.outcomeErrors = [SyncError(.networkUnavailable)]
        device.replyBatch()
        device.run()
        #expect(device.delivered.contains { $0.hasPrefix("didFetchRecordZoneChanges(notes, ") })
        #expect(device.core.state.zones[notes]?.token != token("t9"))
        #expect(device.core.zoneIDsWithUnfetchedChanges == [notes])
        // The next fetch asks first what became of the send.
        device.clear()
        #expect(device.fetch() == .returned)
        #expect(device.words.prefix(2).map { $0.prefix(10) } == ["askAccount", "askOutcome"])
    }

    @Test(.holds("H76"))
    func endsTheFetchWhenTheDelegateThrewAtTheSendThatHeldItsPage() {
        var device = sendingAndFetching()
        device.replyPage(.success(page([record(note("a"))], token: "t9")))
        device.replyBatch()
        device.onEvent = { _, event in
            if case .sentRecordZoneChanges = event { true } else { false }
        }
        device.run()
        #expect(device.ended.count == 2 + 1)
        device.onEvent = { _, _ in false }
        #expect(device.fetch() == .returned)
        #expect(device.core.state.openSends.isEmpty)
    }

    @Test(.holds("H76"))
    func returnsFromAFetchAlthoughTheDelegateThrowsAtAnEarlierSendAgain() {
        var device = CoreFixture()
        device.edit(note("a"))
        device.onEvent = { _, event in
            if case .sentRecordZoneChanges = event { true } else { false }
        }
        device.send()
        guard case .delegateThrew? = device.fetch() else {
            Issue.record("the fetch did not throw what the delegate threw")
            return
        }
        #expect(device.core.state.openSends.count == 1)
        device.onEvent = { _, _ in false }
        #expect(device.fetch() == .returned)
        #expect(device.core.state.openSends.isEmpty)
    }

    @Test(.holds("S113"))
    func cancelsAFetchThatHoldsAPageBack() {
        var device = sendingAndFetching()
        device.replyPage(.success(page([record(note("a"))], token: "t9")))
        device.handle(.operationsCancelled)
        device.handleEvents()
        #expect(
            device.delivered == [
                "didFetchRecordZoneChanges(notes, operationCancelled: "
                    + "the fetch ended before it came to the zone's end)",
                "didFetchChanges(manual, all)",
            ]
        )
        device.run()
        #expect(device.core.state.zones[notes]?.token != token("t9"))
    }
}

extension CoreFixture.Hand {
    var isEmpty: Bool { if case .empty = self { true } else { false } }
}
