import RecordModel
import SyncCore

// How the app's store follows the events.

extension CoreFixture {
    /// Takes what an event brings into the app's records.
    mutating func store(_ event: SyncEvent) {
        switch event {
        case .stateUpdate(let update):
            stored.append((update.stateSerialization, recordsOfState))
        case .sentRecordZoneChanges(let sent):
            for saved in sent.savedRecords { rebase(on: saved) }
        case .fetchedRecordZoneChanges(let changes):
            for change in changes.modifications {
                switch core.state.records.status(of: change.record.recordID)?.isSave {
                case true?: rebase(on: change.record)
                case false?: continue
                case nil: records[change.record.recordID] = change.record
                }
            }
            for deletion in changes.deletions where !core.isPendingSave(deletion.recordID) {
                records[deletion.recordID] = nil
            }
        case .accountChange, .fetchedDatabaseChanges, .sentDatabaseChanges, .willFetchChanges,
            .willFetchRecordZoneChanges, .didFetchRecordZoneChanges, .didFetchChanges,
            .willSendChanges, .didSendChanges, .abandonedChanges:
            return
        }
    }

    /// Puts what the app has over a newer version of the server.
    func rebased(_ record: Record, on stored: Record) -> Record {
        let own: Int? = record["version"]
        let theirs: Int? = stored["version"]
        return own == theirs ? stored : stored.merging(changesOf: record)
    }

    private mutating func rebase(on stored: Record) {
        guard let record = records[stored.recordID] else { return }
        records[stored.recordID] = rebased(record, on: stored)
    }
}

// What the events said, for a test to look at.

extension CoreFixture {
    var sentEvents: [SyncEvent.SentRecordZoneChanges] {
        events.compactMap { event in
            if case .sentRecordZoneChanges(let sent) = event { sent } else { nil }
        }
    }

    /// The newest error of each record that failed.
    var failures: [Record.ID: SyncError.Code] {
        var failures: [Record.ID: SyncError.Code] = [:]
        for sent in sentEvents {
            for failure in sent.failedRecordSaves {
                failures[failure.record.recordID] = failure.error.code
            }
            for (id, error) in sent.failedRecordDeletes { failures[id] = error.code }
        }
        return failures
    }

    var abandoned: [SyncEvent.AbandonedChanges] {
        events.compactMap { event in
            if case .abandonedChanges(let abandoned) = event { abandoned } else { nil }
        }
    }
}
