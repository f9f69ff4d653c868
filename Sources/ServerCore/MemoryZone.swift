import RecordModel

/// One life of a zone in memory.
struct MemoryZone: Sendable {
    /// Records and tombstones by name and by position.
    private(set) var records = MemoryFeed<StoredRecord>()
    /// Deletions in their order; those of records that were saved again since are passed over.
    private var tombstones = MemoryQueue<Tombstone>()
    /// For each record the names of those that link to it with `deleteSelf`, sorted.
    private var sources: [String: [String]] = [:]
    /// For each record what happened to it, the oldest first.
    var history: [String: [HistoryEntry]] = [:]

    private struct Tombstone: Sendable {
        let recordName: String
        let position: LogPosition
    }

    /// What `take` needs to undo a `put`.
    struct Replaced: Sendable { fileprivate let old: (slot: Int, row: StoredRecord)? }

    var isEmpty: Bool { records.count == 0 && history.isEmpty }

    mutating func put(_ row: StoredRecord) -> Replaced {
        let old = records[row.recordName]
        unlink(old)
        link(row)
        let slot = records.append(row, named: row.recordName, at: row.position)
        if row.isTombstone {
            tombstones.append(
                Tombstone(recordName: row.recordName, position: row.position)
            )
        }
        guard let slot, let old else { return Replaced(old: nil) }
        return Replaced(old: (slot, old))
    }

    /// Takes back the last `put`.
    mutating func takeBack(_ row: StoredRecord, _ replaced: Replaced) {
        if row.isTombstone { tombstones.removeLast() }
        unlink(row)
        records.removeLast(named: row.recordName, replacing: replaced.old)
        if let old = replaced.old?.row { link(old) }
    }

    /// Takes out the oldest tombstone made before an instant: nil if there is none, its row and
    /// slot unless the record was saved again since.
    mutating func removeTombstone(before timestamp: Timestamp) -> (StoredRecord, slot: Int)?? {
        guard let oldest = tombstones.first else { return nil }
        let row = records[oldest.recordName]
        guard let row, row.position == oldest.position else {
            tombstones.removeFirst()
            return .some(nil)
        }
        guard row.stamp.timestamp < timestamp else { return nil }
        tombstones.removeFirst()
        return records.remove(named: row.recordName).map { (row, $0) }
    }

    /// Takes back the last `removeTombstone`.
    mutating func restoreTombstone(_ removed: (row: StoredRecord, slot: Int)?) {
        tombstones.restoreFirst()
        if let (row, slot) = removed { records.restore(row, named: row.recordName, in: slot) }
    }

    func sources(of recordName: String, countMax: Int) -> [String] {
        Array((sources[recordName] ?? []).prefix(countMax))
    }

    mutating func compactIfSparse() {
        records.compactIfSparse { $0.recordName }
        tombstones.compactIfSparse()
    }

    private mutating func link(_ row: StoredRecord) {
        for target in row.deleteSelfTargets {
            var names = sources[target] ?? []
            sources[target] = nil
            let place = names.firstIndex { $0 >= row.recordName } ?? names.count
            if place == names.count || names[place] != row.recordName {
                names.insert(row.recordName, at: place)
            }
            sources[target] = names
        }
    }

    private mutating func unlink(_ row: StoredRecord?) {
        for target in row?.deleteSelfTargets ?? [] {
            guard var names = sources.removeValue(forKey: target) else { continue }
            names.removeAll { $0 == row?.recordName }
            if !names.isEmpty { sources[target] = names }
        }
    }
}
