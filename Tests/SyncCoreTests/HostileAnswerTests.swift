import RecordModel
import SyncCore
import TestSupport
import Testing

/// A server that answers what no server should: the engine gives up in time, and stays whole.
@Suite struct HostileAnswerTests {
    /// A device that waits for the first page of its zone.
    private func waiting() -> CoreFixture {
        var device = CoreFixture()
        device.callFetch()
        device.runUntilZonesAsked()
        device.replyZones(.success(zones([notes], token: "d1")))
        device.runUntilPageAsked()
        return device
    }

    private func zoneError(_ device: CoreFixture, _ zoneID: RecordZone.ID = notes) -> SyncError? {
        guard case .failed(let error)? = device.ended.values.first(where: { $0 != .returned })
        else { return nil }
        return error.partialErrorsByItemID?[.zone(zoneID)]
    }

    // MARK: Endless "more"

    @Test(.holds("P63"), arguments: [2, 3, 7, 100])
    func givesAZoneUpWhoseTokensGoRoundInACircle(length: Int) {
        var device = waiting()
        var pageCount = 0
        while device.askedPage != nil, pageCount < 10 * length {
            let news = pageCount % 2 == 0 ? [record(note("a"))] : []
            let name = "t\(pageCount % length)"
            device.replyPage(.success(page(news, token: name, moreComing: true)))
            device.handleEvents()
            pageCount += 1
        }
        #expect(device.askedPage == nil)
        #expect(pageCount <= 4 * length)
        device.run()
        #expect(zoneError(device)?.code == .internalError)
        #expect(device.core.zoneIDsWithUnfetchedChanges == [notes])
    }

    @Test(.holds("P63"), arguments: [2, 5])
    func givesTheListOfZonesUpWhoseTokensGoRoundInACircle(length: Int) {
        var device = CoreFixture()
        let call = device.callFetch()
        device.runUntilZonesAsked()
        var pageCount = 0
        while device.askedZones != nil, pageCount < 100 {
            let name = "d\(pageCount % length)"
            device.replyZones(.success(zones(token: name, moreComing: true)))
            pageCount += 1
        }
        device.run()
        #expect(pageCount <= 4 * length)
        #expect(device.ended[call]?.code == .internalError)
    }

    @Test(.holds("P63"))
    func givesAFetchUpThatComesWithAnotherHistoryOnEachPage() {
        var device = CoreFixture()
        let call = device.callFetch()
        device.runUntilZonesAsked()
        var pageCount = 0
        while device.askedZones != nil, pageCount < 100 {
            var reply = zones([notes], token: "d\(pageCount)", moreComing: true)
            reply.historyID = "h\(pageCount)"
            device.replyZones(.success(reply))
            device.handleEvents()
            pageCount += 1
        }
        device.run()
        #expect(pageCount < 10)
        #expect(device.ended[call]?.code == .internalError)
    }

    @Test(.holds("P63", "H51"), arguments: [false, true])
    func givesAZoneUpAfterAnAbsurdNumberOfPagesWithoutNews(hasNewsOnce: Bool) {
        let countMax = EngineConfiguration.emptyPageCountMax
        var device = waiting()
        for number in 1..<countMax {
            device.replyPage(.success(page(token: "t\(number)", moreComing: true)))
        }
        #expect(device.askedPage != nil)
        let news = hasNewsOnce ? [record(note("a"))] : []
        device.replyPage(.success(page(news, token: "last", moreComing: true)))
        device.handleEvents()
        #expect((device.askedPage == nil) == !hasNewsOnce)
    }

    // MARK: Pages that are none

    private static let badName = Record.ID(recordName: "", zoneID: notes)
    private static let longName = Record.ID(
        recordName: String(repeating: "x", count: 256),
        zoneID: notes
    )
    private static let pathName = Record.ID(recordName: "a\0/../b", zoneID: notes)

    private static var badHistory: ZoneChangesReply {
        var reply = page([record(note("a"))], token: "t1")
        reply.historyID = String(repeating: "x", count: 1025)
        return reply
    }

    static let badPages: [ZoneChangesReply] = [
        badHistory,
        page([record(note("a", in: tasks))], token: "t1"),
        page(deleting: [note("a", in: tasks)], token: "t1"),
        page([record(badName)], token: "t1"),
        page([record(longName)], token: "t1"),
        page(deleting: [pathName], token: "t1"),
        page([record(note("a")), record(note("a"), version: 2)], token: "t1"),
        page([record(note("a"))], deleting: [note("a")], token: "t1"),
        page(deleting: [note("a"), note("a")], token: "t1"),
        page([record(note("a"))], token: String(repeating: "x", count: 4097)),
        page([tagged(1025)], token: "t1"),
    ]

    private static func tagged(_ length: Int) -> Record {
        let stamp = Record.Stamp(
            timestamp: Timestamp(millisecondsSince1970: 1),
            userRecordName: "b"
        )
        return record(note("a")).stored(
            changeTag: String(repeating: "x", count: length),
            creation: stamp,
            modification: stamp
        )
    }

    @Test(.holds("P64"), arguments: badPages.indices)
    func refusesAPageThatIsNone(index: Int) {
        var device = waiting()
        device.replyPage(.success(Self.badPages[index]))
        device.run()
        #expect(zoneError(device)?.code == .internalError)
        #expect(device.records == [:])
        #expect(device.core.state.zones[notes]?.token == nil)
        #expect(device.core.zoneIDsWithUnfetchedChanges == [notes])
    }

    @Test(.holds("P64"))
    func takesAPageAtTheEdgeOfWhatMayBe() {
        var device = waiting()
        let longest = Record.ID(recordName: String(repeating: "x", count: 255), zoneID: notes)
        let edge = page(
            [Self.tagged(1024), record(longest)],
            deleting: [note("b")],
            token: String(repeating: "x", count: 4096)
        )
        device.replyPage(.success(edge))
        device.run()
        #expect(device.ended.values.allSatisfy { $0 == .returned })
        #expect(device.records.count == 2)
    }

    @Test(.holds("P64"))
    func refusesAListOfZonesThatIsNone() {
        let bad = RecordZone.ID(zoneName: "caf\u{e9}")
        let gone = Database.DatabaseChange.Deletion(zoneID: notes, reason: .deleted)
        for reply in [
            zones([bad], token: "d1"), zones([notes, notes], token: "d1"),
            zones([notes], deleting: [gone], token: "d1"),
            zones(token: String(repeating: "x", count: 4097)),
        ] {
            var device = CoreFixture()
            let call = device.callFetch()
            device.runUntilZonesAsked()
            device.replyZones(.success(reply))
            device.run()
            #expect(device.ended[call]?.code == .internalError)
            #expect(device.core.state.databaseToken == nil)
            #expect(device.core.state.zones.isEmpty)
        }
    }

    // MARK: Answers about something else

    @Test(.holds("P64", "P7"))
    func handsABatchBackThatIsAnsweredWithOtherRecords() {
        var device = CoreFixture()
        device.edit(note("a"))
        device.callSend()
        device.runUntilSent()
        guard case .modifyRecords(let id, _, _)? = device.requests.first else { return }
        device.requests = []
        let other = device.server.put(record(note("b")))
        device.handle(
            .recordsModified(id, .success(.init(saveResults: [.success(other)], deleteErrors: [])))
        )
        device.run()
        #expect(device.failures == [note("a"): .internalError])
        #expect(device.records[note("b")] == nil)
        #expect(device.core.state.openSends == [])
        #expect(device.faults == [])
    }

    @Test(.holds("P64"))
    func believesNoOutcomeThatIsAboutOtherRecords() {
        var device = CoreFixture()
        device.edit(note("a"))
        device.server.lostAnswerCount = 1
        device.callSend()
        device.run { device in
            device.requests.contains { if case .askOutcome = $0 { true } else { false } }
        }
        guard case .askOutcome(let id, _, _)? = device.requests.first else { return }
        device.requests = []
        let other = device.server.put(record(note("b")))
        let reply = ModifyRecordsReply(saveResults: [.success(other)], deleteErrors: [])
        device.handle(.outcomeReceived(id, .success(.known(reply))))
        device.run()
        // It was saved the first time, so the second meets exactly what was sent.
        #expect(device.failures == [:])
        #expect(device.pending == [])
        #expect(device.records[note("a")]?.recordChangeTag != nil)
    }

    @Test(.holds("P64"))
    func believesNoAnswerAboutOtherZones() {
        var device = CoreFixture()
        let zone = RecordZone(zoneName: "new")
        device.handle(.databaseChangesAdded([.saveZone(zone)]))
        device.callSend()
        device.run { !$0.requests.isEmpty }
        guard case .modifyZones(let id, _, _)? = device.requests.first else { return }
        device.requests = []
        let reply = ModifyZonesReply(
            saveResults: [.success(RecordZone(zoneName: "other"))],
            deleteErrors: []
        )
        device.handle(.zonesModified(id, .success(reply)))
        device.run()
        #expect(device.core.pendingDatabaseChanges == [.saveZone(zone)])
        #expect(device.ended.values.contains { $0.code == .internalError })
    }

    // MARK: No word on a send

    @Test(
        .holds("P65", "H60"),
        arguments: [
            SyncError.Code.internalError, .serverRejectedRequest, .invalidArguments,
            .permissionFailure, .quotaExceeded, .limitExceeded, .changeTokenExpired,
        ]
    )
    func aServerThatDeniesTheOutcomeHoldsNothingUpForEver(code: SyncError.Code) {
        var device = CoreFixture()
        device.edit(note("a"))
        device.server.lostAnswerCount = 1
        let countMax = EngineConfiguration.outcomeRefusalCountMax
        device.server.outcomeErrors = Array(repeating: SyncError(code), count: countMax)
        for _ in 1..<countMax {
            #expect(device.send()?.code == code)
            #expect(device.core.state.openSends.count == 1)
        }
        device.edit(note("b"))
        #expect(device.send() == .returned)
        #expect(device.pending == [])
        #expect(device.failures == [:])
        #expect(device.server.records.count == 2)
        #expect(device.core.state.openSends == [])
    }

    @Test(.holds("P65", "H109"))
    func aSendWhoseOutcomeIsDeniedOverwritesNobodyElsesEdit() {
        var device = CoreFixture()
        device.edit(note("a"))
        device.server.lostAnswerCount = 1
        let countMax = EngineConfiguration.outcomeRefusalCountMax
        device.server.outcomeErrors = Array(
            repeating: SyncError(.serverRejectedRequest),
            count: countMax
        )
        device.send()
        var theirs = device.server.records[note("a")] ?? record(note("a"))
        theirs["version"] = 77
        device.server.saveElsewhere(theirs)
        for _ in 1..<countMax { device.send() }
        #expect(device.failures == [note("a"): .serverRecordChanged])
        #expect(device.server.records[note("a")]?["version"] == 77)
    }

    @Test(
        .holds("P65"),
        arguments: [SyncError.Code.serviceUnavailable, .networkFailure, .zoneBusy]
    )
    func aServerThatIsAwayIsAskedForAsLongAsItTakes(code: SyncError.Code) {
        var device = CoreFixture()
        device.edit(note("a"))
        device.server.lostAnswerCount = 1
        device.server.outcomeErrors = Array(repeating: SyncError(code), count: 20)
        for _ in 0..<20 {
            device.send()
            #expect(device.core.state.openSends.count == 1)
        }
        #expect(device.send() == .returned)
        #expect(device.server.batches.count == 1)
    }

    // MARK: Wishes to be left alone

    @Test(.holds("P66", "H68"), arguments: [1e300, Double.infinity, 86_401])
    func noWishToBeLeftAloneCountsForMoreThanADay(seconds: Double) {
        var device = CoreFixture()
        device.edit(note("a"))
        device.server.requestErrors = [
            SyncError(.requestRateLimited, retryAfterSeconds: seconds)
        ]
        device.send()
        device.advance(by: .seconds(86_399))
        #expect(device.send()?.code == .requestRateLimited)
        device.advance(by: .seconds(1))
        #expect(device.send() == .returned)
    }

    @Test(.holds("P66"), arguments: [-1, 0, Double.nan, -Double.infinity])
    func aWishThatIsNoneIsNoWish(seconds: Double) {
        var device = CoreFixture()
        device.edit(note("a"))
        device.server.requestErrors = [
            SyncError(.requestRateLimited, retryAfterSeconds: seconds)
        ]
        device.send()
        #expect(device.send() == .returned)
    }
}
