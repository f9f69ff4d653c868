import RecordModel
import RecordSync
import RecordSyncTesting
import TestSupport
import Testing

/// The schedule, conditions and notifications through the engine that an app uses.
@Suite struct ScheduleTests {
    private func engine(
        _ story: Story,
        _ delegate: RecordingDelegate,
        monitor: (any ConditionsMonitor)? = nil,
        database: (any SyncDatabase)? = nil,
        _ change: (inout SyncEngine.Configuration) -> Void = { _ in }
    ) -> SyncEngine {
        var configuration = SyncEngine.Configuration(
            database: database ?? story.cloud.database(.private, account: "alice", device: "A"),
            stateSerialization: nil,
            delegate: delegate
        )
        configuration.conditionsMonitor = monitor
        configuration.run(on: story.world)
        change(&configuration)
        return SyncEngine(configuration)
    }

    private func add(
        _ name: String,
        to engine: SyncEngine,
        _ delegate: RecordingDelegate,
        priority: SyncPriority? = nil
    ) {
        let record = Record(
            recordType: "Note",
            recordID: Record.ID(recordName: name, zoneID: .default)
        )
        delegate[record.recordID] = record
        let changes = [SyncEngine.PendingRecordZoneChange.saveRecord(record.recordID)]
        if let priority {
            engine.state.add(pendingRecordZoneChanges: changes, priority: priority)
        } else {
            engine.state.add(pendingRecordZoneChanges: changes)
        }
    }

    @Test(.holds("P92"))
    func aMonitorsWordHoldsWorkBackAndLetsItGo() throws {
        let story = Story()
        let delegate = RecordingDelegate()
        let monitor = ManualConditions(Conditions(network: .available))
        let engine = engine(story, delegate, monitor: monitor)
        try story.world.advance(by: .seconds(5))
        #expect(engine.schedule.isAtRest)
        monitor.change { $0.network = .unavailable }
        add("a", to: engine, delegate)
        try story.world.advance(by: .seconds(60))
        #expect(engine.schedule.send.blockers.map(\.reason) == [.networkUnavailable])
        #expect(engine.schedule.remaining.pending.recordSaves == 1)
        monitor.change { $0.network = .available }
        try story.world.advance(by: .seconds(1))
        #expect(engine.state.pendingRecordZoneChanges.isEmpty)
        #expect(engine.schedule.isAtRest)
    }

    @Test(.holds("P95"))
    func aUserInitiatedChangeGoesWhileTheOthersWaitForABetterNetwork() throws {
        let story = Story()
        let delegate = RecordingDelegate()
        let monitor = ManualConditions(Conditions(network: .available))
        let engine = engine(story, delegate, monitor: monitor)
        try story.world.advance(by: .seconds(5))
        monitor.change { $0.network = .constrained }
        add("later", to: engine, delegate)
        add("now", to: engine, delegate, priority: .userInitiated)
        try story.world.advance(by: .seconds(5))
        let later = Record.ID(recordName: "later", zoneID: .default)
        #expect(engine.state.pendingRecordZoneChanges == [.saveRecord(later)])
        #expect(engine.schedule.send.blockers.map(\.reason) == [.networkMetered])
        monitor.change { $0.network = .available }
        try story.world.advance(by: .seconds(1))
        #expect(engine.state.pendingRecordZoneChanges.isEmpty)
    }

    @Test(.holds("P95", "J2"))
    func aPreparedChangeHasItsPriorityOnceItIsApplied() throws {
        let story = Story()
        let delegate = RecordingDelegate()
        let monitor = ManualConditions(Conditions(network: .available))
        let engine = engine(story, delegate, monitor: monitor)
        try story.world.advance(by: .seconds(5))
        monitor.change { $0.network = .constrained }
        let record = Record(
            recordType: "Note",
            recordID: Record.ID(recordName: "a", zoneID: .default)
        )
        delegate[record.recordID] = record
        let entry = engine.state.prepare(
            pendingRecordZoneChanges: [.saveRecord(record.recordID)],
            priority: .userInitiated
        )
        try story.world.advance(by: .seconds(5))
        #expect(story.cloud.requestCount(of: .modifyRecords) == 0)
        engine.state.apply(entry)
        try story.world.advance(by: .seconds(5))
        #expect(story.cloud.requestCount(of: .modifyRecords) == 1)
    }

    @Test(.holds("P92"))
    func whatTheAppSaysOfItsForegroundStandsAboveTheMonitor() throws {
        let story = Story()
        let monitor = ManualConditions(Conditions(isForeground: true))
        let delegate = RecordingDelegate()
        let engine = engine(story, delegate, monitor: monitor)
        engine.setForeground(false)
        try story.world.advance(by: .seconds(1))
        #expect(engine.schedule.conditions.isForeground == false)
        engine.setForeground(nil)
        try story.world.advance(by: .seconds(1))
        #expect(engine.schedule.conditions.isForeground == true)
    }

    @Test(.holds("P92"))
    func withoutAMonitorEverythingIsUnknownAndGood() throws {
        let story = Story()
        let delegate = RecordingDelegate()
        let engine = engine(story, delegate)
        add("a", to: engine, delegate)
        try story.world.advance(by: .seconds(1))
        #expect(engine.schedule.conditions == .unknown)
        #expect(engine.schedule.conditions.unknownNames.count == 6)
        #expect(engine.state.pendingRecordZoneChanges.isEmpty)
    }

    @Test(.holds("P92"))
    func beginsWithThePlatformsMonitorWhereTheServerHasAnAddress() {
        let story = Story()
        let base = story.cloud.database(.private, account: "alice", device: "A")
        let near = SyncEngine.Configuration(
            database: base,
            stateSerialization: nil,
            delegate: RecordingDelegate()
        )
        #expect(near.conditionsMonitor == nil)
        let far = SyncEngine.Configuration(
            database: EndingDatabase(base, serverAddress: "sync.example.org"),
            stateSerialization: nil,
            delegate: RecordingDelegate()
        )
        #if os(Linux)
            #expect(far.conditionsMonitor is LinuxConditionsMonitor)
        #else
            #expect(far.conditionsMonitor != nil)
        #endif
    }

    @Test(.holds("P92"))
    func aWorldOfATestHasNoPlatform() {
        let story = Story()
        let base = story.cloud.database(.private, account: "alice", device: "A")
        var configuration = SyncEngine.Configuration(
            database: EndingDatabase(base, serverAddress: "sync.example.org"),
            stateSerialization: nil,
            delegate: RecordingDelegate()
        )
        configuration.run(on: story.world)
        #expect(configuration.conditionsMonitor == nil)
    }

    #if os(Linux)
        @Test(.holds("P92", "P94"))
        func anAutomaticEngineKnowsItsPlatformsConditionsWithoutBeingTold() async {
            let base = InMemoryCloud().database(.private, account: "alice", device: "A")
            // Kept: the engine holds its delegate weakly.
            let delegate = RecordingDelegate()
            let engine = SyncEngine(
                .init(
                    database: EndingDatabase(base, serverAddress: "127.0.0.1"),
                    stateSerialization: nil,
                    delegate: delegate
                )
            )
            for await schedule in engine.schedules where schedule.conditions != .unknown {
                #expect(schedule.conditions.network == .available)
                break
            }
            _ = delegate
        }
    #endif

    @Test(.holds("P80", "P93"))
    func observersAreToldOnceTheDelegateHasTakenLong() throws {
        let story = Story()
        let delegate = SlowDelegate(story.world)
        var configuration = SyncEngine.Configuration(
            database: story.cloud.database(.private, account: "alice", device: "A"),
            stateSerialization: nil,
            delegate: delegate
        )
        configuration.run(on: story.world)
        let engine = SyncEngine(configuration)
        try story.world.runUntilIdle()
        let schedules = engine.schedules
        let heard = Notes()
        let reader = story.world.environment.launch {
            for await schedule in schedules {
                heard.add(schedule.delegate?.isLong == true ? "long" : "not long")
            }
        }
        try story.world.advance(by: .milliseconds(29_999))
        #expect(heard.all == ["not long"])
        try story.world.advance(by: .milliseconds(1))
        #expect(heard.all == ["not long", "long"])
        reader.cancel()
        try story.world.runUntilIdle()
    }

    @Test(.holds("P93"))
    func aSlowObserverGetsTheNewestSchedule() throws {
        let story = Story()
        let delegate = RecordingDelegate()
        let monitor = ManualConditions()
        let engine = engine(story, delegate, monitor: monitor)
        try story.world.advance(by: .seconds(5))
        let schedules = engine.schedules
        monitor.change { $0.network = .unavailable }
        try story.world.advance(by: .seconds(1))
        let first = try story.world.run { () -> Schedule? in
            for await schedule in schedules { return schedule }
            return nil
        }
        #expect(first?.conditions.network == .unavailable)
    }

    @Test(.holds("P93"))
    func theSequenceEndsWithTheEngine() throws {
        let story = Story()
        let delegate = RecordingDelegate()
        var engine: SyncEngine? = engine(story, delegate)
        try story.world.advance(by: .seconds(5))
        guard let schedules = engine?.schedules else { return }
        engine = nil
        let count = try story.world.run { () -> Int in
            var count = 0
            for await _ in schedules { count += 1 }
            return count
        }
        #expect(count <= 1)
    }

    @Test(.holds("P84", "S89"))
    func aNotificationFromOutsideIsForItsDatabaseAndAnUnreadableOneForAll() throws {
        for (notification, isForUs) in [
            (RemoteNotification.unreadable, true),
            (RemoteNotification(databaseName: "another/private"), false),
        ] {
            let story = Story()
            let delegate = RecordingDelegate()
            let engine = engine(story, delegate)
            try story.world.advance(by: .seconds(5))
            let before = story.cloud.requestCount(of: .databaseChanges)
            engine.receive(notification)
            try story.world.advance(by: .seconds(1))
            let fetched = story.cloud.requestCount(of: .databaseChanges) > before
            #expect(fetched == isForUs)
        }
    }

    @Test(.holds("P84"))
    func aStreamOfNotificationsThatEndsIsOpenedAgain() throws {
        let story = Story()
        let database = EndingDatabase(story.cloud.database(.private, account: "alice", device: "A"))
        let engine = engine(story, RecordingDelegate(), database: database)
        try story.world.advance(by: .seconds(5))
        #expect(engine.schedule.pushChannel == .closed)
        #expect(engine.schedule.explain().contains("their stream ended"))
        try story.world.advance(by: .seconds(60))
        #expect(database.openedCount.all.count >= 2)
    }

    @Test(.holds("P90"))
    func aPolicyThatCannotWorkMakesEveryCallThrowWithItsField() throws {
        let story = Story()
        let engine = engine(story, RecordingDelegate()) { $0.schedulingPolicy.backoffMin = .zero }
        let error = #expect(throws: SyncError.self) {
            try story.world.run { try await engine.fetchChanges() }
        }
        #expect(error?.message.contains("backoffMin") == true)
        try story.world.advance(by: .seconds(100))
        #expect(story.cloud.requestCount() == 0)
    }
}

/// A delegate that takes a minute for everything.
private final class SlowDelegate: SyncEngineDelegate {
    private let world: TestWorld

    init(_ world: TestWorld) { self.world = world }

    func handleEvent(_ event: SyncEngine.Event, syncEngine: SyncEngine) async throws {
        try await world.sleep(for: .seconds(60))
    }

    func nextRecordZoneChangeBatch(
        _ context: SyncEngine.SendChangesContext,
        syncEngine: SyncEngine
    ) async throws -> SyncEngine.RecordZoneChangeBatch? { nil }
}

/// A connection whose stream of notifications ends at once.
private final class EndingDatabase: SyncDatabase {
    private let base: any SyncDatabase
    let openedCount = Notes()

    let serverAddress: String?

    init(_ base: any SyncDatabase, serverAddress: String? = nil) {
        self.base = base
        self.serverAddress = serverAddress
    }

    var name: String { base.name }
    var scope: Database.Scope { base.scope }

    func accountStatus() async throws(SyncError) -> AccountStatus { try await base.accountStatus() }

    func databaseChanges(
        _ request: DatabaseChangesRequest,
        account: String
    ) async throws(SyncError) -> DatabaseChangesReply {
        try await base.databaseChanges(request, account: account)
    }

    func zoneChanges(
        _ request: ZoneChangesRequest,
        account: String
    ) async throws(SyncError) -> ZoneChangesReply {
        try await base.zoneChanges(request, account: account)
    }

    func modifyZones(
        _ request: ModifyZonesRequest,
        account: String
    ) async throws(SyncError) -> ModifyZonesReply {
        try await base.modifyZones(request, account: account)
    }

    func modifyRecords(
        _ request: ModifyRecordsRequest,
        account: String
    ) async throws(SyncError) -> ModifyRecordsReply {
        try await base.modifyRecords(request, account: account)
    }

    func lookUpRecords(
        _ request: LookUpRecordsRequest,
        account: String
    ) async throws(SyncError) -> LookUpRecordsReply {
        try await base.lookUpRecords(request, account: account)
    }

    func outcome(
        of request: SendOutcomeRequest,
        account: String
    ) async throws(SyncError) -> SendOutcome {
        try await base.outcome(of: request, account: account)
    }

    func notifications() -> AsyncStream<DatabaseNotification> {
        openedCount.add("opened")
        return AsyncStream { $0.finish() }
    }
}
