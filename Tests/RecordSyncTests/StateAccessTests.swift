import RecordModel
import RecordSync
import RecordSyncTesting
import TestSupport
import Testing

@Suite struct StateAccessTests {
    /// An app that guards its records with a lock of its own, in its provider too.
    private final class LockingApp: SyncEngineDelegate {
        let names = Guarded<[String]>([])

        func handleEvent(_ event: SyncEngine.Event, syncEngine: SyncEngine) async {
            names.withLock { _ in _ = syncEngine.state.pendingRecordZoneChanges }
        }

        func nextRecordZoneChangeBatch(
            _ context: SyncEngine.SendChangesContext,
            syncEngine: SyncEngine
        ) async -> SyncEngine.RecordZoneChangeBatch? {
            await .init(context) { id in
                self.names.withLock { names in
                    // The engine's state is used while the app's lock is held.
                    _ = syncEngine.state.hasPendingUntrackedChanges
                    return names.contains(id.recordName)
                        ? .record(Record(recordType: "Note", recordID: id)) : .gone
                }
            }
        }

        /// Edits a record and tells the engine, all under the lock.
        func edit(_ name: String, _ engine: SyncEngine) {
            names.withLock { names in
                names.append(name)
                let change = PendingRecordZoneChange.saveRecord(Record.ID(recordName: name))
                engine.state.add(pendingRecordZoneChanges: [change])
                _ = engine.state.pendingRecordZoneChanges
                _ = engine.state.serialization
            }
        }
    }

    @Test(.holds("S37"))
    func canBeUsedUnderALockThatTheProviderTakesToo() throws {
        let story = Story()
        let app = LockingApp()
        let engine = story.engine(app)
        for number in 0..<50 { app.edit("n\(number)", engine) }
        try story.world.run { try await engine.sendChanges() }
        #expect(story.cloud.records(in: .default, account: "alice").count == 50)
        #expect(engine.state.pendingRecordZoneChanges == [])
    }

    @Test(.holds("S37", "P2"))
    func canBeUsedFromManyThreadsWhileTheEngineSends() async throws {
        let cloud = InMemoryCloud()
        let app = LockingApp()
        var configuration = SyncEngine.Configuration(
            database: cloud.database(.private, account: "alice", device: "A"),
            stateSerialization: nil,
            delegate: app
        )
        configuration.automaticallySync = false
        let engine = SyncEngine(configuration)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for thread in 0..<8 {
                group.addTask {
                    for number in 0..<100 { app.edit("\(thread)-\(number)", engine) }
                }
            }
            for _ in 0..<4 {
                group.addTask { try await engine.sendChanges() }
            }
            try await group.waitForAll()
        }
        try await engine.sendChanges()
        #expect(cloud.records(in: .default, account: "alice").count == 800)
        #expect(engine.state.pendingRecordZoneChangeCount == 0)
    }

    @Test(.holds("S29", "S26"))
    func listsTheZonesThatWereNotFetched() throws {
        let story = Story()
        let device = story.device("A")
        let other = Record.ID(recordName: "n", zoneID: RecordZone.ID(zoneName: "Other"))
        try story.cloud.save(
            [
                Record(recordType: "Note", recordID: other),
                Record(recordType: "Note", recordID: device.id("n")),
            ],
            account: "alice"
        )
        let options = SyncEngine.FetchChangesOptions(scope: .zoneIDs([other.zoneID]))
        try story.world.run { try await device.engine.fetchChanges(options) }
        #expect(device.engine.state.zoneIDsWithUnfetchedServerChanges == [device.zone.zoneID])
        #expect(device.fetched == ["n"])
        #expect(device.delegate[other] != nil)
    }

    @Test(.holds("S53", "S55"))
    func asksForBatchesWhileTheFlagOfUntrackedChangesStands() throws {
        let story = Story()
        let device = story.device("A")
        let record = Record(recordType: "Note", recordID: device.id("untracked"))
        device.delegate.onBatch { _, number, _ in
            number == 1 ? .init(recordsToSave: [record]) : nil
        }
        device.engine.state.hasPendingUntrackedChanges = true
        try story.send(device)
        #expect(story.cloud.record(record.recordID, account: "alice") != nil)
        #expect(!device.engine.state.hasPendingUntrackedChanges)
    }
}
