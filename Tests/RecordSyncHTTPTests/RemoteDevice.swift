import LoopbackSupport
import RecordModel
import RecordSync
import RecordSyncHTTP
import RecordSyncTesting

/// A device of a running server: an engine, and a delegate that plays its app.
final class RemoteDevice: Sendable {
    let delegate: RecordingDelegate
    let engine: SyncEngine
    private let database: any SyncDatabase
    private let isAutomatic: Bool
    static let zone = RecordZone(zoneName: "Notes")

    init(
        _ database: any SyncDatabase,
        delegate: RecordingDelegate = RecordingDelegate(),
        isAutomatic: Bool = false
    ) {
        self.database = database
        self.delegate = delegate
        self.isAutomatic = isAutomatic
        var configuration = SyncEngine.Configuration(
            database: database,
            stateSerialization: delegate.state,
            delegate: delegate
        )
        configuration.automaticallySync = isAutomatic
        // What a test sees must not hang on how busy its machine is.
        configuration.conditionsMonitor = nil
        engine = SyncEngine(configuration)
        if delegate.state == nil {
            engine.state.add(pendingDatabaseChanges: [.saveZone(Self.zone)])
        }
    }

    convenience init(_ name: String, on server: LoopbackServer) throws {
        self.init(try RemoteServer(server.url, deviceName: name).database(.private))
    }

    /// The app ends and starts again with what it stored.
    func relaunched() -> RemoteDevice {
        let records = Array(delegate.records.values)
        return RemoteDevice(
            database,
            delegate: RecordingDelegate(records: records, state: delegate.state),
            isAutomatic: isAutomatic
        )
    }

    static func id(_ name: String) -> Record.ID {
        Record.ID(recordName: name, zoneID: zone.zoneID)
    }

    func save(_ name: String, text: String) {
        let id = Self.id(name)
        var record = delegate[id] ?? Record(recordType: "Note", recordID: id)
        record["text"] = text
        delegate[id] = record
        engine.state.add(pendingRecordZoneChanges: [.saveRecord(id)])
    }

    func delete(_ name: String) {
        delegate[Self.id(name)] = nil
        engine.state.add(pendingRecordZoneChanges: [.deleteRecord(Self.id(name))])
    }

    func text(_ name: String) -> String? { delegate[Self.id(name)]?["text"] }

    func sync() async throws {
        try await engine.sendChanges()
        try await engine.fetchChanges()
    }
}
