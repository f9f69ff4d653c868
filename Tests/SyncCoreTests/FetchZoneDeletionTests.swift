import RecordModel
import SyncCore
import TestSupport
import Testing

@Suite struct FetchZoneDeletionTests {
    private typealias Reason = Database.DatabaseChange.Deletion.Reason

    /// A device that has a record and a pending change in a zone that another device deletes.
    private func device(_ reason: Reason) -> CoreFixture {
        var device = CoreFixture()
        device.server.saveElsewhere(record(note("a")))
        device.fetch()
        device.edit(note("b"))
        device.edit(note("c", in: tasks))
        device.server.deleteZoneElsewhere(notes, reason)
        device.clear()
        return device
    }

    private func reasons(_ device: CoreFixture) -> [Reason] {
        device.events.flatMap { event -> [Reason] in
            guard case .fetchedDatabaseChanges(let changes) = event else { return [] }
            return changes.deletions.map(\.reason)
        }
    }

    @Test(
        .holds("P31", "S104", "S105", "H93"),
        arguments: [
            Database.DatabaseChange.Deletion.Reason.purged, .encryptedDataReset,
        ]
    )
    func reportsTheReasonAndGivesUpNothing(reason: Database.DatabaseChange.Deletion.Reason) {
        var device = device(reason)
        #expect(device.fetch() == .returned)
        #expect(reasons(device) == [reason])
        #expect(device.pending == [.saveRecord(note("b")), .saveRecord(note("c", in: tasks))])
        #expect(device.server.batches.isEmpty)
    }

    @Test(.holds("S104", "S110", "P7"))
    func handsBackWhatWasPendingInAZoneThatAnAppDeleted() {
        var device = device(.deleted)
        #expect(device.fetch() == .returned)
        #expect(reasons(device) == [.deleted])
        var abandoned: [SyncEvent.AbandonedChanges] = []
        for case .abandonedChanges(let changes) in device.events { abandoned.append(changes) }
        #expect(
            abandoned == [
                .init(
                    recordZoneChanges: [.saveRecord(note("b"))],
                    reason: .zoneDeleted(notes)
                )
            ]
        )
        #expect(device.pending == [.saveRecord(note("c", in: tasks))])
    }

    @Test(.holds("S110"))
    func keepsWhatTheHandlerOfTheDeletionAdds() {
        var device = device(.deleted)
        device.onEvent = { device, event in
            if case .fetchedDatabaseChanges = event { device.edit(note("new")) }
            return false
        }
        device.fetch()
        #expect(device.pending == [.saveRecord(note("c", in: tasks)), .saveRecord(note("new"))])
    }

    @Test(.holds("H91", "H78"))
    func forgetsTheZoneAndWorksWithItAgainOnceItIsSavedAnew() {
        var device = device(.purged)
        device.fetch()
        #expect(device.core.state.zones[notes] == nil)
        device.handle(.databaseChangesAdded([.saveZone(RecordZone(zoneID: notes))]))
        #expect(device.send() == .returned)
        #expect(device.pending == [])
        #expect(device.server.records[note("b")] != nil)
        device.server.saveElsewhere(record(note("z")))
        device.clear()
        device.fetch()
        #expect(
            device.delivered.contains("willFetchRecordZoneChanges(notes, full 2, firstFetch)")
        )
    }

    @Test(.holds("P4", "S60"))
    func forgetsTheZoneOnlyAfterItsDeletionWasHandled() {
        var device = device(.deleted)
        device.callFetch()
        device.runUntilZonesAsked()
        device.reply()
        #expect(device.core.state.zones[notes] != nil)
        device.handleEvent(throwing: true)
        device.run()
        #expect(device.core.state.zones[notes] != nil)
        #expect(device.pending.count == 2)
        device.fetch()
        #expect(device.core.state.zones[notes] == nil)
        #expect(device.pending.count == 1)
    }

    @Test(.holds("P38", "S106"))
    func syncsTheDefaultZoneLikeAnyOther() {
        var device = CoreFixture()
        device.edit(note("mine", in: .default))
        device.send()
        device.server.saveElsewhere(record(note("theirs", in: .default)))
        device.clear()
        device.fetch()
        #expect(device.delivered.contains("fetchedRecordZoneChanges(1 modified, 0 deleted)"))
        #expect(device.records[note("theirs", in: .default)] != nil)
    }
}
