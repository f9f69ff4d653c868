import RecordModel

/// What became of a batch, item by item.
struct BatchOutcome {
    /// True if an item that was too large is sent again in a smaller batch, without a word.
    ///
    /// Of an earlier launch's batch nothing is at hand to be parted: its changes are pending again.
    let canDivide: Bool
    var saved: [Record] = []
    var deleted: [Record.ID] = []
    var failedSaves: [SyncEvent.SentRecordZoneChanges.FailedRecordSave] = []
    var failures = OrderedTable<Record.ID, SyncError>()
    var failedDeletes: [Record.ID: SyncError] = [:]
    var dispositions: [StateChange.Disposition] = []
    private var quarantined: [PendingRecordZoneChange] = []

    init(canDivide: Bool) { self.canDivide = canDivide }

    mutating func addSave(of record: Record, _ result: Result<Record, SyncError>) {
        switch result {
        case .success(let stored):
            saved.append(stored.takingFilePaths(of: record))
            dispositions.append(.confirmed(changeTag: stored.recordChangeTag))
        case .failure(let error):
            let error = error.with(clientRecord: record)
            failures[record.recordID] = error
            dispositions.append(disposition(of: error))
            if error.code == .limitExceeded, canDivide { return }
            failedSaves.append(.init(record: record, error: error))
        }
    }

    mutating func addDeletion(of recordID: Record.ID, _ error: SyncError?) {
        guard let error else {
            deleted.append(recordID)
            dispositions.append(.confirmed(changeTag: nil))
            return
        }
        failures[recordID] = error
        dispositions.append(disposition(of: error))
        if error.code == .limitExceeded, canDivide { return }
        failedDeletes[recordID] = error
    }

    /// Holds the change at a position back, and says so in its error.
    mutating func quarantine(_ change: PendingRecordZoneChange, at position: Int) {
        dispositions[position] = .quarantined
        quarantined.append(change)
        let id = change.recordID
        guard let error = failures[id] else { return }
        let told = SyncError(
            error.code,
            (error.message.isEmpty ? "" : "\(error.message); ")
                + "it failed too often: it is kept, and not sent before resumeParkedChanges or a "
                + "new add",
            retryAfterSeconds: error.retryAfterSeconds
        )
        failures[id] = told
        if failedDeletes[id] != nil { failedDeletes[id] = told }
        for save in failedSaves.indices where failedSaves[save].record.recordID == id {
            failedSaves[save] = .init(record: failedSaves[save].record, error: told)
        }
    }

    private func disposition(of error: SyncError) -> StateChange.Disposition {
        switch ItemOutcome(error.code) {
        case .retry, .requeue: .returned
        case .park: .parked
        case .split: canDivide ? .returned : .surfaced
        case .surface: .surfaced
        }
    }

    func event(
        batchID: IdempotencyKey,
        _ localVersions: [Record.ID: String]
    ) -> SyncEvent.SentRecordZoneChanges {
        .init(
            savedRecords: saved,
            failedRecordSaves: failedSaves,
            deletedRecordIDs: deleted,
            failedRecordDeletes: failedDeletes,
            batchID: batchID,
            localVersions: localVersions,
            quarantinedChanges: quarantined
        )
    }
}
