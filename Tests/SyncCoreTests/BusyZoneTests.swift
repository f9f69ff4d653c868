import RecordModel
import SyncCore
import TestSupport
import Testing

/// A zone that the server wants left alone for a while.
@Suite struct BusyZoneTests {
    private let busy = SyncError(.zoneBusy, retryAfterSeconds: 60)

    private func sentZones(_ device: CoreFixture) -> [RecordZone.ID] {
        device.server.batches.flatMap(\.recordsToSave).map(\.recordID.zoneID)
    }

    /// A device whose save in one zone was answered with a wish to be left alone.
    private func device() -> CoreFixture {
        var device = CoreFixture()
        device.edit(note("a"))
        device.server.recordErrors[note("a")] = busy
        device.send()
        device.server.recordErrors = [:]
        return device
    }

    @Test(.holds("P66", "P20", "I25"))
    func sendsToTheOthersMeanwhile() {
        var device = device()
        device.edit(note("b"), note("t", in: tasks))
        device.advance(by: .seconds(59))
        guard case .failed(let error)? = device.send() else {
            Issue.record("the call was not told")
            return
        }
        #expect(sentZones(device) == [notes, tasks])
        #expect(error.partialErrorsByItemID?[.zone(notes)]?.code == .zoneBusy)
        #expect(error.partialErrorsByItemID?[.zone(notes)]?.retryAfterSeconds == 1)
        device.advance(by: .seconds(1))
        #expect(device.send() == .returned)
        #expect(device.pending == [])
    }

    @Test(.holds("P66"))
    func tellsNoCallThatHasNothingForTheZone() {
        var device = device()
        device.edit(note("t", in: tasks))
        #expect(device.send(.zoneIDs([tasks])) == .returned)
        #expect(device.send(.recordIDs([note("other")])) == .returned)
        #expect(device.send(.recordIDs([note("a")]))?.code == .partialFailure)
        #expect(sentZones(device) == [notes, tasks])
    }

    @Test(.holds("P66"))
    func keepsTheZonesOwnChangesToo() {
        var device = device()
        device.handle(.databaseChangesAdded([.saveZone(RecordZone(zoneID: notes))]))
        device.clear()
        #expect(device.send()?.code == .partialFailure)
        #expect(!device.words.contains { $0.hasPrefix("modifyZones") })
        device.advance(by: .seconds(60))
        #expect(device.send() == .returned)
    }

    @Test(.holds("P66", "I25"))
    func fetchesTheOthersMeanwhile() {
        var device = CoreFixture()
        device.server.saveElsewhere(record(note("a")))
        device.server.saveElsewhere(record(note("t", in: tasks)))
        device.server.zoneErrors[notes] = busy
        #expect(device.fetch()?.code == .partialFailure)
        device.server.zoneErrors = [:]
        device.server.saveElsewhere(record(note("u", in: tasks)))
        device.clear()
        guard case .failed(let error)? = device.fetch() else {
            Issue.record("the call was not told")
            return
        }
        #expect(error.partialErrorsByItemID?[.zone(notes)]?.retryAfterSeconds == 60)
        #expect(!device.words.contains { $0.hasPrefix("fetchZoneChanges notes") })
        #expect(device.records[note("u", in: tasks)] != nil)
        device.advance(by: .seconds(60))
        #expect(device.fetch() == .returned)
        #expect(device.records[note("a")] != nil)
    }

    @Test(.holds("P66", "I25"), arguments: UInt64(0)..<10)
    func comesBackToTheZoneByItselfAndNotBefore(seed: UInt64) {
        var device = CoreFixture(isSignedIn: false, isAutomatic: true, seed: seed)
        device.settle()
        device.server.recordErrors[note("a")] = busy
        device.edit(note("a"))
        device.wake()
        device.run()
        device.server.recordErrors = [:]
        let allowed = device.now.advanced(by: .seconds(60))
        while let deadline = device.core.nextDeadline, deadline < allowed {
            device.wake()
            device.run()
        }
        #expect(device.server.batches.count == 1)
        // An edit of another zone does not wait for it.
        device.edit(note("t", in: tasks))
        device.handle(.woke)
        device.run()
        #expect(device.server.records[note("t", in: tasks)] != nil)
        device.settle()
        #expect(device.now >= allowed)
        #expect(device.pending == [])
    }
}
