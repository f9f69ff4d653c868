import RecordModel
import RecordSync
import RecordSyncTesting
import TestSupport
import Testing

@Suite struct ProviderTests {
    private let story = Story()

    private func record(_ id: Record.ID) -> Record { Record(recordType: "Note", recordID: id) }

    @Test(.holds("P35", "S64", "S66", "S67"))
    func takesEachAnswerForWhatItSays() throws {
        let device = story.device("A")
        try story.send(device)
        for name in ["record", "gone", "later", "other"] { device.save(name, text: "x") }
        device.delete("deleted")
        device.delegate.onBatch { [delegate = device.delegate] context, _, _ in
            await .init(context) { id in
                switch id.recordName {
                case "gone": .gone
                case "later": .later
                // Not what was asked for.
                case "other": .record(Record(recordType: "Note", recordID: .init(recordName: "?")))
                case _: .record(delegate[id]!)
                }
            }
        }
        try story.send(device)
        #expect(
            device.pending == ["later", "other"].map { .saveRecord(device.id($0)) }
        )
        let postponed = device.delegate.events.flatMap { event -> [PendingRecordZoneChange] in
            guard case .didSendChanges(let end) = event else { return [] }
            return end.postponedChanges
        }
        #expect(postponed == device.pending)
        #expect(story.text(device.id("record")) == "x")
    }

    @Test(.holds("S56"))
    func asksForManyRecordsAtOnce() throws {
        let device = story.device("A")
        for number in 0..<300 { device.save("n\(number)", text: "x") }
        let notes = Notes()
        device.delegate.onBatch { [delegate = device.delegate] context, _, _ in
            await .init(
                context,
                recordsProvider: { ids in
                    notes.add("\(ids.count)")
                    return delegate.records.filter { ids.contains($0.key) }
                        .mapValues { .record($0) }
                }
            )
        }
        try story.send(device)
        #expect(notes.all == ["250", "50"])
        #expect(device.pending == [])
    }

    @Test(.holds("H56"))
    func keepsARecordForWhichThereWasNoAnswerAmongMany() throws {
        let device = story.device("A")
        for name in ["a", "b"] { device.save(name, text: "x") }
        let id = device.id("a")
        device.delegate.onBatch { [delegate = device.delegate] context, _, _ in
            await .init(context, recordsProvider: { _ in [id: .record(delegate[id]!)] })
        }
        try story.send(device)
        #expect(device.pending == [.saveRecord(device.id("b"))])
        #expect(story.text(id) == "x")
    }

    @Test(.holds("S64", "S66", "H25"))
    func takesAnAppsListAsCKSyncEngineDoes() throws {
        let device = story.device("A")
        for name in ["a", "b"] { device.save(name, text: "x") }
        device.delegate[device.id("a")] = nil
        device.delegate.onBatch { [delegate = device.delegate] context, _, engine in
            let changes = engine.state.pendingRecordZoneChanges.filter {
                context.options.scope.contains($0)
            }
            return await .init(pendingChanges: changes) { id in
                if delegate[id] == nil {
                    engine.state.remove(pendingRecordZoneChanges: [.saveRecord(id)])
                }
                return delegate[id]
            }
        }
        try story.send(device)
        #expect(device.pending == [])
        #expect(story.text(device.id("b")) == "x")
        #expect(story.text(device.id("a")) == nil)
    }

    @Test(.holds("P42")) func givesTheLocalVersionsAndTheBatchBackWithTheSentEvent() throws {
        let device = story.device("A")
        for name in ["a", "b"] { device.save(name, text: "x") }
        device.delegate.onBatch { [delegate = device.delegate] context, _, _ in
            await .init(context) { id in
                .record(delegate[id]!, localVersion: id.recordName == "a" ? "17" : nil)
            }
        }
        try story.send(device)
        let sent = device.delegate.events.compactMap { event -> SyncEvent.SentRecordZoneChanges? in
            guard case .sentRecordZoneChanges(let sent) = event else { return nil }
            return sent
        }
        #expect(sent.map(\.localVersions) == [[device.id("a"): "17"]])
        #expect(sent.first?.batchID != nil)
    }

    @Test(.holds("S12", "S13"))
    func refusesABatchOutsideOfTheScope() throws {
        let device = story.device("A")
        for name in ["a", "b"] { device.save(name, text: "x") }
        let all = ["a", "b"].map { device.delegate[device.id($0)]! }
        device.delegate.onBatch { _, _, _ in .init(recordsToSave: all) }
        let options = SyncEngine.SendChangesOptions(scope: .recordIDs([device.id("a")]))
        let error = #expect(throws: SyncError.self) {
            try story.world.run { try await device.engine.sendChanges(options) }
        }
        #expect(error?.code == .invalidArguments)
        #expect(device.pending.count == 2)
    }

    @Test func lettingATestCallItsOwnDelegateWithAContextMadeByHand() async throws {
        let delegate = RecordingDelegate()
        let ids = ["a", "b", "c"].map { Record.ID(recordName: $0) }
        for id in ids.dropLast() { delegate[id] = record(id) }
        let engine = story.engine(delegate)
        let context = SyncEngine.SendChangesContext(
            reason: .scheduled,
            options: .init(scope: .recordIDs([ids[0], ids[2]])),
            pendingChanges: [
                .saveRecord(ids[0]), .saveRecord(ids[1]), .saveRecord(ids[2]),
                .deleteRecord(Record.ID(recordName: "d")),
            ]
        )
        let batch = try await delegate.nextRecordZoneChangeBatch(context, syncEngine: engine)
        #expect(batch?.recordsToSave.map(\.recordID) == [ids[0]])
        #expect(batch?.recordIDsToDelete == [])
        let empty = SyncEngine.SendChangesContext(reason: .manual)
        let none = try await delegate.nextRecordZoneChangeBatch(empty, syncEngine: engine)
        #expect(none == nil)
    }
}
