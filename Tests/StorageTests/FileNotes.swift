import RecordSync

final class FileNotes: SyncEngineDelegate {
    let store: FileStateStore
    let rows: RowFiles

    init(_ store: FileStateStore, _ rows: RowFiles) {
        self.store = store
        self.rows = rows
    }

    func write(_ id: Record.ID, _ text: String, _ engine: SyncEngine) throws {
        var record = rows[id] ?? Record(recordType: "Note", recordID: id)
        record["text"] = text
        let entry = engine.state.prepare(pendingRecordZoneChanges: [.saveRecord(id)])
        do {
            try store.append(entry)  // first the intent: without its edit it does no harm
            try rows.write(record)
        } catch {
            engine.state.discard(entry)
            throw error
        }
        engine.state.apply(entry)
    }

    func handleEvent(_ event: SyncEngine.Event, syncEngine: SyncEngine) async throws {
        switch event {
        case .stateUpdate(let update): try store.handle(update)
        case .fetchedRecordZoneChanges(let changes):
            for change in changes.modifications { try take(change.record) }
            for deletion in changes.deletions { try rows.delete(deletion.recordID) }
        case .sentRecordZoneChanges(let sent):
            for saved in sent.savedRecords { try take(saved) }
        default: break
        }
    }

    private func take(_ new: Record) throws {
        var record = rows[new.recordID] ?? new
        record.rebase(on: new)
        try rows.write(record)
    }

    func nextRecordZoneChangeBatch(
        _ context: SyncEngine.SendChangesContext,
        syncEngine: SyncEngine
    ) async -> SyncEngine.RecordZoneChangeBatch? {
        await SyncEngine.RecordZoneChangeBatch(context) { [rows] id in
            rows[id].map { .record($0) } ?? .gone
        }
    }
}
