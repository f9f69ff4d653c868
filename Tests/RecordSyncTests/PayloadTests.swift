import RecordSync
import TestSupport
import Testing

/// An app's test can make every event and every context by hand.
@Suite struct PayloadTests {
    private let zoneID = RecordZone.ID(zoneName: "Notes")
    private var id: Record.ID { Record.ID(recordName: "n", zoneID: zoneID) }
    private var record: Record { Record(recordType: "Note", recordID: id) }
    private let error = SyncError(.zoneBusy, "busy", retryAfterSeconds: 3)
    private let fetch = SyncEngine.FetchChangesContext(reason: .manual)
    private let send = SyncEngine.SendChangesContext(reason: .scheduled)

    @Test func makesTheEventsOfAFetch() {
        let kind = SyncEvent.FetchKind.full(id: 1, reason: .tokenExpired)
        let events: [SyncEngine.Event] = [
            .willFetchChanges(.init(context: fetch)),
            .fetchedDatabaseChanges(
                .init(
                    modifications: [.init(zoneID: zoneID)],
                    deletions: [.init(zoneID: zoneID, reason: .purged)]
                )
            ),
            .willFetchRecordZoneChanges(.init(zoneID: zoneID, kind: kind)),
            .fetchedRecordZoneChanges(
                .init(
                    modifications: [.init(record: record)],
                    deletions: [.init(recordID: id, recordType: "Note")],
                    kind: kind
                )
            ),
            .didFetchRecordZoneChanges(.init(zoneID: zoneID, error: error, kind: kind)),
            .didFetchChanges(.init(context: fetch)),
        ]
        #expect(
            events.map(\.description) == [
                "willFetchChanges(manual, all)",
                "fetchedDatabaseChanges(1 modified, 1 deleted)",
                "willFetchRecordZoneChanges(Notes, full 1, tokenExpired)",
                "fetchedRecordZoneChanges(1 modified, 1 deleted)",
                "didFetchRecordZoneChanges(Notes, zoneBusy: busy (retry after 3.0 s))",
                "didFetchChanges(manual, all)",
            ]
        )
    }

    @Test func makesTheEventsOfASend() {
        let events: [SyncEngine.Event] = [
            .willSendChanges(.init(context: send)),
            .sentDatabaseChanges(
                .init(
                    savedZones: [RecordZone(zoneID: zoneID)],
                    failedZoneSaves: [.init(zone: RecordZone(zoneID: zoneID), error: error)],
                    deletedZoneIDs: [zoneID],
                    failedZoneDeletes: [zoneID: error]
                )
            ),
            .sentRecordZoneChanges(
                .init(
                    savedRecords: [record],
                    failedRecordSaves: [.init(record: record, error: error)],
                    deletedRecordIDs: [id],
                    failedRecordDeletes: [id: error],
                    localVersions: [id: "1"]
                )
            ),
            .didSendChanges(.init(context: send, postponedChanges: [.saveRecord(id)])),
        ]
        #expect(
            events.map(\.description) == [
                "willSendChanges(scheduled, all)",
                "sentDatabaseChanges(1 saved, 1 deleted, 2 failed)",
                "sentRecordZoneChanges(1 saved, 1 deleted, 2 failed)",
                "didSendChanges(scheduled, all)",
            ]
        )
    }

    @Test func makesTheEventsOfAccounts() {
        let alice = Record.ID(recordName: "alice")
        let bob = Record.ID(recordName: "bob")
        let changes: [SyncEvent.AccountChange.ChangeType] = [
            .signIn(currentUser: alice), .signOut(previousUser: alice),
            .switchAccounts(previousUser: alice, currentUser: bob),
        ]
        #expect(
            changes.map { SyncEngine.Event.accountChange(.init(changeType: $0)).description } == [
                "accountChange(signIn alice)", "accountChange(signOut alice)",
                "accountChange(switch alice to bob)",
            ]
        )
        let abandoned = SyncEngine.Event.abandonedChanges(
            .init(
                recordZoneChanges: [.saveRecord(id)],
                databaseChanges: [.deleteZone(zoneID)],
                reason: .accountChanged(previousUser: alice)
            )
        )
        #expect(
            abandoned.description
                == "abandonedChanges(1 of records, 1 of zones, account alice was replaced)"
        )
    }

    @Test func makesAStateUpdateOfAnEmptyState() throws {
        let state = SyncEngine.State.Serialization()
        let event = SyncEngine.Event.stateUpdate(.init(stateSerialization: state))
        #expect(event.description == "stateUpdate")
        #expect(try SyncEngine.State.Serialization(bytes: state.bytes).bytes == state.bytes)
    }

    @Test func makesOptionsOfEveryScope() {
        var options = SyncEngine.FetchChangesOptions(
            scope: .allExcluding([zoneID]),
            operationGroup: OperationGroup(name: "launch", quantity: 3)
        )
        options.prioritizedZoneIDs = [zoneID]
        let context = SyncEngine.FetchChangesContext(reason: .scheduled, options: options)
        #expect(context.options.operationGroup.name == "launch")
        #expect("\(context)" == "scheduled, all but [Notes], first [Notes]")
        #expect(!SyncEngine.FetchChangesOptions.Scope.allExcluding([zoneID]).contains(zoneID))
        #expect(SyncEngine.SendChangesOptions.Scope.recordIDs([id]).contains(.saveRecord(id)))
    }
}
