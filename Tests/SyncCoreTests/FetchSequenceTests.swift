import RecordModel
import SyncCore
import TestSupport
import Testing

@Suite struct FetchSequenceTests {
    @Test(.holds("S18", "S19", "S23", "S31"))
    func fetchesZonesThenTheRecordsOfEachFromTheBeginning() {
        var device = CoreFixture()
        device.server.saveElsewhere(record(note("a")))
        device.server.saveElsewhere(record(note("b", in: tasks)))
        #expect(device.fetch() == .returned)
        #expect(
            device.words == [
                "askAccount",
                "deliver willFetchChanges(manual, all)",
                "fetchDatabaseChanges since the beginning",
                "deliver fetchedDatabaseChanges(2 modified, 0 deleted)",
                "requestFetchOptions manual, all",
                "deliver willFetchRecordZoneChanges(notes, full 1, firstFetch)",
                "fetchZoneChanges notes since the beginning",
                "deliver fetchedRecordZoneChanges(1 modified, 0 deleted)",
                "deliver didFetchRecordZoneChanges(notes)",
                "requestFetchOptions manual, all",
                "deliver willFetchRecordZoneChanges(tasks, full 2, firstFetch)",
                "fetchZoneChanges tasks since the beginning",
                "deliver fetchedRecordZoneChanges(1 modified, 0 deleted)",
                "deliver didFetchRecordZoneChanges(tasks)",
                "deliver didFetchChanges(manual, all)",
                "deliver stateUpdate",
                "endCall returned",
            ]
        )
    }

    @Test(.holds("P17", "S20"))
    func keepsZonesApartWhateverTheirOrderOnTheServer() {
        var device = CoreFixture()
        for name in ["a", "b", "c"] {
            device.server.saveElsewhere(record(note(name)))
            device.server.saveElsewhere(record(note(name, in: tasks)))
        }
        device.fetch()
        var zones: [Set<RecordZone.ID>] = []
        for case .fetchedRecordZoneChanges(let changes) in device.events {
            zones.append(Set(changes.modifications.map(\.record.recordID.zoneID)))
        }
        #expect(zones == [[notes], [tasks]])
    }

    @Test(.holds("S30"))
    func asksForRecordsWithAllTheirFields() {
        var device = CoreFixture()
        device.server.saveElsewhere(record(note("a"), version: 7))
        device.callFetch()
        device.runUntilPageAsked()
        #expect(device.askedPage?.desiredKeys == nil)
        device.run()
        let version: Int? = device.records[note("a")]?["version"]
        #expect(version == 7)
    }

    @Test(.holds("S21", "S22"))
    func deliversABacklogPageByPageInTheServersOrder() {
        var device = CoreFixture()
        device.server.pageCountMax = 2
        for name in ["e", "d", "c", "b", "a"] { device.server.saveElsewhere(record(note(name))) }
        device.fetch()
        var pages: [[String]] = []
        for case .fetchedRecordZoneChanges(let changes) in device.events {
            pages.append(changes.modifications.map(\.record.recordID.recordName))
        }
        #expect(pages == [["e", "d"], ["c", "b"], ["a"]])
    }

    @Test(.holds("S23"))
    func tellsOfAZoneThatWasReportedButIsGoneAndFetchesTheOthers() {
        var device = CoreFixture()
        device.server.saveElsewhere(record(note("a")))
        device.server.saveElsewhere(record(note("b", in: tasks)))
        let call = device.callFetch()
        device.runUntilPageAsked()
        device.server.deleteZoneElsewhere(notes, .purged)
        device.run()
        let gone = SyncError(.zoneNotFound)
        #expect(
            device.delivered.suffix(5) == [
                "didFetchRecordZoneChanges(notes, zoneNotFound)",
                "willFetchRecordZoneChanges(tasks, full 2, firstFetch)",
                "fetchedRecordZoneChanges(1 modified, 0 deleted)",
                "didFetchRecordZoneChanges(tasks)",
                "didFetchChanges(manual, all)",
            ]
        )
        #expect(
            device.ended[call]
                == .failed(
                    .partialFailure(
                        [.zone(notes): gone],
                        "1 item failed, first zone notes: zoneNotFound"
                    )
                )
        )
        device.clear()
        #expect(device.fetch() == .returned)
        #expect(
            device.delivered == [
                "willFetchChanges(manual, all)",
                "fetchedDatabaseChanges(0 modified, 1 deleted)",
                "didFetchChanges(manual, all)",
            ]
        )
        #expect(device.core.zoneIDsWithUnfetchedChanges == [])
    }

    @Test(.holds("H92"))
    func finishesWithoutAnErrorWhenEveryChangedZoneIsOutOfScope() {
        var device = CoreFixture()
        device.server.saveElsewhere(record(note("a")))
        #expect(device.fetch(FetchChangesOptions(scope: .allExcluding([notes]))) == .returned)
        #expect(
            device.delivered == [
                "willFetchChanges(manual, all but [notes])",
                "fetchedDatabaseChanges(1 modified, 0 deleted)",
                "didFetchChanges(manual, all but [notes])",
            ]
        )
    }

    @Test(.holds("H58", "H28"))
    func writesNothingWhenNothingIsNew() {
        var device = CoreFixture()
        device.server.saveElsewhere(record(note("a")))
        device.fetch()
        device.stored = []
        #expect(device.fetch() == .returned)
        #expect(device.stored.isEmpty)
    }

    @Test(.holds("H16", "H98", "H99", "H100"))
    func sendsNothingOfWhatItFetched() {
        var device = CoreFixture()
        device.server.saveElsewhere(record(note("a")))
        device.fetch()
        #expect(device.send() == .returned)
        #expect(device.fetch() == .returned)
        #expect(device.server.batches.isEmpty)
        #expect(device.pending == [])
    }
}
