import RecordModel
import RecordSync
import RecordSyncTesting
import TestSupport
import Testing

@Suite struct CancellationTests {
    private let story = Story()

    /// Calls, waits until a request of the kind stands at the place, and cancels the task.
    private func cancel(
        _ device: TestDevice,
        at kind: RequestKind,
        _ place: RequestHold.Place,
        _ call: @escaping @Sendable (SyncEngine) async throws -> Void
    ) throws -> SyncError.Code? {
        let cloud = story.cloud
        let environment = story.world.environment
        let engine = device.engine
        let code = Guarded<SyncError.Code?>(nil)
        try story.world.run {
            let hold = cloud.hold(kind, from: device.name, at: place)
            let task = environment.launch {
                do { try await call(engine) } catch {
                    code.withLock { $0 = (error as? SyncError)?.code }
                }
            }
            try await hold.arrived()
            task.cancel()
            // The wait ends although the request still stands there.
            await task.value
            hold.release()
        }
        try story.world.runUntilIdle()
        return code.withLock { $0 }
    }

    private func prepared() throws -> TestDevice {
        let device = story.device("A")
        try story.send(device)
        device.save("mine", text: "x")
        try story.cloud.save(
            [Record(recordType: "Note", recordID: device.id("theirs"))],
            account: "alice"
        )
        device.delegate.forgetEvents()
        return device
    }

    @Test(
        .holds("S114"),
        arguments: [
            RequestKind.accountStatus, .databaseChanges, .zoneChanges,
        ],
        [RequestHold.Place.beforeServer, .beforeAnswer]
    )
    func endsAFetchThatWaitsForTheServer(
        kind: RequestKind,
        place: RequestHold.Place
    ) throws {
        let device = try prepared()
        let code = try cancel(device, at: kind, place) { try await $0.fetchChanges() }
        #expect(code == .operationCancelled)
        #expect(device.delegate[device.id("theirs")] == nil)
        #expect(brackets(device) == 0)
        try story.fetch(device)
        #expect(device.delegate[device.id("theirs")] != nil)
        #expect(device.pending == [.saveRecord(device.id("mine"))])
    }

    @Test(
        .holds("S114", "S112", "P7"),
        arguments: [
            RequestHold.Place.beforeServer, .beforeAnswer,
        ]
    )
    func finishesABatchThatHasLeft(place: RequestHold.Place) throws {
        let device = try prepared()
        let code = try cancel(device, at: .modifyRecords, place) { try await $0.sendChanges() }
        #expect(code == .operationCancelled)
        #expect(brackets(device) == 0)
        #expect(device.pending == [])
        #expect(device.delegate.eventKinds.contains(.sentRecordZoneChanges))
        try story.send(device)
        #expect(story.cloud.requestCount(of: .modifyRecords) == 1)
        #expect(story.text(device.id("mine")) == "x")
        #expect(device.failures == [])
    }

    @Test(.holds("S114"))
    func keepsEverythingOfASendThatHasNotBegun() throws {
        let device = try prepared()
        let code = try cancel(device, at: .accountStatus, .beforeAnswer) {
            try await $0.sendChanges()
        }
        #expect(code == .operationCancelled)
        #expect(device.delegate.eventKinds == [])
        #expect(device.pending == [.saveRecord(device.id("mine"))])
        try story.send(device)
        #expect(story.text(device.id("mine")) == "x")
    }

    @Test(.holds("S114"))
    func doesNothingForATaskThatWasCancelledBefore() throws {
        let device = try prepared()
        story.cloud.clearLog()
        let engine = device.engine
        let environment = story.world.environment
        let world = story.world
        let notes = Notes()
        try world.run {
            let task = environment.launch {
                await world.idle()
                do { try await engine.sendChanges() } catch {
                    notes.add("\((error as? SyncError)?.code as Any)")
                }
            }
            task.cancel()
            await task.value
        }
        #expect(notes.all == ["Optional(RecordModel.SyncError.Code.operationCancelled)"])
        #expect(story.cloud.requestCount() == 0)
        #expect(device.delegate.eventKinds == [])
    }

    @Test(.holds("S114"))
    func endsTheWaitAtOnceWhileTheDelegateIsBusy() throws {
        let device = try prepared()
        let world = story.world
        let engine = device.engine
        let notes = Notes()
        device.delegate.onEvent(.willSendChanges) { _, _, _ in
            try await world.sleep(for: .seconds(60))
            notes.add("handled")
        }
        try world.run {
            let task = world.environment.launch {
                do { try await engine.sendChanges() } catch { notes.add("cancelled") }
            }
            try await world.sleep(for: .seconds(1))
            task.cancel()
            await task.value
        }
        try world.advance(by: .seconds(100))
        #expect(notes.all == ["cancelled", "handled"])
        #expect(brackets(device) == 0)
        #expect(device.pending == [.saveRecord(device.id("mine"))])
    }

    @Test(.holds("S112", "S113"))
    func letsTheBatchUnderWayEndAndSendsNoOther() throws {
        story.cloud.setLimits(RequestLimits(batchCountMax: 1, batchByteCountMax: 100_000))
        let device = story.device("A")
        try story.send(device)
        device.save("a", text: "x")
        device.save("b", text: "x")
        let cloud = story.cloud
        let error = #expect(throws: SyncError.self) {
            try story.world.run {
                let hold = cloud.hold(.modifyRecords)
                async let send: Void = device.engine.sendChanges()
                try await hold.arrived()
                await device.engine.cancelOperations()
                hold.release()
                try await send
            }
        }
        #expect(error?.code == .operationCancelled)
        #expect(device.pending == [.saveRecord(device.id("b"))])
        #expect(device.delegate.eventKinds.last == .didSendChanges)
        try story.send(device)
        #expect(device.pending == [])
    }

    @Test(.holds("S113"))
    func reportsABatchThatWasCancelledBeforeItLeftAndKeepsItsChanges() throws {
        let device = try prepared()
        let engine = device.engine
        device.delegate.onEvent(.stateUpdate) { _, _, engine in
            // The mark of the batch is being stored: it has not left.
            if engine.state.pendingRecordZoneChanges == [] { await engine.cancelOperations() }
        }
        #expect(TestDevice.code { try story.send(device) } == .operationCancelled)
        #expect(device.failures == [.operationCancelled])
        #expect(engine.state.pendingRecordZoneChanges == [.saveRecord(device.id("mine"))])
        #expect(story.cloud.requestCount(of: .modifyRecords) == 0)
    }

    @Test(.holds("S113"))
    func endsTheCallsThatWaitBehindOthers() throws {
        let device = try prepared()
        let cloud = story.cloud
        let engine = device.engine
        let codes = try story.world.run {
            let hold = cloud.hold(.accountStatus)
            let outcomes = Notes()
            await withTaskGroup(of: Void.self) { group in
                for _ in 1...3 {
                    group.addTask {
                        do { try await engine.sendChanges() } catch {
                            outcomes.add("\((error as? SyncError)?.code.rawValue ?? 0)")
                        }
                    }
                }
                try? await hold.arrived()
                await engine.cancelOperations()
                hold.release()
            }
            return outcomes.all
        }
        #expect(codes == ["20", "20", "20"])
    }

    /// How many `will…` events have no `did…`.
    private func brackets(_ device: TestDevice) -> Int {
        device.delegate.eventKinds.reduce(0) { depth, kind in
            switch kind {
            case .willFetchChanges, .willSendChanges, .willFetchRecordZoneChanges: depth + 1
            case .didFetchChanges, .didSendChanges, .didFetchRecordZoneChanges: depth - 1
            case _: depth
            }
        }
    }
}
