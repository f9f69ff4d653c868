import RecordModel
import SyncCore
import TestSupport
import Testing

/// A zone that this engine deletes, and makes again.
@Suite struct ZoneRemadeTests {
    private let zone = RecordZone(zoneID: notes)

    /// A device that fetched and saved in the zone, and deleted it.
    private func deleted() -> CoreFixture {
        var device = CoreFixture()
        device.server.saveElsewhere(record(note("a")))
        device.fetch()
        device.edit(note("own"))
        device.send()
        device.handle(.databaseChangesAdded([.deleteZone(notes)]))
        device.send()
        return device
    }

    @Test(.holds("P67", "H24"))
    func forgetsAZoneThatItDeleted() {
        let device = deleted()
        #expect(device.core.state.zones[notes] == nil)
        #expect(device.core.state.recentSaves.saves == [])
        #expect(device.stored.last?.state.restoredState().zones[notes] == nil)
    }

    @Test(.holds("P67", "H24"))
    func keepsWhatItKnowsOfAZoneThatCouldNotBeDeleted() {
        var device = CoreFixture()
        device.server.saveElsewhere(record(note("a")))
        device.fetch()
        device.server.zoneErrors[notes] = SyncError(.permissionFailure)
        device.handle(.databaseChangesAdded([.deleteZone(notes)]))
        device.send()
        #expect(device.core.state.zones[notes]?.token != nil)
    }

    @Test(.holds("P67", "P4"))
    func forgetsItOnlyWhenTheAppHasHeardOfIt() {
        var device = CoreFixture()
        device.server.saveElsewhere(record(note("a")))
        device.fetch()
        device.handle(.databaseChangesAdded([.deleteZone(notes)]))
        device.onEvent = { _, event in
            if case .sentDatabaseChanges = event { true } else { false }
        }
        device.send()
        #expect(device.core.state.zones[notes]?.token != nil)
        device.onEvent = { _, _ in false }
        device.send()
        #expect(device.core.state.zones[notes] == nil)
    }

    @Test(.holds("P67", "H24"))
    func fetchesTheRemadeZoneFromTheBeginning() {
        var device = deleted()
        device.handle(.databaseChangesAdded([.saveZone(zone)]))
        device.send()
        device.clear()
        device.callFetch()
        device.runUntilPageAsked()
        #expect(device.askedPage?.since == nil)
        #expect(device.askedPage?.includesDeletions == false)
        #expect(
            device.delivered.last?.hasPrefix("willFetchRecordZoneChanges(notes, full") == true
        )
    }

    @Test(.holds("P67", "P7"))
    func keepsWhatIsAddedForTheRemadeZoneWhenItHearsOfItsOwnDeletion() {
        var device = deleted()
        device.handle(.databaseChangesAdded([.saveZone(zone)]))
        device.edit(note("new"))
        // It hears of the deletion before it sends the new zone.
        device.fetch()
        #expect(device.abandoned == [])
        #expect(device.pending == [.saveRecord(note("new"))])
        #expect(device.send() == .returned)
        #expect(device.server.records[note("new")] != nil)
    }

    @Test(.holds("P67", "P7"))
    func abandonsWhatIsPendingInTheRemadeZoneWhenAnotherDeletesIt() {
        var device = deleted()
        device.handle(.databaseChangesAdded([.saveZone(zone)]))
        device.send()
        device.edit(note("new"))
        device.server.deleteZoneElsewhere(notes)
        device.fetch()
        #expect(device.abandoned.flatMap(\.recordZoneChanges) == [.saveRecord(note("new"))])
        #expect(device.pending == [])
    }
}
