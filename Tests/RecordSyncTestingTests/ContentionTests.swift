import RecordModel
import RecordSync
import RecordSyncTesting
import TestSupport
import Testing

/// An engine on the machine's own threads and clock, used from many tasks at once.
struct ContentionTests {
    @Test func editsFromManyTasksDuringASendAreAllSent() async throws {
        let cloud = InMemoryCloud()
        let zone = RecordZone(zoneName: "Notes")
        let delegate = RecordingDelegate()
        var configuration = SyncEngine.Configuration(
            database: cloud.database(.private, account: "alice", device: "A"),
            stateSerialization: nil,
            delegate: delegate
        )
        configuration.automaticallySync = false
        let engine = SyncEngine(configuration)
        engine.state.add(pendingDatabaseChanges: [.saveZone(zone)])
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<4 {
                group.addTask {
                    for number in 0..<100 {
                        let name = "\(task)-\(number)"
                        let id = Record.ID(recordName: name, zoneID: zone.zoneID)
                        delegate[id] = Record(recordType: "Note", recordID: id)
                        engine.state.add(pendingRecordZoneChanges: [.saveRecord(id)])
                    }
                }
            }
            group.addTask { try await engine.sendChanges() }
            group.addTask { try await engine.fetchChanges() }
            try await group.waitForAll()
        }
        try await engine.sendChanges()
        #expect(engine.state.pendingRecordZoneChangeCount == 0)
        #expect(cloud.records(in: zone.zoneID, account: "alice").count == 400)
    }
}
