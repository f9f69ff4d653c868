import RecordModel
import RecordSync
import RecordSyncTesting
import TestSupport
import Testing

@Suite struct LifetimeTests {
    private let story = Story()

    @Test func endsACallWhenTheDelegateIsGone() throws {
        let engine = story.engine(RecordingDelegate())
        #expect(
            TestDevice.code { try story.world.run { try await engine.sendChanges() } }
                == .operationCancelled
        )
        #expect(
            TestDevice.code { try story.world.run { try await engine.fetchChanges() } }
                == .operationCancelled
        )
        // Its state goes on to be usable.
        let change = PendingRecordZoneChange.saveRecord(Record.ID(recordName: "n"))
        engine.state.add(pendingRecordZoneChanges: [change])
        #expect(engine.state.pendingRecordZoneChanges == [change])
    }

    @Test func endsACallWhenTheDelegateGoesDuringIt() throws {
        let app = Guarded<RecordingDelegate?>(RecordingDelegate())
        let engine = story.engine(app.withLock { $0! })
        app.withLock { $0! }.onEvent(.willFetchChanges) { _, _, _ in
            app.withLock { $0 = nil }
        }
        #expect(
            TestDevice.code { try story.world.run { try await engine.fetchChanges() } }
                == .operationCancelled
        )
    }

    @Test func doesNothingByItselfWithoutADelegate() throws {
        let engine = story.engine(RecordingDelegate(), isAutomatic: true)
        try story.world.advance(by: .seconds(100_000))
        #expect(story.cloud.requestCount() == 1)
        _ = engine
    }

    @Test func endsWithoutATraceInTheMiddleOfARequest() throws {
        let cloud = story.cloud
        let delegate = RecordingDelegate()
        weak let held: SyncEngine?
        do {
            let engine = story.engine(delegate, isAutomatic: true)
            held = engine
            let hold = cloud.hold(.databaseChanges)
            try story.world.advance(by: .seconds(1))
            hold.release()
        }
        #expect(held == nil)
        let before = delegate.eventKinds
        try story.world.advance(by: .seconds(100_000))
        #expect(delegate.eventKinds == before)
    }

    @Test func doesNotKeepItsDelegate() {
        weak let held: RecordingDelegate?
        let engine: SyncEngine
        do {
            let delegate = RecordingDelegate()
            held = delegate
            engine = story.engine(delegate)
        }
        #expect(held == nil)
        _ = engine
    }

    @Test(.holds("S96"))
    func canBeMadeWhateverTheAccountIs() throws {
        story.cloud.signOut(device: "A")
        let device = story.device("A")
        story.cloud.signOut(device: "A")
        device.save("n", text: "x")
        #expect(TestDevice.code { try story.send(device) } == .notAuthenticated)
        #expect(device.delegate.eventKinds == [])
        story.cloud.signIn("alice", device: "A")
        try story.send(device)
        #expect(story.text(device.id("n")) == "x")
    }

    @Test(.holds("S107"))
    func throwsFromEveryCallOnThePublicDatabase() throws {
        let database = story.cloud.database(.public, account: "alice", device: "A")
        let delegate = RecordingDelegate()
        for isAutomatic in [false, true] {
            let engine = story.engine(delegate, database: database, isAutomatic: isAutomatic)
            #expect(
                TestDevice.code { try story.world.run { try await engine.sendChanges() } }
                    == .badDatabase
            )
            #expect(
                TestDevice.code { try story.world.run { try await engine.fetchChanges() } }
                    == .badDatabase
            )
        }
        #expect(delegate.eventKinds == [])
    }

    @Test(.holds("H30", "H21"))
    func refusesTheStateOfAnotherDatabaseAndLeavesItAsItIs() throws {
        let device = story.device("A")
        device.save("n", text: "x")
        try story.world.advance(by: .seconds(1))
        let state = device.engine.state.serialization
        let shared = story.cloud.database(.shared, account: "alice", device: "A")
        let delegate = RecordingDelegate()
        let engine = story.engine(delegate, database: shared, state: state)
        #expect(
            TestDevice.code { try story.world.run { try await engine.sendChanges() } }
                == .badDatabase
        )
        engine.state.add(
            pendingRecordZoneChanges: [.deleteRecord(device.id("other"))]
        )
        try story.world.advance(by: .seconds(1))
        // Whatever state that engine hands out is not one of the shared database.
        let next = story.engine(delegate, database: shared, state: engine.state.serialization)
        #expect(
            TestDevice.code { try story.world.run { try await next.sendChanges() } }
                == .badDatabase
        )
    }

    @Test(.holds("S108", "S103", "H30"))
    func worksBesideAnEngineOfAnotherDatabase() throws {
        let (one, two) = (RecordingDelegate(), RecordingDelegate())
        let shared = story.cloud.database(.shared, account: "alice", device: "A")
        let engines = [story.engine(one), story.engine(two, database: shared)]
        try story.world.run {
            for engine in engines { try await engine.fetchChanges() }
        }
        for delegate in [one, two] {
            #expect(
                delegate.eventDescriptions.first == "accountChange(signIn alice)"
            )
        }
    }

    @Test(.holds("S108"))
    func worksBesideAnotherEngineOfTheSameDatabaseAndDevice() throws {
        let one = story.device("A")
        let two = story.device("A")
        for number in 0..<20 {
            one.save("one\(number)", text: "1")
            two.save("two\(number)", text: "2")
        }
        try story.world.run {
            async let first: Void = one.engine.sendChanges()
            async let second: Void = two.engine.sendChanges()
            _ = try await (first, second)
        }
        try story.meet(one, two)
        #expect(one.delegate.records == two.delegate.records)
        #expect(one.delegate.records.count == 40)
        #expect(one.failures + two.failures == [])
        // What this one sent is no news to it, but what the other one sent is.
        #expect(Set(one.fetched) == Set((0..<20).map { "two\($0)" }))
    }
}
