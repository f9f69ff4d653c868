import RecordModel
import RecordSync
import RecordSyncTesting
import TestSupport
import Testing

@Suite struct FlushStoryTests {
    private let story = Story()

    private func flush(
        _ device: TestDevice,
        within duration: Duration = .seconds(5)
    ) throws -> SyncEngine.FlushResult {
        try story.world.run { await device.engine.flush(deadline: duration) }
    }

    @Test(.holds("P53"), arguments: [false, true])
    func sendsEverythingAndSaysSo(isAutomatic: Bool) throws {
        let device = TestDevice(
            "A",
            on: story.world,
            cloud: story.cloud,
            isAutomatic: isAutomatic
        )
        device.save("n", text: "x")
        let result = try flush(device)
        #expect(result.isEverythingConfirmed)
        #expect(result.error == nil)
        #expect(!result.isDeadlineReached)
        #expect(story.text(device.id("n")) == "x")
        #expect(story.world.elapsed == .zero)
    }

    @Test(.holds("P53", "P7"), arguments: [RequestHold.Place.beforeServer, .beforeAnswer])
    func returnsAtItsDeadlineThoughTheServerIsSilent(place: RequestHold.Place) throws {
        let device = story.device("A")
        device.save("n", text: "x")
        let hold = story.cloud.hold(.modifyRecords, from: "A", at: place)
        let result = try flush(device)
        #expect(story.world.elapsed == .seconds(5))
        #expect(result.isDeadlineReached)
        #expect(result.error == nil)
        #expect(result.remaining == RemainingChanges(inFlight: ChangeCounts(recordSaves: 1)))
        device.save("late", text: "x")
        hold.release()
        try story.world.runUntilIdle()
        #expect(device.pending == [.saveRecord(device.id("late"))])
        #expect(story.text(device.id("n")) == "x")
        #expect(story.cloud.requestCount(of: .modifyRecords) == 1)
        #expect(device.failures == [])
    }

    @Test(.holds("P53"))
    func returnsAtItsDeadlineThoughTheDelegateIsBusy() throws {
        let world = story.world
        let device = story.device("A")
        device.save("n", text: "x")
        device.delegate.onEvent(.willSendChanges) { _, _, _ in
            try await world.sleep(for: .seconds(60))
        }
        let result = try flush(device)
        #expect(world.elapsed == .seconds(5))
        #expect(result.remaining.pending == ChangeCounts(recordSaves: 1, zoneSaves: 1))
        try world.advance(by: .seconds(100))
        #expect(story.cloud.writeRequestCount() == 0)
    }

    @Test(.holds("P55"))
    func doesNotThrowWhenNobodyIsSignedIn() throws {
        let device = story.device("A")
        story.cloud.signOut(device: "A")
        device.save("n", text: "x")
        let result = try flush(device)
        #expect((result.error as? SyncError)?.code == .notAuthenticated)
        #expect(result.remaining.total == 2)
        #expect(!result.isEverythingConfirmed)
    }

    @Test(.holds("P55"))
    func returnsAtOnceInsideTheDelegatesMethod() throws {
        let device = story.device("A")
        let code = Guarded<SyncError.Code?>(nil)
        device.delegate.onEvent(.willSendChanges) { _, _, engine in
            let result = await engine.flush(deadline: .seconds(5))
            code.withLock { $0 = (result.error as? SyncError)?.code }
        }
        try story.send(device)
        #expect(code.withLock { $0 } == .invalidArguments)
        #expect(story.world.elapsed == .zero)
    }

    @Test(.holds("P55"))
    func returnsAtOnceWhenItsTaskIsCancelled() throws {
        let device = story.device("A")
        device.save("n", text: "x")
        let (story, environment) = (story, story.world.environment)
        let code = Guarded<SyncError.Code?>(nil)
        try story.world.run {
            let hold = story.cloud.hold(.modifyRecords, from: "A", at: .beforeAnswer)
            let task = environment.launch {
                let result = await device.engine.flush(deadline: .seconds(5))
                code.withLock { $0 = (result.error as? SyncError)?.code }
            }
            try await hold.arrived()
            task.cancel()
            await task.value
            hold.release()
        }
        #expect(code.withLock { $0 } == .operationCancelled)
        #expect(story.world.elapsed == .zero)
        try story.world.runUntilIdle()
        #expect(device.pending == [])
    }

    @Test(.holds("P55"))
    func givesWhatTheDelegateThrew() throws {
        let device = story.device("A")
        device.save("n", text: "x")
        device.delegate.throwError(Refusal(number: 3), at: .sentRecordZoneChanges)
        let result = try flush(device)
        #expect(result.error as? Refusal == Refusal(number: 3))
        // The server has it, but the delegate has not heard of it.
        #expect(result.remaining == RemainingChanges(inFlight: ChangeCounts(recordSaves: 1)))
    }

    @Test(.holds("P55"))
    func returnsAtOnceWithoutADelegate() throws {
        let engine = story.engine(RecordingDelegate())
        let id = Record.ID(recordName: "n")
        engine.state.add(pendingRecordZoneChanges: [.saveRecord(id)])
        let result = try story.world.run { await engine.flush(deadline: .seconds(5)) }
        #expect((result.error as? SyncError)?.code == .operationCancelled)
        #expect(result.zones.map(\.zoneID) == [.default])
        #expect(story.world.elapsed == .zero)
    }
}
