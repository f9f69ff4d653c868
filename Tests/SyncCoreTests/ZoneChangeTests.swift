import RecordModel
import SyncCore
import TestSupport
import Testing

@Suite struct ZoneChangeTests {
    @Test(.holds("S110", "P7"))
    func pendingChangesOfADeletedZoneAreHandedBack() {
        var device = CoreFixture()
        device.edit(note("a"), note("t", in: tasks))
        device.handle(.databaseChangesAdded([.deleteZone(notes)]))
        device.send()
        #expect(device.abandoned.map(\.recordZoneChanges) == [[.saveRecord(note("a"))]])
        #expect(device.abandoned.map(\.reason) == [.zoneDeleted(notes)])
        #expect(device.server.records.keys.map(\.recordName) == ["t"])
        #expect(device.pending == [])
    }

    @Test(.holds("S110"))
    func aChangeAddedAfterTheDeletionSurvives() {
        var device = CoreFixture()
        device.edit(note("old"), note("again"))
        device.handle(
            .databaseChangesAdded([.deleteZone(notes), .saveZone(RecordZone(zoneID: notes))])
        )
        device.edit(note("again"), note("new"))
        #expect(device.send() == .returned)
        #expect(device.abandoned.map(\.recordZoneChanges) == [[.saveRecord(note("old"))]])
        #expect(Set(device.server.records.keys) == [note("again"), note("new")])
        #expect(device.pending == [])
    }

    @Test(.holds("S110"))
    func aChangeAddedAfterTheDeletionSurvivesARelaunch() {
        var device = CoreFixture()
        device.edit(note("old"), note("again"))
        device.handle(
            .databaseChangesAdded([.deleteZone(notes), .saveZone(RecordZone(zoneID: notes))])
        )
        device.handle(.woke)
        var relaunched = device.relaunched(from: (device.core.serialization, device.records))
        relaunched.edit(note("again"), note("new"))
        var third = relaunched.relaunched(
            from: (relaunched.core.serialization, relaunched.records)
        )
        #expect(third.send() == .returned)
        #expect(third.abandoned.map(\.recordZoneChanges) == [[.saveRecord(note("old"))]])
        #expect(Set(third.server.records.keys) == [note("again"), note("new")])
    }

    @Test(.holds("S110", "P7"))
    func whatTheHandlerOfTheDeletionAddsSurvives() {
        var device = CoreFixture()
        device.edit(note("a"))
        device.handle(.databaseChangesAdded([.deleteZone(notes)]))
        device.onEvent = { device, event in
            guard case .abandonedChanges(let abandoned) = event else { return false }
            device.handle(.databaseChangesAdded([.saveZone(RecordZone(zoneID: notes))]))
            device.handle(.recordZoneChangesAdded(abandoned.recordZoneChanges))
            return false
        }
        #expect(device.send() == .returned)
        #expect(device.server.records.keys.map { $0 } == [note("a")])
        #expect(device.pending == [])
    }

    @Test(.holds("S110"))
    func whatTheHandlerOfAFetchedDeletionAddsSurvives() {
        var device = CoreFixture()
        device.edit(note("a"), note("b"))
        device.server.deleteZoneElsewhere(notes)
        device.onEvent = { device, event in
            if case .fetchedDatabaseChanges = event { device.edit(note("a")) }
            return false
        }
        device.fetch()
        #expect(device.abandoned.map(\.recordZoneChanges) == [[.saveRecord(note("b"))]])
        #expect(device.pending == [.saveRecord(note("a"))])
    }
}
