import RecordSync
import RecordSyncTesting
import TestSupport
import Testing

struct ConfigurationTests {
    @Test(.holds("S93"))
    func offersNoSettingOfWhenItSyncs() {
        let configuration = SyncEngine.Configuration(
            database: InMemoryCloud().database(.private, account: "ann", device: "A"),
            stateSerialization: nil,
            delegate: RecordingDelegate()
        )
        let settings = Mirror(reflecting: configuration).children.compactMap(\.label)
        #expect(
            settings == [
                "database", "stateSerialization", "delegate", "automaticallySync",
                "createsMissingZones", "subscriptionID", "environment",
            ]
        )
        #expect(configuration.automaticallySync)
        #expect(!configuration.createsMissingZones)
        #expect(configuration.subscriptionID == nil)
    }

    @Test func storiesGoOverTheWireWhereTheyAreAskedTo() {
        let database = Story().cloud.database(.private, account: "alice", device: "A")
        #expect(database is WireDatabase == Story.goesOverTheWire)
    }
}
