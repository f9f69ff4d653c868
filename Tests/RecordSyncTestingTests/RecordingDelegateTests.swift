import RecordModel
import RecordSync
import RecordSyncTesting
import TestSupport
import Testing

struct RecordingDelegateTests {
    private struct Stop: Error {}

    private let world = TestWorld()
    private let cloud: InMemoryCloud
    private let device: TestDevice

    init() {
        cloud = InMemoryCloud(world)
        device = TestDevice("A", on: world, cloud: cloud, isAutomatic: false)
    }

    private func send() throws {
        try world.run { [device] in try await device.engine.sendChanges() }
    }

    @Test func keepsEveryEventInOrder() throws {
        device.save("n", text: "x")
        try send()
        #expect(
            device.delegate.eventKinds == [
                .accountChange, .willSendChanges, .sentDatabaseChanges, .sentRecordZoneChanges,
                .didSendChanges,
            ]
        )
        #expect(
            device.delegate.eventDescriptions.contains(
                "sentRecordZoneChanges(1 saved, 0 deleted, 0 failed)"
            )
        )
    }

    @Test func storesTheNewestState() throws {
        device.save("n", text: "x")
        try send()
        #expect(device.delegate.state?.bytes == device.engine.state.serialization.bytes)
    }

    @Test func keepsTheServersStampsOfSavedRecords() throws {
        device.save("n", text: "x")
        try send()
        #expect(device.delegate[device.id("n")] == cloud.record(device.id("n"), account: "alice"))
        #expect(device.delegate[device.id("n")]?.recordChangeTag != nil)
    }

    @Test func throwsAtTheEventThatItWasToldAndNoOther() throws {
        device.delegate.throwError(Stop(), at: .willSendChanges, number: 2)
        device.save("n", text: "x")
        try send()
        device.save("n", text: "y")
        #expect(throws: Stop.self) { try send() }
        try send()
        #expect(device.delegate[device.id("n")]?.recordChangeTag != nil)
        #expect(cloud.record(device.id("n"), account: "alice")?.text == "y")
    }

    @Test func lettingAHandlerAddChangesSendsThemToo() throws {
        device.delegate.onEvent(.sentRecordZoneChanges) { [device] _, number, _ in
            if number == 1 { device.save("second", text: "y") }
        }
        device.save("first", text: "x")
        try send()
        let records = cloud.records(in: device.zone.zoneID, account: "alice")
        #expect(records.map(\.recordID.recordName) == ["first", "second"])
    }

    @Test func answersABatchWithWhatItsHandlerGives() throws {
        device.delegate.onBatch { _, number, _ in
            if number == 1 { throw Stop() }
            return nil
        }
        device.save("n", text: "x")
        #expect(throws: Stop.self) { try send() }
        try send()
        #expect(device.delegate.batchQuestionCount == 2)
        #expect(device.engine.state.pendingRecordZoneChangeCount == 1)
        device.delegate.onBatch(nil)
        try send()
        #expect(device.engine.state.pendingRecordZoneChangeCount == 0)
    }

    @Test func dropsTheChangeOfARecordThatItDoesNotHave() throws {
        device.engine.state.add(pendingRecordZoneChanges: [.saveRecord(device.id("gone"))])
        try send()
        #expect(device.engine.state.pendingRecordZoneChanges == [])
        #expect(cloud.requestCount(of: .modifyRecords) == 0)
    }

    @Test func takesOverWhatWasFetched() throws {
        let other = TestDevice("B", on: world, cloud: cloud, isAutomatic: false)
        other.save("n", text: "x")
        other.save("gone", text: "y")
        try world.run { try await other.engine.sendChanges() }
        try world.run { [device] in try await device.engine.fetchChanges() }
        #expect(device.delegate.records == other.delegate.records)
        other.delete("gone")
        try world.run { try await other.engine.sendChanges() }
        try world.run { [device] in try await device.engine.fetchChanges() }
        #expect(device.delegate.records.keys.map(\.recordName) == ["n"])
    }

    @Test func keepsAnUnsentEditOverWhatIsFetched() throws {
        let other = TestDevice("B", on: world, cloud: cloud, isAutomatic: false)
        other.save("n", text: "theirs")
        try world.run { try await other.engine.sendChanges() }
        device.save("n", text: "mine")
        try world.run { [device] in try await device.engine.fetchChanges() }
        #expect(device.delegate[device.id("n")]?.text == "mine")
    }

    @Test func ordersZonesByItsHandler() throws {
        device.delegate.onFetchOptions { [device] context, _, _ in
            var options = context.options
            options.prioritizedZoneIDs = [device.zone.zoneID]
            return options
        }
        let zoneID = RecordZone.ID(zoneName: "Another")
        for zoneID in [zoneID, device.zone.zoneID] {
            let recordID = Record.ID(recordName: "n", zoneID: zoneID)
            try cloud.save([Record(recordType: "Note", recordID: recordID)], account: "alice")
        }
        try world.run { [device] in try await device.engine.fetchChanges() }
        let fetches = cloud.log.filter { $0.kind == .zoneChanges }.map(\.summary)
        #expect(fetches == ["Notes, from the beginning", "Another, from the beginning"])
    }

    @Test func forgetsEventsButCountsOn() throws {
        try send()
        device.delegate.forgetEvents()
        #expect(device.delegate.events.isEmpty)
        let notes = Notes()
        device.delegate.onEvent(.willSendChanges) { _, number, _ in notes.add("\(number)") }
        device.save("n", text: "x")
        try send()
        #expect(notes.all == ["2"])
    }
}
