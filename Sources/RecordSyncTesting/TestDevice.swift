public import RecordModel
public import RecordSync

/// A device in a test: an engine on a world, with a delegate that plays its app.
public final class TestDevice: Sendable {
    /// The device's name, as the cloud knows it.
    public let name: String
    /// The account that signed in on it first.
    public let account: String
    /// The app's side, with its records.
    public let delegate: RecordingDelegate
    /// The engine.
    public let engine: SyncEngine
    /// The zone that `id(_:)` and `save(_:text:)` are about.
    public let zone: RecordZone
    private let world: TestWorld
    private let cloud: InMemoryCloud
    private let isAutomatic: Bool
    private let conditionsMonitor: (any ConditionsMonitor)?
    private let assetFolder: String?

    /// Launches a device; the first launch of an app saves its zone.
    public init(
        _ name: String,
        account: String = "alice",
        on world: TestWorld,
        cloud: InMemoryCloud,
        zone: RecordZone = RecordZone(zoneName: "Notes"),
        delegate: RecordingDelegate = RecordingDelegate(),
        isAutomatic: Bool = true,
        conditionsMonitor: (any ConditionsMonitor)? = nil,
        assetFolder: String? = nil
    ) {
        self.name = name
        self.account = account
        self.zone = zone
        self.world = world
        self.cloud = cloud
        self.delegate = delegate
        self.isAutomatic = isAutomatic
        self.conditionsMonitor = conditionsMonitor
        self.assetFolder = assetFolder
        var configuration = SyncEngine.Configuration(
            database: cloud.database(.private, account: account, device: name),
            stateSerialization: delegate.state,
            delegate: delegate
        )
        configuration.automaticallySync = isAutomatic
        configuration.conditionsMonitor = conditionsMonitor
        configuration.assetFolder = assetFolder
        configuration.run(on: world)
        engine = SyncEngine(configuration)
        if delegate.state == nil {
            engine.state.add(pendingDatabaseChanges: [.saveZone(zone)])
        }
    }

    /// Launches the device's app anew, with the records and the state that were stored last.
    ///
    /// Let go of this one to play a crash: what it was doing then ends.
    public func relaunched() -> TestDevice {
        TestDevice(
            name,
            account: account,
            on: world,
            cloud: cloud,
            zone: zone,
            delegate: RecordingDelegate(
                records: Array(delegate.records.values),
                state: delegate.state
            ),
            isAutomatic: isAutomatic,
            conditionsMonitor: conditionsMonitor,
            assetFolder: assetFolder
        )
    }

    /// The identity of a record in the device's zone.
    public func id(_ recordName: String) -> Record.ID {
        Record.ID(recordName: recordName, zoneID: zone.zoneID)
    }

    /// Edits a record, or makes it, and tells the engine.
    public func save(_ recordName: String, text: String) {
        var record =
            delegate[id(recordName)] ?? Record(recordType: "Note", recordID: id(recordName))
        record["text"] = text
        delegate[id(recordName)] = record
        engine.state.add(pendingRecordZoneChanges: [.saveRecord(id(recordName))])
    }

    /// Deletes a record, and tells the engine.
    public func delete(_ recordName: String) {
        delegate[id(recordName)] = nil
        engine.state.add(pendingRecordZoneChanges: [.deleteRecord(id(recordName))])
    }
}
