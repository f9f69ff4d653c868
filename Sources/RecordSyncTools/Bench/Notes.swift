import RecordSync
import Synchronization

final class Notes: SyncEngineDelegate {
    static let zone = RecordZone(zoneName: "Notes")
    let records = Mutex<[Record.ID: Record]>([:])
    let storedState = Mutex<SyncEngine.State.Serialization?>(nil)

    func write(_ name: String, _ text: String, _ engine: SyncEngine) {
        let id = Record.ID(recordName: name, zoneID: Self.zone.zoneID)
        records.withLock {  // an edit and its pending change belong together
            $0[id, default: Record(recordType: "Note", recordID: id)]["text"] = text
            engine.state.add(pendingRecordZoneChanges: [.saveRecord(id)])
        }
    }

    func handleEvent(_ event: SyncEngine.Event, syncEngine: SyncEngine) async {
        let state = syncEngine.state
        switch event {
        case .stateUpdate(let update): storedState.withLock { $0 = update.stateSerialization }
        case .accountChange(let news):  // an account's notes leave with it
            if news.previousUser != nil { records.withLock { $0 = [:] } }
            if news.currentUser != nil { state.add(pendingDatabaseChanges: [.saveZone(Self.zone)]) }
        case .fetchedRecordZoneChanges(let changes):
            for change in changes.modifications { keep(change.record.recordID, change.record) }
            for deletion in changes.deletions { keep(deletion.recordID, nil) }
        case .sentRecordZoneChanges(let sent):
            for saved in sent.savedRecords { keep(saved.recordID, saved) }
            for conflict in sent.conflicts { keep(conflict.recordID, conflict.serverRecord) }
            state.add(pendingRecordZoneChanges: sent.conflicts.map { .saveRecord($0.recordID) })
        default: break
        }
    }

    private func keep(_ id: Record.ID, _ theirs: Record?) {  // nil: the server has none any more
        records.withLock { $0[id].rebase(onLatest: theirs) }  // what is edited here stays on top
    }

    func nextRecordZoneChangeBatch(
        _ context: SyncEngine.SendChangesContext,
        syncEngine: SyncEngine
    ) async -> SyncEngine.RecordZoneChangeBatch? {
        await SyncEngine.RecordZoneChangeBatch(context) { id in
            self.records.withLock { $0[id] }.map { .record($0) } ?? .gone
        }
    }
}
