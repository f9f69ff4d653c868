import RecordModel
import SyncCore
import TestSupport
import Testing

@Suite struct FetchPagingTests {
    private func zoneToken(_ device: CoreFixture) -> ServerChangeToken? {
        device.core.state.zones[notes]?.token
    }

    /// A device that waits for the first page of a zone.
    private func waiting() -> CoreFixture {
        var device = CoreFixture()
        device.callFetch()
        device.runUntilZonesAsked()
        device.replyZones(.success(zones([notes], token: "d1")))
        device.runUntilPageAsked()
        return device
    }

    @Test(.holds("H26", "P4"))
    func takesATokenOnlyAfterThePageWasHandled() {
        var device = waiting()
        device.replyPage(.success(page([record(note("a"))], token: "t1")))
        #expect(zoneToken(device) == nil)
        device.handleEvent()
        #expect(zoneToken(device) == token("t1"))
    }

    @Test(.holds("H27", "P4"))
    func asksForTheNextPageOnlyAfterThisOneWasHandled() {
        var device = waiting()
        device.replyPage(.success(page([record(note("a"))], token: "t1", moreComing: true)))
        #expect(device.askedPage == nil)
        device.handleEvent()
        #expect(device.askedPage?.since == token("t1"))
    }

    @Test(.holds("H26", "H27", "P5"))
    func fetchesAPageAgainThatTheDelegateThrewAt() {
        var device = waiting()
        device.replyPage(.success(page([record(note("a"))], token: "t1", moreComing: true)))
        device.handleEvent(throwing: true)
        #expect(zoneToken(device) == nil)
        device.run()
        #expect(zoneToken(device) == nil)
        #expect(device.core.zoneIDsWithUnfetchedChanges == [notes])
        #expect(device.stored.last?.state.restoredState().zones[notes]?.token == nil)
    }

    @Test(.holds("H50"))
    func goesOnFromTheLastHandledPageAfterARelaunch() {
        var device = waiting()
        device.replyPage(.success(page([record(note("a"))], token: "t1", moreComing: true)))
        device.handleEvent()
        device.wake()
        device.handleEvents()
        var relaunched = device.relaunched()
        relaunched.callFetch()
        relaunched.runUntilPageAsked()
        #expect(relaunched.askedPage?.since == token("t1"))
        #expect(
            relaunched.delivered.last == "willFetchRecordZoneChanges(notes, full 1, firstFetch)"
        )
    }

    @Test(.holds("H28"))
    func takesTheTokenOfAnEmptyPageAndTellsOfNoChanges() {
        var device = waiting()
        device.clear()
        device.replyPage(.success(page(token: "t1", moreComing: true)))
        #expect(zoneToken(device) == token("t1"))
        #expect(device.askedPage?.since == token("t1"))
        device.replyPage(.success(page(token: "t2")))
        device.run()
        #expect(zoneToken(device) == token("t2"))
        #expect(
            device.delivered
                == ["didFetchRecordZoneChanges(notes)", "didFetchChanges(manual, all)"]
        )
        #expect(device.stored.last?.state.restoredState().zones[notes]?.token == token("t2"))
    }

    @Test(.holds("H28"))
    func takesTheTokenOfAnEmptyPageOfZones() {
        var device = CoreFixture()
        let call = device.callFetch()
        device.runUntilZonesAsked()
        device.replyZones(.success(zones(token: "d1", moreComing: true)))
        #expect(device.askedZones?.since == token("d1"))
        device.replyZones(.success(zones(token: "d2")))
        device.run()
        #expect(device.ended[call] == .returned)
        #expect(device.core.state.databaseToken == token("d2"))
    }

    @Test(.holds("H51"))
    func followsALongCatchUpToItsEnd() {
        var device = waiting()
        for number in 1...5000 {
            device.replyPage(.success(page(token: "t\(number)", moreComing: true)))
        }
        device.replyPage(.success(page(token: "end")))
        device.run()
        #expect(zoneToken(device) == token("end"))
        #expect(device.ended.values.first == .returned)
    }

    @Test(.holds("H51"))
    func bearsTwoPagesInARowWithoutProgress() {
        var device = waiting()
        device.replyPage(.success(page(token: "t1", moreComing: true)))
        for _ in 1...2 { device.replyPage(.success(page(token: "t1", moreComing: true))) }
        #expect(device.askedPage?.since == token("t1"))
        device.replyPage(.success(page(token: "t2", moreComing: true)))
        for _ in 1...2 { device.replyPage(.success(page(token: "t2", moreComing: true))) }
        device.replyPage(.success(page(token: "t3")))
        device.run()
        #expect(device.ended.values.first == .returned)
    }

    @Test(.holds("H51", "S23"))
    func givesAZoneUpAfterThreePagesInARowWithoutProgress() {
        var device = waiting()
        device.replyPage(.success(page(token: "t1", moreComing: true)))
        for _ in 1...3 { device.replyPage(.success(page(token: "t1", moreComing: true))) }
        #expect(device.askedPage == nil)
        device.run()
        guard case .failed(let error)? = device.ended.values.first else {
            Issue.record("the fetch did not fail")
            return
        }
        #expect(error.partialErrorsByItemID?[.zone(notes)]?.code == .internalError)
        #expect(device.core.zoneIDsWithUnfetchedChanges == [notes])
    }

    @Test(.holds("H51"))
    func countsPagesWithoutProgressZoneByZone() {
        var device = CoreFixture()
        let call = device.callFetch()
        device.runUntilZonesAsked()
        device.replyZones(.success(zones([notes, tasks], token: "d1")))
        for _ in 1...2 {
            device.runUntilPageAsked()
            device.replyPage(.success(page(token: "t1", moreComing: true)))
            for _ in 1...2 { device.replyPage(.success(page(token: "t1", moreComing: true))) }
            device.replyPage(.success(page(token: "t2")))
        }
        device.run()
        #expect(device.ended[call] == .returned)
    }

    @Test(.holds("H51"))
    func givesUpOnZonesThatForEverHaveMore() {
        var device = CoreFixture()
        let call = device.callFetch()
        device.runUntilZonesAsked()
        device.replyZones(.success(zones(token: "d1", moreComing: true)))
        for _ in 1...3 { device.replyZones(.success(zones(token: "d1", moreComing: true))) }
        device.run()
        guard case .failed(let error)? = device.ended[call] else {
            Issue.record("the fetch did not fail")
            return
        }
        #expect(error.code == .internalError)
    }

    @Test(.holds("H40", "P6"))
    func ignoresTheAnswerOfARequestThatIsOver() {
        var device = waiting()
        guard case .fetchZoneChanges(let id, _, _)? = device.requests.first else { return }
        device.replyPage(.failure(SyncError(.networkFailure)))
        let late = page([record(note("a"))], token: "t9")
        device.clear()
        #expect(device.handle(.zoneChangesFetched(id, .success(late))).isEmpty)
        device.run()
        #expect(zoneToken(device) == nil)
    }

    @Test(.holds("H40"))
    func endsTheFetchWhenTheServerIsOutOfReach() {
        var device = waiting()
        device.clear()
        device.replyPage(.failure(SyncError(.networkUnavailable)))
        device.run()
        #expect(device.ended.values.first == .failed(SyncError(.networkUnavailable)))
        #expect(
            device.delivered == [
                "didFetchRecordZoneChanges(notes, networkUnavailable)",
                "didFetchChanges(manual, all)",
            ]
        )
    }
}
