import RecordModel
import SyncCore
import TestSupport
import Testing

@Suite struct PendingListTests {
    private let a = note("a")
    private let b = note("b")

    private func pending(_ changes: [PendingRecordZoneChange]) -> [PendingRecordZoneChange] {
        var device = CoreFixture()
        for change in changes { device.handle(.recordZoneChangesAdded([change])) }
        return device.pending
    }

    @Test(.holds("S39"))
    func aChangeAddedTwiceStandsOnceAtItsFirstPlace() {
        #expect(
            pending([.saveRecord(a), .saveRecord(b), .saveRecord(a)])
                == [.saveRecord(a), .saveRecord(b)]
        )
    }

    @Test(.holds("P10", "S40", "S42", "S43"))
    func aDeleteTakesThePlaceOfASave() {
        #expect(
            pending([.saveRecord(a), .saveRecord(b), .deleteRecord(a)])
                == [.deleteRecord(a), .saveRecord(b)]
        )
    }

    @Test(.holds("P10", "S41", "S42", "S43"))
    func aSaveTakesThePlaceOfADelete() {
        #expect(
            pending([.deleteRecord(a), .saveRecord(b), .saveRecord(a)])
                == [.saveRecord(a), .saveRecord(b)]
        )
    }

    @Test(.holds("P11", "S52"))
    func onlyAnEqualChangeIsRemoved() {
        var device = CoreFixture()
        device.edit(a, b)
        device.handle(.recordZoneChangesRemoved([.deleteRecord(a), .saveRecord(b)]))
        #expect(device.pending == [.saveRecord(a)])
        device.edit(b)
        #expect(device.pending == [.saveRecord(a), .saveRecord(b)])
    }

    @Test(.holds("S44"))
    func changesOfZonesFollowTheirRules() {
        let zone = RecordZone(zoneName: "z")
        let (save, delete) = (
            PendingDatabaseChange.saveZone(zone), PendingDatabaseChange.deleteZone(zone.zoneID)
        )
        let expected: [([PendingDatabaseChange], [PendingDatabaseChange])] = [
            ([save, save], [save]), ([save, delete], [delete]), ([delete, save], [delete, save]),
            ([delete, delete], [delete]), ([delete, save, save], [delete, save]),
            ([delete, save, delete], [delete]),
        ]
        for (added, left) in expected {
            var device = CoreFixture()
            for change in added { device.handle(.databaseChangesAdded([change])) }
            #expect(device.core.pendingDatabaseChanges == left)
            device.handle(.databaseChangesRemoved([save]))
            #expect(device.core.pendingDatabaseChanges == left.filter { $0 != save })
        }
    }

    @Test(.holds("S44", "S74"))
    func aZoneIsEmptiedBeforeItIsMadeAnew() {
        var device = CoreFixture()
        device.edit(a, note("t", in: tasks))
        device.send()
        #expect(device.server.batches.count == 1)
        device.handle(
            .databaseChangesAdded([.deleteZone(notes), .saveZone(RecordZone(zoneID: notes))])
        )
        #expect(device.send() == .returned)
        #expect(device.occurrences("modifyZones") == 2)
        #expect(device.server.records.keys.map { $0 } == [note("t", in: tasks)])
        #expect(device.server.zones.contains(notes))
    }
}
