import RecordModel
import SyncCore
import TestSupport
import Testing

@Suite struct FetchTokenTests {
    private let expired = SyncError(.changeTokenExpired)

    /// A device that fetched the zone to its end, and asks for what came since.
    private func asking() -> CoreFixture {
        var device = CoreFixture()
        device.server.saveElsewhere(record(note("a")))
        device.fetch()
        device.server.saveElsewhere(record(note("b")))
        device.clear()
        device.callFetch()
        device.runUntilPageAsked()
        return device
    }

    @Test(.holds("P30", "S84", "H18", "H29", "H32"))
    func fetchesEverythingOnceWhenAZonesTokenExpired() {
        var device = asking()
        device.replyPage(.failure(expired))
        device.run()
        #expect(
            device.delivered.suffix(6) == [
                "willFetchRecordZoneChanges(notes, incremental)",
                "didFetchRecordZoneChanges(notes, changeTokenExpired)",
                "willFetchRecordZoneChanges(notes, full 2, tokenExpired)",
                "fetchedRecordZoneChanges(2 modified, 0 deleted)",
                "didFetchRecordZoneChanges(notes)",
                "didFetchChanges(manual, all)",
            ]
        )
        #expect(device.ended.values.contains(.returned))
        device.clear()
        device.fetch()
        #expect(
            device.delivered == ["willFetchChanges(manual, all)", "didFetchChanges(manual, all)"]
        )
    }

    @Test(.holds("S84", "H18"))
    func namesTheFullFetchOnEveryPageAndAtItsEnd() {
        var device = asking()
        device.server.pageCountMax = 1
        device.replyPage(.failure(expired))
        device.run()
        var kinds: [SyncEvent.FetchKind] = []
        for event in device.events {
            if case .fetchedRecordZoneChanges(let changes) = event { kinds.append(changes.kind) }
            if case .didFetchRecordZoneChanges(let end) = event { kinds.append(end.kind) }
        }
        let full = SyncEvent.FetchKind.full(id: 2, reason: .tokenExpired)
        #expect(kinds == [.incremental, full, full, full])
    }

    @Test(.holds("S84", "H57"))
    func goesOnWithAFullFetchUnderItsNameAfterARelaunch() {
        var device = asking()
        device.server.pageCountMax = 1
        device.replyPage(.failure(expired))
        device.runUntilPageAsked()
        device.replyPage()
        device.handleEvent()
        device.wake()
        device.handleEvents()
        var relaunched = device.relaunched()
        relaunched.fetch()
        #expect(
            relaunched.delivered.suffix(4) == [
                "willFetchRecordZoneChanges(notes, full 2, tokenExpired)",
                "fetchedRecordZoneChanges(1 modified, 0 deleted)",
                "didFetchRecordZoneChanges(notes)",
                "didFetchChanges(manual, all)",
            ]
        )
    }

    @Test(.holds("S84", "H32", "H31"))
    func failsTheZoneWhenItsTokenExpiresAgainInTheSameFetch() {
        var device = asking()
        device.replyPage(.failure(expired))
        device.runUntilPageAsked()
        device.replyPage(.failure(expired))
        device.run()
        guard case .failed(let error)? = device.ended.values.first(where: { $0 != .returned })
        else {
            Issue.record("the fetch did not fail")
            return
        }
        #expect(error.partialErrorsByItemID == [.zone(notes): expired])
        #expect(device.core.zoneIDsWithUnfetchedChanges == [notes])
    }

    @Test(.holds("H29", "H57"))
    func keepsPendingChangesWhenATokenExpired() {
        var device = asking()
        device.edit(note("c"))
        device.replyPage(.failure(expired))
        device.run()
        #expect(device.pending == [.saveRecord(note("c"))])
    }

    @Test(.holds("H18"))
    func listsDeletionsToADeviceWhoseTokenExpiredButNotToANewOne() {
        var device = CoreFixture()
        device.server.saveElsewhere(record(note("a")))
        device.callFetch()
        device.runUntilPageAsked()
        #expect(device.askedPage?.includesDeletions == false)
        device.run()
        device.server.saveElsewhere(record(note("b")))
        device.callFetch()
        device.runUntilPageAsked()
        device.replyPage(.failure(expired))
        device.runUntilPageAsked()
        #expect(device.askedPage?.since == nil)
        #expect(device.askedPage?.includesDeletions == true)
    }

    @Test(.holds("S32"))
    func asksForDeletionsAtTheFirstFetchOfAZoneItSavedRecordsIn() {
        var device = CoreFixture()
        device.edit(note("a"))
        device.send()
        device.callFetch()
        device.runUntilPageAsked()
        #expect(device.askedPage?.since == nil)
        #expect(device.askedPage?.includesDeletions == true)
    }

    @Test(.holds("P19", "H11"))
    func listsOwnRecordsTooWhenATokenExpired() {
        var device = CoreFixture()
        device.edit(note("a"))
        device.send()
        device.fetch()
        device.server.saveElsewhere(record(note("b")))
        device.clear()
        device.callFetch()
        device.runUntilPageAsked()
        device.replyPage(.failure(expired))
        device.run()
        #expect(device.delivered.contains("fetchedRecordZoneChanges(2 modified, 0 deleted)"))
    }

    @Test(.holds("S84", "H29"))
    func listsTheZonesAnewOnceWhenTheDatabasesTokenExpired() {
        var device = asking()
        device.run()
        device.clear()
        let call = device.callFetch()
        device.runUntilZonesAsked()
        device.replyZones(.failure(expired))
        // The zones that it knows are named, so that it hears why one is gone.
        #expect(
            device.askedZones == DatabaseChangesRequest(since: nil, knownZoneIDs: [notes])
        )
        device.run()
        #expect(device.ended[call] == .returned)
        #expect(
            device.delivered == [
                "willFetchChanges(manual, all)",
                "fetchedDatabaseChanges(1 modified, 0 deleted)",
                "willFetchRecordZoneChanges(notes, incremental)",
                "didFetchRecordZoneChanges(notes)",
                "didFetchChanges(manual, all)",
            ]
        )
    }

    @Test(.holds("H32"))
    func failsWhenTheDatabasesTokenExpiresAgainInTheSameFetch() {
        var device = CoreFixture()
        let call = device.callFetch()
        device.runUntilZonesAsked()
        device.replyZones(.failure(expired))
        device.replyZones(.failure(expired))
        device.run()
        #expect(device.ended[call] == .failed(expired))
    }
}
