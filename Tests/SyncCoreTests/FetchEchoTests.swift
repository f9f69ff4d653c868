import RecordModel
import SyncCore
import TestSupport
import Testing

@Suite struct FetchEchoTests {
    private func fetched(_ device: CoreFixture) -> [String] {
        device.delivered.filter { $0.hasPrefix("fetchedRecordZoneChanges") }
    }

    @Test(.holds("P19", "S111", "H11", "H98", "H100"))
    func leavesOutItsOwnSavesAndDeletions() {
        var device = CoreFixture()
        device.edit(note("a"), note("b"))
        device.send()
        device.delete(note("b"))
        device.send()
        device.clear()
        #expect(device.fetch() == .returned)
        #expect(fetched(device) == [])
        #expect(device.core.zoneIDsWithUnfetchedChanges == [])
    }

    @Test(.holds("P19", "S111", "H11"))
    func leavesOutItsOwnSavesAfterARelaunchByTheirTags() {
        var device = CoreFixture()
        device.edit(note("a"))
        device.send()
        var relaunched = device.relaunched()
        relaunched.fetch()
        #expect(fetched(relaunched) == [])
    }

    @Test(.holds("S111"))
    func deliversAVersionThatAnotherDeviceMadeOfItsRecord() {
        var device = CoreFixture()
        device.edit(note("a"))
        device.send()
        device.server.saveElsewhere(record(note("a"), version: 7))
        var relaunched = device.relaunched()
        device.fetch()
        #expect(fetched(device) == ["fetchedRecordZoneChanges(1 modified, 0 deleted)"])
        relaunched.fetch()
        #expect(fetched(relaunched) == ["fetchedRecordZoneChanges(1 modified, 0 deleted)"])
    }

    @Test(.holds("S111"))
    func deliversTheDeletionOfItsRecordByAnotherDevice() {
        var device = CoreFixture()
        device.edit(note("a"))
        device.send()
        device.server.deleteElsewhere(note("a"))
        device.fetch()
        #expect(fetched(device) == ["fetchedRecordZoneChanges(0 modified, 1 deleted)"])
    }

    @Test(.holds("H11", "H100"))
    func typesOnWithoutAnyConflict() {
        var device = CoreFixture()
        for _ in 1...10 {
            device.edit(note("a"))
            #expect(device.send() == .returned)
            #expect(device.fetch() == .returned)
        }
        #expect(fetched(device) == [])
        #expect(device.server.batches.count == 10)
    }

    @Test(.holds("H14"))
    func doesNotBringBackARecordThatTheAppDeletedSinceItSentIt() {
        var device = CoreFixture()
        device.edit(note("a"))
        device.send()
        device.delete(note("a"))
        device.fetch()
        #expect(fetched(device) == [])
        #expect(device.pending == [.deleteRecord(note("a"))])
        #expect(device.send() == .returned)
        #expect(device.server.records[note("a")] == nil)
    }

    @Test(.holds("H06", "H07"))
    func deliversADeletionWhileAnEditIsPendingAndLetsTheSaveFail() {
        var device = CoreFixture()
        device.server.saveElsewhere(record(note("a")))
        device.fetch()
        device.edit(note("a"))
        device.server.deleteElsewhere(note("a"))
        device.clear()
        device.fetch()
        #expect(fetched(device) == ["fetchedRecordZoneChanges(0 modified, 1 deleted)"])
        #expect(device.pending == [.saveRecord(note("a"))])
        device.send()
        var errors: [SyncError.Code] = []
        for case .sentRecordZoneChanges(let sent) in device.events {
            errors += sent.failedRecordSaves.map(\.error.code)
        }
        #expect(errors == [.unknownItem])
        #expect(device.pending == [])
        #expect(device.server.records[note("a")] == nil)
    }

    @Test(.holds("H11", "S31"))
    func getsBackItsOwnRecordsWhenItsAccountSignsInAgain() {
        var device = CoreFixture()
        device.edit(note("a"))
        device.send()
        device.fetch()
        device.accountBecomes(.noAccount)
        device.run()
        // The app removes the account's data, as it is advised to.
        device.records = [:]
        device.accountBecomes(ann)
        device.run()
        device.clear()
        #expect(device.fetch() == .returned)
        #expect(fetched(device) == ["fetchedRecordZoneChanges(1 modified, 0 deleted)"])
        #expect(device.records[note("a")] != nil)
    }
}
