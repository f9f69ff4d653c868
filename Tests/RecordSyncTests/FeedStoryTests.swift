import RecordModel
import RecordSync
import RecordSyncTesting
import TestSupport
import Testing

/// What one device sends reaches the others: whole, once, and again after a crash.
@Suite struct FeedStoryTests {
    private let story = Story()

    @Test(.holds("H26", "P5"))
    func fetchesAgainWhatAProcessThatDiedHadNotStored() throws {
        let (a, b) = (story.device("A"), story.device("B"))
        a.save("n", text: "x")
        try story.send(a)
        // The app dies while it stores the fetched record.
        b.delegate.throwError(Refusal(), at: .fetchedRecordZoneChanges)
        #expect(throws: Refusal.self) { try story.fetch(b) }
        let relaunched = b.relaunched()
        try story.fetch(relaunched)
        #expect(relaunched.text("n") == "x")
    }

    @Test(.holds("H27", "H50", "P5"), arguments: 0..<25)
    func losesNothingWhereverAFetchOfManyPagesStops(event: Int) throws {
        story.cloud.setPageSize(3)
        let (a, b) = (story.device("A"), story.device("B"))
        for number in 0..<17 { a.save("n\(number)", text: "x") }
        try story.send(a)
        let stop = Guarded(event)
        b.delegate.onEvent { _, _, _ in
            let left = stop.withLock { left in
                left -= 1
                return left
            }
            if left < 0 { throw Refusal() }
        }
        _ = TestDevice.code { try story.fetch(b) }
        let relaunched = b.relaunched()
        try story.fetch(relaunched)
        #expect(relaunched.delegate.records.count == 17)
    }

    @Test(.holds("H50"))
    func doesNotBeginAgainAfterADeathInALongFetch() throws {
        story.cloud.setPageSize(10)
        let (a, b) = (story.device("A"), story.device("B"))
        for number in 0..<100 { a.save("n\(number)", text: "x") }
        try story.send(a)
        b.delegate.onEvent(.fetchedRecordZoneChanges) { _, number, _ in
            // Each page takes its time, so that states are stored meanwhile.
            try await story.world.sleep(for: .seconds(1))
            if number > 7 { throw Refusal() }
        }
        _ = TestDevice.code { try story.fetch(b) }
        let relaunched = b.relaunched()
        try story.fetch(relaunched)
        #expect(relaunched.delegate.records.count == 100)
        #expect(relaunched.fetched.count <= 40)
    }

    @Test(.holds("H28"))
    func readsAFeedOfNoInterestOnlyOnce() throws {
        story.cloud.setPageSize(10)
        let a = story.device("A")
        for number in 0..<40 { a.save("n\(number)", text: "x") }
        try story.send(a)
        // All of it is the device's own: nothing to tell.
        try story.fetch(a)
        #expect(a.fetched == [])
        story.cloud.clearLog()
        let relaunched = a.relaunched()
        try story.fetch(relaunched)
        #expect(story.cloud.requestCount(of: .zoneChanges) == 0)
    }

    @Test(.holds("H52"))
    func bringsACommitOfTwoZonesToBoth() throws {
        let (a, b) = (story.device("A"), story.device("B"))
        let other = RecordZone(zoneName: "Other")
        let id = Record.ID(recordName: "m", zoneID: other.zoneID)
        a.engine.state.add(pendingDatabaseChanges: [.saveZone(other)])
        a.save("n", text: "x")
        a.delegate[id] = Record(recordType: "Note", recordID: id)
        a.engine.state.add(pendingRecordZoneChanges: [.saveRecord(id)])
        try story.send(a)
        #expect(story.cloud.requestCount(of: .modifyRecords) == 1)
        try story.fetch(b)
        #expect(b.delegate.records.count == 2)
    }

    @Test(.holds("H89"), arguments: [1, 2, 3])
    func deliversAParentNoLaterThanItsChildWhateverThePage(pageSize: Int) throws {
        story.cloud.setPageSize(pageSize)
        let (a, b) = (story.device("A"), story.device("B"))
        a.save("first", text: "x")
        a.save("child", text: "x")
        a.save("parent", text: "x")
        a.delegate[a.id("child")]?.setParent(a.id("parent"))
        try story.send(a)
        try story.fetch(b)
        let order = b.fetched
        let parent = try #require(order.firstIndex(of: "parent"))
        let child = try #require(order.firstIndex(of: "child"))
        #expect(parent < child)
        #expect(b.delegate[b.id("child")]?.parent?.recordID == b.id("parent"))
    }

    @Test(.holds("H90"))
    func sendsAParentWithOrBeforeItsChildAcrossBatches() throws {
        story.cloud.setLimits(RequestLimits(batchCountMax: 1, batchByteCountMax: 100_000))
        let a = story.device("A")
        a.save("child", text: "x")
        a.save("parent", text: "x")
        a.delegate[a.id("child")]?.setParent(a.id("parent"))
        try story.send(a)
        #expect(a.failures == [])
        #expect(story.cloud.records(in: a.zone.zoneID, account: "alice").count == 2)
    }

    @Test(.holds("H92"))
    func fetchesNothingAndSucceedsWhenOnlyForeignZonesChanged() throws {
        let (a, b) = (story.device("A"), story.device("B"))
        a.save("n", text: "x")
        try story.send(a)
        let options = SyncEngine.FetchChangesOptions(
            scope: .zoneIDs([RecordZone.ID(zoneName: "Mine")])
        )
        try story.world.run { try await b.engine.fetchChanges(options) }
        #expect(b.fetched == [])
    }

    @Test(.holds("H98", "H99", "H100"))
    func comesToRestWithoutWritingBackWhatItFetched() throws {
        let (a, b) = (story.device("A"), story.device("B"))
        a.save("n", text: "x")
        try story.meet(a, b)
        story.cloud.clearLog()
        try story.meet(a, b)
        #expect(story.cloud.writeRequestCount() == 0)
        #expect(a.fetched == [])
        #expect(b.fetched == ["n"])
    }

    @Test(.holds("H11", "S89"))
    func reachesTheOtherDeviceByAHintAndEchoesNothing() throws {
        let devices = ["A", "B"].map {
            TestDevice($0, on: story.world, cloud: story.cloud)
        }
        try story.world.advance(by: .seconds(10))
        for text in ["1", "2", "3"] {
            devices[0].save("n", text: text)
            try story.world.advance(by: .seconds(5))
        }
        #expect(devices[1].text("n") == "3")
        #expect(devices[0].fetched == [])
        story.cloud.clearLog()
        try story.world.advance(by: .seconds(3600))
        #expect(story.cloud.writeRequestCount() == 0)
    }

    @Test(.holds("S104", "H91", "H93"))
    func tellsOfAPurgedZoneAndWorksAfterItIsSavedAgain() throws {
        let (a, b) = (story.device("A"), story.device("B"))
        a.save("n", text: "x")
        try story.meet(a, b)
        try story.cloud.purgeZone(a.zone.zoneID, account: "alice")
        try story.fetch(b)
        let reasons = b.delegate.events.flatMap { event -> [Database.DatabaseChange.Deletion] in
            guard case .fetchedDatabaseChanges(let changes) = event else { return [] }
            return changes.deletions
        }
        #expect(reasons == [.init(zoneID: a.zone.zoneID, reason: .purged)])
        b.engine.state.add(pendingDatabaseChanges: [.saveZone(b.zone)])
        b.save("new", text: "y")
        try story.send(b)
        try story.fetch(a)
        #expect(a.text("new") == "y")
        // The zone's new life is listed whole: what is not in it is gone.
        #expect(a.fetchKinds.last == .full(id: 2, reason: .tokenExpired))
    }
}
