import RecordModel

extension RecordZoneChangeBatch {
    /// The batch in two; nil if it is one change, or atomic within one zone.
    var halves: [RecordZoneChangeBatch]? {
        let keys = atomicByZone ? zoneIDs.map(Key.zone) : recordIDs.map(Key.record)
        guard keys.count > 1 else { return nil }
        // An atomic batch may be cut between zones, never within one.
        let first = Set(keys.prefix(keys.count / 2))
        let (left, right) = divided { id in
            first.contains(atomicByZone ? .zone(id.zoneID) : .record(id))
        }
        return [left, right]
    }

    /// The records that a reply calls too large, with those that share their fate.
    func tooLarge(in reply: ModifyRecordsReply) -> Set<Record.ID> {
        guard reply.holds(.limitExceeded) else { return [] }
        let errors = reply.saveResults.map(\.error) + reply.deleteErrors
        let named = zip(recordIDs, errors).filter { $0.1?.code == .limitExceeded }.map(\.0)
        guard atomicByZone else { return Set(named) }
        let zones = Set(named.map(\.zoneID))
        return Set(recordIDs.filter { zones.contains($0.zoneID) })
    }

    /// The changes of some records, and the others.
    func divided(
        by isFirst: (Record.ID) -> Bool
    ) -> (first: RecordZoneChangeBatch, second: RecordZoneChangeBatch) {
        var (first, second) = (self, self)
        first.recordsToSave.removeAll { !isFirst($0.recordID) }
        first.recordIDsToDelete.removeAll { !isFirst($0) }
        second.recordsToSave.removeAll { isFirst($0.recordID) }
        second.recordIDsToDelete.removeAll(where: isFirst)
        return (first, second)
    }

    /// Saves first, as the request has them.
    var recordIDs: [Record.ID] { recordsToSave.map(\.recordID) + recordIDsToDelete }

    private var zoneIDs: [RecordZone.ID] {
        var seen: Set<RecordZone.ID> = []
        return recordIDs.map(\.zoneID).filter { seen.insert($0).inserted }
    }

    /// What a batch may be cut between.
    private enum Key: Hashable {
        case zone(RecordZone.ID)
        case record(Record.ID)
    }
}

extension Result where Failure == SyncError {
    fileprivate var error: SyncError? {
        switch self {
        case .success: nil
        case .failure(let error): error
        }
    }
}

extension ModifyRecordsReply {
    /// True if any change failed with an error of this code.
    fileprivate func holds(_ code: SyncError.Code) -> Bool {
        for case .failure(let error) in saveResults where error.code == code { return true }
        return deleteErrors.contains { $0?.code == code }
    }
}
