import RecordModel

/// What a batch would do: a verdict for each item, reached before anything is written.
struct ModifyPlan: Sendable {
    /// The zones of the items, in the order they occur.
    var zones: [PlannedZone] = []
    /// The saves, in the request's order.
    var saves: [PlannedSave] = []
    /// The deletions, in the request's order.
    var deletions: [PlannedDeletion] = []
    /// Where each record stands among the saves.
    var savePlaces: [Record.ID: Int] = [:]
    /// For each target of `deleteSelf` how many links the saves add.
    var addedSourceCounts: [Record.ID: Int] = [:]
    /// The bytes that the account's records take after the saves.
    var usedByteCount: Int

    private var zonePlaces: [RecordZone.ID: Int] = [:]
    private var doomed: Set<Record.ID> = []

    init(usedByteCount: Int) { self.usedByteCount = usedByteCount }

    /// Where the zone stands, with a standing looked up at its first item.
    mutating func place(
        of zoneID: RecordZone.ID,
        in database: DatabaseKey,
        standing: () throws -> Result<StoredZone, SyncError>
    ) rethrows -> Int {
        if let place = zonePlaces[zoneID] { return place }
        let zone = PlannedZone(zoneID: zoneID, database: database, standing: try standing())
        zonePlaces[zoneID] = zones.count
        zones.append(zone)
        return zones.count - 1
    }

    /// True if an earlier deletion of the request takes the record along.
    func isDoomed(_ recordName: String, inZoneAt place: Int) -> Bool {
        doomed.contains(Record.ID(recordName: recordName, zoneID: zones[place].zoneID))
    }

    mutating func doom(_ recordName: String, inZoneAt place: Int) {
        doomed.insert(Record.ID(recordName: recordName, zoneID: zones[place].zoneID))
    }

    /// True if something is to be written.
    var hasEffect: Bool {
        saves.contains { $0.error == nil } || deletions.contains { !$0.doomed.isEmpty }
    }

    /// Makes the other items of each zone fail in which one failed.
    mutating func failSiblings() {
        var hasFailure = zones.map { _ in false }
        for save in saves where save.error != nil { hasFailure[save.zonePlace] = true }
        for deletion in deletions where deletion.error != nil {
            hasFailure[deletion.zonePlace] = true
        }
        for place in saves.indices where hasFailure[saves[place].zonePlace] {
            if saves[place].error == nil { saves[place].verdict = .failure(siblingError) }
        }
        for place in deletions.indices where hasFailure[deletions[place].zonePlace] {
            if deletions[place].error == nil { deletions[place].verdict = .failure(siblingError) }
        }
    }
}

/// A zone of a batch.
struct PlannedZone: Sendable {
    let zoneID: RecordZone.ID
    let database: DatabaseKey
    /// The zone, or why none of its items can succeed.
    var standing: Result<StoredZone, SyncError>

    var key: ZoneKey? { try? standing.get().key(in: database) }
}

/// A save of a batch.
struct PlannedSave: Sendable {
    let sent: Record
    let zonePlace: Int
    var verdict: Result<AcceptedSave, SyncError>

    var error: SyncError? {
        switch verdict {
        case .success: nil
        case .failure(let error): error
        }
    }
}

/// A deletion of a batch.
struct PlannedDeletion: Sendable {
    let recordID: Record.ID
    let zonePlace: Int
    /// The records that go: none if the record is not there, else itself and what goes with it.
    var verdict: Result<[Doomed], SyncError>

    var error: SyncError? {
        switch verdict {
        case .success: nil
        case .failure(let error): error
        }
    }

    var doomed: [Doomed] { (try? verdict.get()) ?? [] }
}

/// A record that a deletion takes.
struct Doomed: Hashable, Sendable {
    let recordName: String
    /// The record with which it goes; nil for the one that the request names.
    let target: String?
}

private let siblingError = SyncError(
    .batchRequestFailed,
    "another item of the batch failed in this zone, so nothing of it was done"
)
