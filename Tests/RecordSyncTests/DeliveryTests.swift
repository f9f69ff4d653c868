import RecordModel
import RecordSync
import RecordSyncTesting
import TestSupport
import Testing

@Suite struct DeliveryTests {
    private let story = Story()

    @Test(.holds("S33", "S34", "P3"), arguments: 0..<10)
    func callsOneMethodAtATimeHoweverLongEachTakes(seed: UInt64) throws {
        let story = Story(seed: seed, order: .shuffled)
        let device = story.device("A")
        let notes = Notes()
        let world = story.world
        let busy = Guarded(false)
        @Sendable func occupy() async {
            if busy.withLock({ $0 }) { notes.add("two at a time") }
            busy.withLock { $0 = true }
            try? await world.sleep(for: .milliseconds(50))
            busy.withLock { $0 = false }
        }
        device.delegate.onEvent { _, _, _ in await occupy() }
        device.delegate.onBatch { context, _, _ in
            await occupy()
            return await .init(context) {
                .record(Record(recordType: "Note", recordID: $0))
            }
        }
        device.delegate.onFetchOptions { context, _, _ in
            await occupy()
            return context.options
        }
        try story.cloud.save(
            [Record(recordType: "Note", recordID: device.id("theirs"))],
            account: "alice"
        )
        device.save("mine", text: "x")
        let engine = device.engine
        try world.run {
            async let send: Void = engine.sendChanges()
            async let fetch: Void = engine.fetchChanges()
            _ = try await (send, fetch)
        }
        #expect(notes.all == [])
        #expect(device.delegate.eventKinds.count > 8)
    }

    @Test(.holds("P16", "S14", "S25"))
    func returnsFromACallOnlyAfterItsLastEventWasHandled() throws {
        let device = story.device("A")
        let notes = Notes()
        let world = story.world
        device.delegate.onEvent { event, _, _ in
            try await world.sleep(for: .seconds(1))
            notes.add("\(EventKind(event))")
        }
        device.save("n", text: "x")
        try story.send(device)
        #expect(notes.all.suffix(2) == ["didSendChanges", "stateUpdate"])
        let state = try #require(device.delegate.state)
        #expect(state.bytes == device.engine.state.serialization.bytes)
        try story.cloud.save(
            [Record(recordType: "Note", recordID: device.id("theirs"))],
            account: "alice"
        )
        try story.fetch(device)
        #expect(notes.all.suffix(2).contains("didFetchChanges"))
        #expect(device.delegate.state?.bytes == device.engine.state.serialization.bytes)
    }

    @Test(.holds("P15", "S57"))
    func leadsFromEveryChangeToAStateUpdateByItself() throws {
        let device = story.device("A")
        try story.world.advance(by: .seconds(1))
        device.delegate.forgetEvents()
        device.engine.state.add(pendingRecordZoneChanges: [.saveRecord(device.id("a"))])
        device.engine.state.add(pendingRecordZoneChanges: [.saveRecord(device.id("b"))])
        device.engine.state.remove(pendingRecordZoneChanges: [.saveRecord(device.id("a"))])
        try story.world.advance(by: .milliseconds(99))
        #expect(device.delegate.events.count == 0)
        try story.world.advance(by: .milliseconds(1))
        #expect(device.delegate.events.count == 1)
        let stored = try #require(device.delegate.state)
        let relaunched = device.relaunched()
        #expect(relaunched.pending == [.saveRecord(device.id("b"))])
        #expect(stored.bytes == device.engine.state.serialization.bytes)
    }

    @Test(.holds("S59", "S31"))
    func knowsOfAnEarlierLaunchOnlyWhatItIsHanded() throws {
        let device = story.device("A")
        device.save("n", text: "x")
        try story.send(device)
        try story.fetch(device)
        device.engine.state.add(pendingRecordZoneChanges: [.deleteRecord(device.id("n"))])
        try story.world.advance(by: .seconds(1))
        let delegate = RecordingDelegate()
        let bare = story.engine(delegate)
        #expect(bare.state.pendingRecordZoneChanges == [])
        try story.world.run { try await bare.fetchChanges() }
        #expect(delegate[device.id("n")] != nil)
        let state = try #require(device.delegate.state)
        let handed = story.engine(delegate, state: state)
        #expect(handed.state.pendingRecordZoneChanges == [.deleteRecord(device.id("n"))])
    }

    @Test(.holds("S58"))
    func losesAnAddedChangeThatNoStoredStateHoldsUnlessTheAppAddsItAgain() throws {
        let device = story.device("A")
        try story.world.advance(by: .seconds(1))
        device.save("n", text: "x")
        let relaunched = device.relaunched()
        #expect(relaunched.pending == [])
        relaunched.save("n", text: "x")
        relaunched.save("n", text: "x")
        try story.send(relaunched)
        #expect(story.cloud.requestCount(of: .modifyRecords) == 1)
    }

    @Test(.holds("S9", "H46"))
    func sendsAllThatIsPendingWithOneCall() throws {
        let device = story.device("A")
        for number in 1...444 { device.save("n\(number)", text: "x") }
        try story.send(device)
        #expect(story.cloud.records(in: device.zone.zoneID, account: "alice").count == 444)
        #expect(story.cloud.requestCount(of: .modifyRecords) == 2)
        #expect(device.pending == [])
        let sizes = device.delegate.events.compactMap { event -> Int? in
            guard case .sentRecordZoneChanges(let sent) = event else { return nil }
            return sent.savedRecords.count
        }
        #expect(sizes == [250, 194])
    }

    @Test(.holds("H48", "H47", "H46"), arguments: [0, 1, 4, 5, 6, 10])
    func endsWhateverTheNumberOfChangesIsToTheSizeOfABatch(count: Int) throws {
        story.cloud.setLimits(RequestLimits(batchCountMax: 5, batchByteCountMax: 100_000))
        let device = story.device("A")
        try story.send(device)
        for number in 0..<count { device.save("n\(number)", text: "x") }
        try story.send(device)
        for number in 0..<count { device.delete("n\(number)") }
        if count > 0 { device.save("last", text: "x") }
        try story.send(device)
        let names = story.cloud.records(in: device.zone.zoneID, account: "alice")
            .map(\.recordID.recordName)
        #expect(names == (count > 0 ? ["last"] : []))
        let batches = (count + 4) / 5 + (count > 0 ? (count + 1 + 4) / 5 : 0)
        #expect(story.cloud.requestCount(of: .modifyRecords) == batches)
    }

    @Test(.holds("P20", "S15", "S16"))
    func throwsThePartialFailureAndKeepsWhatTheHandlerQueuedAgain() throws {
        let device = story.device("A").mergesConflicts()
        device.save("n", text: "mine")
        try story.cloud.save(
            [Record(recordType: "Note", recordID: device.id("n"))],
            account: "alice"
        )
        let error = #expect(throws: SyncError.self) { try story.send(device) }
        #expect(error?.code == .partialFailure)
        #expect(
            error?.partialErrorsByItemID?[.record(device.id("n"))]?.code == .serverRecordChanged
        )
        #expect(device.pending == [.saveRecord(device.id("n"))])
        try story.send(device)
        #expect(device.pending == [])
        #expect(story.text(device.id("n")) == "mine")
    }

    @Test(.holds("S38"))
    func worksWithADelegateThatIsAnActor() throws {
        let app = ActorApp()
        let engine = story.engine(app)
        let id = Record.ID(recordName: "n")
        engine.state.add(pendingRecordZoneChanges: [.saveRecord(id)])
        try story.world.run { try await engine.sendChanges() }
        let count = try story.world.run { await app.eventCount }
        #expect(count > 3)
        #expect(story.cloud.record(id, account: "alice") != nil)
    }
}

private actor ActorApp: SyncEngineDelegate {
    private(set) var eventCount = 0

    func handleEvent(_ event: SyncEngine.Event, syncEngine: SyncEngine) async {
        eventCount += 1
        await Task.yield()
    }

    func nextRecordZoneChangeBatch(
        _ context: SyncEngine.SendChangesContext,
        syncEngine: SyncEngine
    ) async -> SyncEngine.RecordZoneChangeBatch? {
        await .init(context) { .record(Record(recordType: "Note", recordID: $0)) }
    }
}
