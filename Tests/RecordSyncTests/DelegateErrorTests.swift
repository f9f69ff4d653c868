import RecordModel
import RecordSync
import RecordSyncTesting
import TestSupport
import Testing

@Suite struct DelegateErrorTests {
    private let story = Story()

    @Test(arguments: [
        EventKind.accountChange, .willSendChanges, .sentDatabaseChanges, .sentRecordZoneChanges,
        .didSendChanges, .stateUpdate,
    ])
    func throwsTheDelegatesOwnErrorFromASendAndGoesOnInTheNext(kind: EventKind) throws {
        let device = story.device("A")
        device.save("n", text: "x")
        device.delegate.throwError(Refusal(number: 3), at: kind)
        #expect(throws: Refusal(number: 3)) { try story.send(device) }
        try story.send(device)
        #expect(device.pending == [])
        #expect(story.text(device.id("n")) == "x")
        #expect(device.delegate[device.id("n")]?.recordChangeTag != nil)
    }

    @Test(arguments: [
        EventKind.accountChange, .willFetchChanges, .fetchedDatabaseChanges,
        .willFetchRecordZoneChanges, .fetchedRecordZoneChanges, .didFetchRecordZoneChanges,
        .didFetchChanges, .stateUpdate,
    ])
    func throwsTheDelegatesOwnErrorFromAFetchAndGoesOnInTheNext(kind: EventKind) throws {
        let device = story.device("A")
        try story.cloud.save(
            [Record(recordType: "Note", recordID: device.id("n"))],
            account: "alice"
        )
        device.delegate.throwError(Refusal(number: 3), at: kind)
        #expect(throws: Refusal(number: 3)) { try story.fetch(device) }
        try story.fetch(device)
        #expect(device.delegate[device.id("n")] != nil)
        #expect(device.engine.state.zoneIDsWithUnfetchedServerChanges == [])
    }

    @Test(
        .holds("P4"),
        arguments: [
            EventKind.fetchedDatabaseChanges, .fetchedRecordZoneChanges, .sentDatabaseChanges,
            .sentRecordZoneChanges, .accountChange,
        ]
    )
    func offersAnEventThatWasNotTakenFirstInTheNextCall(kind: EventKind) throws {
        let device = story.device("A")
        device.save("mine", text: "x")
        try story.cloud.save(
            [Record(recordType: "Note", recordID: device.id("theirs"))],
            account: "alice"
        )
        device.delegate.throwError(Refusal(), at: kind)
        _ = TestDevice.code { try story.fetch(device) }
        if !device.delegate.eventKinds.contains(kind) {
            _ = TestDevice.code { try story.send(device) }
        }
        device.delegate.forgetEvents()
        try story.send(device)
        #expect(device.delegate.eventKinds.first == kind)
    }

    @Test(.holds("P35", "H56", "S66"))
    func keepsTheChangesWhenTheProviderThrows() throws {
        let device = story.device("A")
        for number in 0..<100 { device.save("n\(number)", text: "x") }
        device.delegate.onBatch { context, number, _ in
            try await .init(context) { (_: Record.ID) in throw Refusal(number: number) }
        }
        #expect(throws: Refusal(number: 1)) { try story.send(device) }
        #expect(device.pending.count == 100)
        #expect(story.cloud.requestCount(of: .modifyRecords) == 0)
        device.delegate.onBatch(nil)
        try story.send(device)
        #expect(device.pending == [])
    }

    @Test func throwsWhatTheDelegateThrewWhenItWasAskedForTheOrderOfZones() throws {
        let device = story.device("A")
        try story.cloud.save(
            [Record(recordType: "Note", recordID: device.id("n"))],
            account: "alice"
        )
        device.delegate.onFetchOptions { _, number, _ in throw Refusal(number: number) }
        #expect(throws: Refusal(number: 1)) { try story.fetch(device) }
        #expect(device.delegate.eventKinds.last == .didFetchChanges)
        device.delegate.onFetchOptions(nil)
        try story.fetch(device)
        #expect(device.delegate[device.id("n")] != nil)
    }

    @Test(.holds("H54", "H59", "P9"))
    func sendsNothingWhoseStateWasNotStored() throws {
        let device = story.device("A")
        try story.send(device)
        device.save("n", text: "x")
        device.delegate.onEvent(.stateUpdate) { _, number, _ in throw Refusal(number: number) }
        #expect(throws: Refusal.self) { try story.send(device) }
        #expect(story.cloud.requestCount(of: .modifyRecords) == 0)
        #expect(device.pending == [.saveRecord(device.id("n"))])
    }

    @Test(.holds("S23"))
    func goesOnWithOtherZonesWhenTheDelegateThrewAtOne() throws {
        let device = story.device("A")
        let ids = ["One", "Two"].map {
            Record.ID(recordName: "n", zoneID: RecordZone.ID(zoneName: $0))
        }
        try story.cloud.save(
            ids.map { Record(recordType: "Note", recordID: $0) },
            account: "alice"
        )
        device.delegate.throwError(Refusal(), at: .fetchedRecordZoneChanges)
        #expect(throws: Refusal.self) { try story.fetch(device) }
        #expect(device.delegate.records.count == 1)
        try story.fetch(device)
        #expect(device.delegate.records.count == 2)
    }
}
