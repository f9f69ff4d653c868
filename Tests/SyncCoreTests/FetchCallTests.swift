import RecordModel
import SyncCore
import TestSupport
import Testing

@Suite struct FetchCallTests {
    private func fetching() -> (CoreFixture, CallID) {
        var device = CoreFixture()
        device.server.saveElsewhere(record(note("a")))
        let call = device.callFetch()
        device.runUntilPageAsked()
        return (device, call)
    }

    @Test(.holds("S24"))
    func joinsAFetchOfTheSameZonesThatIsUnderWay() {
        var (device, call) = fetching()
        let joined = device.callFetch()
        device.run()
        #expect(device.ended == [call: .returned, joined: .returned])
        #expect(device.delivered.filter { $0.hasPrefix("willFetchChanges") }.count == 1)
    }

    @Test(.holds("S24", "S26"))
    func doesNotJoinAFetchOfOtherZones() {
        var (device, call) = fetching()
        let other = device.callFetch(FetchChangesOptions(scope: .zoneIDs([tasks])))
        device.run()
        #expect(device.ended == [call: .returned, other: .returned])
        #expect(device.delivered.filter { $0.hasPrefix("willFetchChanges") }.count == 2)
    }

    @Test(.holds("S24", "H65"))
    func doesNotJoinAFetchThatIsAtItsEnd() {
        var (device, _) = fetching()
        device.run { device in
            guard case .event(_, .didFetchChanges) = device.hand else { return false }
            return true
        }
        device.server.saveElsewhere(record(note("b")))
        let call = device.callFetch()
        device.run()
        #expect(device.ended[call] == .returned)
        #expect(device.records[note("b")] != nil)
    }

    @Test(.holds("S114"))
    func goesOnForTheOthersWhenOneOfTwoGivesUp() {
        var (device, call) = fetching()
        let joined = device.callFetch()
        device.handle(.callAbandoned(call))
        #expect(device.ended[call]?.code == .operationCancelled)
        device.run()
        #expect(device.ended[joined] == .returned)
        #expect(device.records[note("a")] != nil)
    }

    @Test(.holds("S114"))
    func endsAFetchThatNobodyWaitsForAndItsRequest() {
        var (device, call) = fetching()
        device.handle(.callAbandoned(call))
        #expect(device.requests.isEmpty)
        device.run()
        #expect(device.delivered.last == "didFetchChanges(manual, all)")
        #expect(device.core.zoneIDsWithUnfetchedChanges == [notes])
    }

    @Test(.holds("S112", "S113", "S23"))
    func tellsTheZoneThatACancelledFetchDidNotFinishIt() {
        var device = CoreFixture()
        device.server.pageCountMax = 1
        for name in ["a", "b"] { device.server.saveElsewhere(record(note(name))) }
        let call = device.callFetch()
        device.run { device in
            guard case .event(_, .fetchedRecordZoneChanges) = device.hand else { return false }
            return true
        }
        device.handle(.operationsCancelled)
        device.run()
        var errors: [SyncError.Code?] = []
        for case .didFetchRecordZoneChanges(let end) in device.events {
            errors.append(end.error?.code)
        }
        #expect(errors == [.operationCancelled])
        #expect(device.ended[call]?.code == .operationCancelled)
        // What was handled stays fetched.
        device.clear()
        #expect(device.fetch() == .returned)
        #expect(device.delivered.contains("fetchedRecordZoneChanges(1 modified, 0 deleted)"))
    }

    @Test(.holds("P34", "S112"))
    func bringsNothingAfterTheEndOfACancelledFetch() {
        var (device, _) = fetching()
        guard let request = device.requests.first else { return }
        device.handle(.operationsCancelled)
        device.run()
        device.clear()
        device.handle(device.server.answer(request))
        device.run()
        #expect(device.words == [])
    }

    @Test(.holds("P3", "S33"))
    func fetchesBesideASend() {
        var device = CoreFixture()
        device.server.saveElsewhere(record(note("theirs")))
        device.edit(note("mine"))
        let calls = [device.callSend(), device.callFetch()]
        device.run()
        #expect(calls.map { device.ended[$0] } == [.returned, .returned])
        #expect(device.faults == [])
        #expect(device.records.count == 2)
        #expect(device.server.records.count == 2)
    }
}
