import RecordModel

// Changes that become more urgent while a send walks over the queue: it comes by them once more,
// and not twice in one batch.

extension EngineCore {
    /// Where the walk of the present send comes by what an entry may make more urgent.
    func lanes(before change: StateChange) -> [(recordID: Record.ID, lane: Int)] {
        guard session.send.current != nil else { return [] }
        return raisedChanges(of: change).compactMap { change in
            state.records.step(of: change.recordID, urgency: walkUrgency).map {
                (change.recordID, $0.lane)
            }
        }
    }

    private func raisedChanges(of change: StateChange) -> [PendingRecordZoneChange] {
        if case .prioritizedChangesAdded(let changes, _) = change { return changes }
        // Without a priority of its own a change raises those of background priority alone.
        if case .recordChangesAdded(let changes) = change, state.records.hasBackgroundChanges {
            return changes
        }
        return []
    }

    /// Sees to those that stand in another lane now.
    mutating func noteRaised(since lanes: [(recordID: Record.ID, lane: Int)]) {
        for (recordID, lane) in lanes {
            let step = state.records.step(of: recordID, urgency: walkUrgency)
            guard let step, step.lane != lane else { continue }
            if case .askingForBatch = session.send.phase {
                // It may stand in the batch that is being made.
                session.send.current?.raisedIDs.insert(recordID)
            } else {
                rewindWalk(to: recordID)
            }
        }
    }

    /// Lets the next batch have what became more urgent while the one before was made.
    mutating func offerRaised() {
        guard let raised = session.send.current?.raisedIDs, !raised.isEmpty else { return }
        session.send.current?.raisedIDs = []
        for recordID in raised.sorted() { rewindWalk(to: recordID) }
    }
}
