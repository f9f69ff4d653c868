import RecordModel
import RecordSync
import RecordSyncTesting
import TestSupport
import Testing

/// What could be lost, or come back, although nobody wanted it.
@Suite struct LossStoryTests {
    private let story = Story()

    private func names(_ device: TestDevice) -> [String] {
        device.delegate.records.keys.map(\.recordName).sorted()
    }

    @Test(.holds("H15", "H16"))
    func sendsNothingByItselfWhenAWipedServerWasFilledAgainByAnother() throws {
        let empty = story.cloud.backup()
        let (a, b) = (story.device("A"), story.device("B"))
        a.save("n", text: "x")
        a.save("deleted", text: "x")
        try story.meet(a, b)
        a.delete("deleted")
        try story.send(a)
        // The storage is lost with its tombstones, and another device puts back what it has.
        try story.world.advance(by: .seconds(60))
        try story.cloud.restore(empty)
        let filler = story.device("C")
        filler.save("n", text: "x")
        try story.send(filler)
        story.cloud.clearLog()
        try story.sync(b)
        #expect(story.cloud.writeRequestCount(from: "B") == 0)
        #expect(story.text(b.id("deleted")) == nil)
        #expect(b.text("n") == "x")
        // It heard that this is another life of the zone, to be listed whole.
        #expect(b.fetchKinds.count == 2)
        #expect(b.fetchKinds.last != .incremental)
    }

    @Test(.holds("H42", "H80"))
    func fetchesEverythingAgainForAnAppThatDroppedItsDataOnSignOut() throws {
        let (a, b) = (story.device("A"), story.device("B"))
        a.delegate.onEvent(.accountChange) { [delegate = a.delegate] event, _, _ in
            guard case .accountChange(let change) = event,
                case .signOut = change.changeType
            else { return }
            delegate.records = [:]
        }
        for number in 0..<5 { a.save("own\(number)", text: "x") }
        try story.meet(a, b)
        story.cloud.signOut(device: "A")
        _ = TestDevice.code { try story.fetch(a) }
        #expect(names(a) == [])
        for number in 0..<20 { b.save("theirs\(number)", text: "x") }
        try story.send(b)
        story.cloud.signIn("alice", device: "A")
        try story.fetch(a)
        #expect(names(a) == names(b))
        #expect(names(a).count == 25)
    }

    @Test(.holds("H44", "H55"))
    func startsFromTheBeginningWithoutAStateWhateverTheServerRemembersOfTheDevice() throws {
        let a = story.device("A")
        for number in 0..<5 { a.save("n\(number)", text: "x") }
        try story.sync(a)
        let remade = story.device("A")
        try story.fetch(remade)
        #expect(names(remade).count == 5)
        #expect(remade.fetchKinds == [.full(id: 1, reason: .firstFetch)])
        story.cloud.clearLog()
        try story.fetch(remade)
        #expect(story.cloud.requestCount(of: .zoneChanges) == 0)
    }

    @Test(.holds("H45"))
    func bringsARecordWholeThoughOneFieldChangedSinceTheTokenExpired() throws {
        let (a, b) = (story.device("A"), story.device("B"))
        a.save("n", text: "v1")
        a.delegate[a.id("n")]?["other"] = "kept"
        try story.meet(a, b)
        // A device that lost the record learns of a change of one field alone.
        try story.cloud.expireAllTokens(account: "alice")
        try story.fetch(b)
        b.delegate.records = [:]
        a.save("n", text: "v2")
        try story.send(a)
        try story.fetch(b)
        #expect(b.text("n") == "v2")
        #expect(b.delegate[b.id("n")]?["other"] == "kept")
    }

    @Test(.holds("H83", "H88"), arguments: [false, true])
    func aRefusedDeletionIsHandedBackAndCanBeMadeGood(hasOtherWork: Bool) throws {
        let a = story.device("A")
        a.save("n", text: "x")
        try story.send(a)
        let refusal = SyncError(.permissionFailure, "you may edit it, not delete it")
        story.cloud.inject(.next(.refuse(.record(a.id("n")), refusal)))
        a.delete("n")
        if hasOtherWork { a.save("other", text: "y") }
        #expect(TestDevice.code { try story.send(a) } == .partialFailure)
        #expect(a.failures == [.permissionFailure])
        #expect(a.pending == [])
        // The error names the record: the app has it back with one look-up.
        let lookUp = LookUpRecordsRequest(recordIDs: [a.id("n")])
        let database = a.engine.database
        let reply = try story.world.run {
            try await database.lookUpRecords(lookUp, account: "alice")
        }
        let stored = try reply.results[0].get()
        a.delegate[stored.recordID] = stored
        #expect(a.text("n") == story.text(a.id("n")))
        story.cloud.clearLog()
        try story.send(a)
        #expect(story.cloud.writeRequestCount() == 0)
    }

    @Test(.holds("H88"))
    func aRefusedSaveLeavesTheAppsRecordAloneAndComesBackWithIt() throws {
        let a = story.device("A")
        try story.send(a)
        story.cloud.setOnline(false, device: "A")
        a.save("n", text: "offline")
        story.cloud.setOnline(true, device: "A")
        let refusal = SyncError(.permissionFailure)
        story.cloud.inject(.next(.refuse(.record(a.id("n")), refusal)))
        #expect(TestDevice.code { try story.send(a) } == .partialFailure)
        let failed = a.delegate.events.flatMap { event -> [Record] in
            guard case .sentRecordZoneChanges(let sent) = event else { return [] }
            return sent.failedRecordSaves.map(\.record)
        }
        #expect(failed.map { $0["text"] } == ["offline"])
        #expect(a.text("n") == "offline")
        try story.fetch(a)
        #expect(a.text("n") == "offline")
        // The app decides: it asks again.
        a.save("n", text: "offline")
        try story.send(a)
        #expect(story.text(a.id("n")) == "offline")
    }

    @Test(.holds("H102", "H56"), arguments: [false, true])
    func aStoreThatCannotBeReadDeletesNothing(isThrowing: Bool) throws {
        let (a, b) = (story.device("A"), story.device("B"))
        for number in 0..<10 { a.save("n\(number)", text: "v1") }
        try story.meet(a, b)
        for number in 0..<10 { a.save("n\(number)", text: "v2") }
        a.delegate.onBatch { context, _, _ in
            // The disk is full, and nothing can be read.
            if isThrowing { throw Refusal() }
            return await .init(context, recordsProvider: { _ in [:] })
        }
        _ = TestDevice.code { try story.send(a) }
        #expect(a.pending.count == 10)
        #expect(story.cloud.records(in: a.zone.zoneID, account: "alice").count == 10)
        try story.fetch(b)
        #expect(b.delegate.records.count == 10)
        a.delegate.onBatch(nil)
        try story.send(a)
        #expect((0..<10).allSatisfy { story.text(a.id("n\($0)")) == "v2" })
    }
}
