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
        switch event {
        case .stateUpdate(let update): storedState.withLock { $0 = update.stateSerialization }
        case .accountChange: syncEngine.state.add(pendingDatabaseChanges: [.saveZone(Self.zone)])
        case .fetchedRecordZoneChanges(let changes):
            for change in changes.modifications { take(change.record) }
            for deletion in changes.deletions { records.withLock { $0[deletion.recordID] = nil } }
        case .sentRecordZoneChanges(let sent):
            for saved in sent.savedRecords { take(saved) }
            for conflict in sent.failedRecordSaves.compactMap(\.error.serverRecord) {
                take(conflict)
                syncEngine.state.add(pendingRecordZoneChanges: [.saveRecord(conflict.recordID)])
            }
        default: break
        }
    }

    private func take(_ new: Record) {  // what is edited here and not sent yet stays on top
        records.withLock { $0[new.recordID, default: new].rebase(on: new) }
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
