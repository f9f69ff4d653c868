import RecordModel
import SyncCore
import TestSupport
import Testing

/// A page whose records went into a batch after it was fetched.
@Suite struct OvertakenPageTests {
    private func names(_ device: CoreFixture) -> [String] {
        device.events.map { String("\($0)".prefix { $0 != "(" }) }
            .filter { $0.hasPrefix("sentRecord") || $0.hasPrefix("fetchedRecord") }
    }

    private func device() -> CoreFixture {
        var device = CoreFixture()
        device.edit(note("a"))
        device.send()
        device.fetch()
        if var record = device.server.records[note("a")] {
            record["version"] = 100
            device.server.saveElsewhere(record)
        }
        device.delete(note("a"))
        device.events = []
        return device
    }

    @Test(.holds("H14", "P4"))
    func aPageThatWaitsWhileItsRecordGoesIntoABatchIsToldAfterTheAnswerOrNotAtAll() {
        var device = device()
        let call = device.callFetch()
        device.run { device in
            device.requests.contains { if case .fetchZoneChanges = $0 { true } else { false } }
        }
        device.callSend()
        let page = device.requests.removeFirst()
        device.runUntilAsked()
        device.handle(device.server.answer(page))
        device.run()
        #expect(device.ended[call] == .returned)
        #expect(names(device).first == "sentRecordZoneChanges")
        #expect(device.records[note("a")] == nil)
        #expect(device.server.records[note("a")] == nil)
    }

    @Test(.holds("H14", "P4"))
    func aPageThatTheDelegateThrewAtIsNotToldBehindANewerVersion() {
        var device = device()
        device.callFetch()
        device.callSend()
        device.run { device in
            if case .event(_, .fetchedRecordZoneChanges) = device.hand { true } else { false }
        }
        device.handleEvent(throwing: true)
        device.run()
        device.send()
        device.fetch()
        #expect(device.pending == [])
        #expect(device.records[note("a")] == nil)
        #expect(device.server.records[note("a")] == nil)
    }
}
