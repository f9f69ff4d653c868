import RecordSync

final class TransactionNotes: SyncEngineDelegate {
    let database: Database

    init(_ database: Database) { self.database = database }

    /// The state to make the engine with; nil at the first launch.
    func storedState() throws -> SyncEngine.State.Serialization? {
        let tables = database.tables
        if tables.snapshot == nil, tables.entries.isEmpty { return nil }
        return SyncEngine.State.Serialization(
            try tables.snapshot.map { bytes in try .init(bytes: bytes) },
            applying: try tables.entries.map { bytes in try JournalEntry(bytes: bytes) }
        )
    }

    func write(_ id: Record.ID, _ text: String, _ engine: SyncEngine) throws {
        let entry = engine.state.prepare(pendingRecordZoneChanges: [.saveRecord(id)])
        do {
            try database.transaction { tables in
                tables.rows[id, default: Record(recordType: "Note", recordID: id)]["text"] = text
                tables.entries.append(entry.bytes)
            }
        } catch {
            engine.state.discard(entry)
            throw error
        }
        engine.state.apply(entry)
    }

    func handleEvent(_ event: SyncEngine.Event, syncEngine: SyncEngine) async throws {
        switch event {
        case .stateUpdate(let update):
            try database.transaction { try store(update, in: &$0) }
        case .fetchedRecordZoneChanges(let changes):
            try database.transaction { tables in
                for change in changes.modifications { take(change.record, in: &tables) }
                for deletion in changes.deletions { tables.rows[deletion.recordID] = nil }
            }
        case .sentRecordZoneChanges(let sent):
            try database.transaction { tables in
                for saved in sent.savedRecords { take(saved, in: &tables) }
            }
        default: break
        }
    }

    /// What a snapshot covers goes in the transaction that stores it.
    private func store(_ update: SyncEngine.Event.StateUpdate, in tables: inout Tables) throws {
        guard update.isCompactingAdvised else {
            tables.entries += update.entries.map(\.bytes)
            return
        }
        tables.snapshot = update.stateSerialization.bytes
        try tables.entries.removeAll { bytes in
            update.stateSerialization.covers(try JournalEntry(bytes: bytes))
        }
    }

    private func take(_ new: Record, in tables: inout Tables) {
        tables.rows[new.recordID, default: new].rebase(on: new)
    }

    func nextRecordZoneChangeBatch(
        _ context: SyncEngine.SendChangesContext,
        syncEngine: SyncEngine
    ) async -> SyncEngine.RecordZoneChangeBatch? {
        let rows = database.tables.rows
        return await SyncEngine.RecordZoneChangeBatch(context) { id in
            rows[id].map { .record($0) } ?? .gone
        }
    }
}
