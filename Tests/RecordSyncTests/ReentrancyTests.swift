import RecordModel
import RecordSync
import RecordSyncTesting
import TestSupport
import Testing

@Suite struct ReentrancyTests {
    private let story = Story()

    /// The methods of a delegate from which a call can be made.
    enum Method: CaseIterable { case event, batch, fetchOptions, provider }

    /// Runs a body once in the method, in a send or a fetch that then goes on as ever.
    private func inside(
        _ method: Method,
        _ device: TestDevice,
        _ body: @escaping @Sendable (SyncEngine) async -> Void
    ) throws {
        switch method {
        case .event:
            device.delegate.onEvent { _, _, engine in await body(engine) }
        case .batch:
            device.delegate.onBatch { [delegate = device.delegate] context, _, engine in
                await body(engine)
                return await .init(context) { delegate[$0].map { .record($0) } ?? .gone }
            }
        case .provider:
            device.delegate.onBatch { [delegate = device.delegate] context, _, engine in
                await .init(context) {
                    await body(engine)
                    return delegate[$0].map { .record($0) } ?? .gone
                }
            }
        case .fetchOptions:
            device.delegate.onFetchOptions { context, _, engine in
                await body(engine)
                return context.options
            }
        }
        device.save("mine", text: "x")
        try story.cloud.save(
            [Record(recordType: "Note", recordID: device.id("theirs"))],
            account: "alice"
        )
        try story.fetch(device)
        try story.send(device)
    }

    @Test(.holds("P33", "S35", "S34", "H74"), arguments: Method.allCases)
    func refusesACallThatWouldWaitForTheMethodItIsMadeFrom(method: Method) throws {
        let device = story.device("A")
        let notes = Notes()
        try inside(method, device) { engine in
            do {
                try await engine.fetchChanges()
                notes.add("the fetch returned")
            } catch {
                notes.add("\((error as? SyncError)?.code as Any)")
            }
            do {
                try await engine.sendChanges()
                notes.add("the send returned")
            } catch {
                notes.add("\((error as? SyncError)?.code as Any)")
            }
        }
        #expect(Set(notes.all) == ["Optional(RecordModel.SyncError.Code.invalidArguments)"])
        #expect(story.text(device.id("mine")) == "x")
        #expect(device.delegate[device.id("theirs")] != nil)
    }

    @Test(.holds("P33", "S35"))
    func refusesItInAChildTaskOfTheMethodToo() throws {
        let device = story.device("A")
        let notes = Notes()
        device.delegate.onEvent(.willSendChanges) { _, _, engine in
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    do { try await engine.fetchChanges() } catch { notes.add("threw") }
                }
            }
        }
        try story.send(device)
        #expect(notes.all == ["threw"])
    }

    @Test(.holds("S36"))
    func takesACallOfATaskThatAMethodMadeOnceTheMethodHasReturned() throws {
        let device = story.device("A")
        let notes = Notes()
        let world = story.world
        device.delegate.onEvent(.didFetchChanges) { _, number, engine in
            guard number == 1 else { return }
            // The task carries the mark of this delivery along.
            world.environment.launch {
                do {
                    try await world.sleep(for: .seconds(1))
                    try await engine.fetchChanges()
                    notes.add("returned")
                } catch {
                    notes.add("\(error)")
                }
            }
        }
        try story.fetch(device)
        try world.advance(by: .seconds(2))
        #expect(notes.all == ["returned"])
    }

    @Test(.holds("P34", "S35", "S112", "S113"), arguments: Method.allCases)
    func returnsAtOnceFromACancellationInsideAMethod(method: Method) throws {
        let device = story.device("A")
        let count = Guarded(0)
        let code = TestDevice.code {
            try inside(method, device) { engine in
                await engine.cancelOperations()
                count.withLock { $0 += 1 }
            }
        }
        #expect(count.withLock { $0 } > 0)
        #expect(code == .operationCancelled)
        device.delegate.onBatch(nil)
        device.delegate.onFetchOptions(nil)
    }

    @Test(.holds("S37"), arguments: Method.allCases)
    func letsAMethodAddRemoveAndReadChanges(method: Method) throws {
        let device = story.device("A")
        let other = PendingRecordZoneChange.deleteRecord(device.id("other"))
        let notes = Notes()
        try inside(method, device) { engine in
            engine.state.add(pendingRecordZoneChanges: [other])
            if engine.state.pendingRecordZoneChanges.contains(other) { notes.add("added") }
            engine.state.remove(pendingRecordZoneChanges: [other])
            if !engine.state.pendingRecordZoneChanges.contains(other) { notes.add("removed") }
            _ = engine.state.serialization
            _ = engine.state.zoneIDsWithUnfetchedServerChanges
        }
        #expect(Set(notes.all) == ["added", "removed"])
        #expect(story.text(device.id("mine")) == "x")
    }

    @Test(.holds("S37"))
    func letsAMethodOfOneEngineCallAnother() throws {
        let (a, b) = (story.device("A"), story.device("B"))
        b.save("n", text: "x")
        a.delegate.onEvent(.willFetchChanges) { _, _, _ in
            try await b.engine.sendChanges()
        }
        try story.fetch(a)
        #expect(a.text("n") == "x")
    }
}
