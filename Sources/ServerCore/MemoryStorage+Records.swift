package import RecordModel

extension MemoryStorage {
    package func record(_ recordName: String, in zone: ZoneKey) -> StoredRecord? {
        life(zone)?.records[recordName]
    }

    package mutating func put(_ record: StoredRecord, in zone: ZoneKey) {
        touch(zone)
        let replaced = change(zone) { $0.put(record) }
        undo { storage in storage.change(zone) { $0.takeBack(record, replaced) } }
    }

    package func records(
        in zone: ZoneKey,
        after position: LogPosition,
        hidingTombstonesThrough sequence: UInt64,
        limit: PageLimit
    ) -> RecordPage {
        var page = RecordPage(rows: [], isLast: true)
        var byteCount = 0
        life(zone)?.records.walk(after: position) { row in
            if row.isTombstone, row.position.sequence <= sequence { return true }
            byteCount += row.byteCount
            let fits = page.rows.count < limit.countMax && byteCount <= limit.byteCountMax
            guard fits || page.rows.isEmpty else {
                page.isLast = false
                return false
            }
            page.rows.append(row)
            return true
        }
        return page
    }

    package mutating func removeRecords(in zone: ZoneKey) {
        guard let old = life(zone) else { return }
        removeAssetLinks(in: zone)
        touch(zone)
        undo { $0.databases[zone.database]?.lives[zone] = old }
        var emptied = MemoryZone()
        emptied.history = old.history
        databases[zone.database]?.lives[zone] = emptied
    }

    package mutating func removeTombstones(
        in zone: ZoneKey,
        before timestamp: Timestamp,
        countMax: Int
    ) -> RemovedTombstones {
        var removed = RemovedTombstones()
        guard life(zone) != nil else { return removed }
        touch(zone)
        while removed.count < countMax,
            let tombstone = change(zone, { $0.removeTombstone(before: timestamp) })
        {
            undo { storage in storage.change(zone) { $0.restoreTombstone(tombstone) } }
            guard let (row, _) = tombstone else { continue }
            removed.count += 1
            removed.highest = row.position
        }
        return removed
    }

    package func deleteSelfSources(
        of recordName: String,
        in zone: ZoneKey,
        countMax: Int
    ) -> [String] {
        life(zone)?.sources(of: recordName, countMax: countMax) ?? []
    }

    func life(_ zone: ZoneKey) -> MemoryZone? { databases[zone.database]?.lives[zone] }

    @discardableResult
    mutating func change<Outcome>(
        _ zone: ZoneKey,
        _ body: (inout MemoryZone) -> Outcome
    ) -> Outcome {
        body(
            &databases[zone.database, default: MemoryDatabase()].lives[zone, default: MemoryZone()]
        )
    }
}
