import RecordSync
import RecordSyncTesting
import TestSupport
import Testing

struct ConfigurationTests {
    @Test(.holds("S93"))
    func everySettingOfWhenItSyncsHasADefault() {
        let configuration = SyncEngine.Configuration(
            database: InMemoryCloud().database(.private, account: "ann", device: "A"),
            stateSerialization: nil,
            delegate: RecordingDelegate()
        )
        let settings = Mirror(reflecting: configuration).children.compactMap(\.label)
        #expect(
            settings == [
                "database", "stateSerialization", "delegate", "automaticallySync",
                "createsMissingZones", "schedulingPolicy", "priority", "conditionsMonitor",
                "subscriptionID", "assetFolder", "assetFiles", "environment",
            ]
        )
        #expect(configuration.automaticallySync)
        #expect(!configuration.createsMissingZones)
        #expect(configuration.subscriptionID == nil)
        #expect(configuration.schedulingPolicy == SchedulingPolicy())
        #expect(configuration.priority == .default)
        #expect(configuration.conditionsMonitor == nil)
        #expect(configuration.assetFolder == nil)
    }

    @Test func storiesGoOverTheWireWhereTheyAreAskedTo() {
        let database = Story().cloud.database(.private, account: "alice", device: "A")
        #expect(database is WireDatabase == Story.goesOverTheWire)
    }
}
