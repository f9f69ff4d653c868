package import RecordModel

extension MemoryStorage {
    package mutating func append(_ entry: HistoryEntry, in zone: ZoneKey) {
        let name = entry.recordName
        change(zone) { $0.history[name, default: []].append(entry) }
        historyQueue.append(HistoryPlace(zone: zone, recordName: name))
        undo { storage in
            storage.historyQueue.removeLast()
            storage.change(zone) { $0.dropLastEntry(of: name) }
        }
    }

    package func history(of recordName: String, in zone: ZoneKey) -> [HistoryEntry] {
        life(zone)?.history[recordName] ?? []
    }

    package func version(
        _ changeTag: String,
        of recordName: String,
        in zone: ZoneKey
    ) -> Record? {
        for entry in history(of: recordName, in: zone).reversed() {
            switch entry.action {
            case .saved(let record) where record.recordChangeTag == changeTag: return record
            case .saved, .deleted, .deletedWith, .refused: continue
            }
        }
        return nil
    }

    package mutating func removeHistory(in zone: ZoneKey) {
        guard let old = life(zone)?.history else { return }
        touch(zone)
        undo { storage in storage.change(zone) { $0.history = old } }
        change(zone) { $0.history = [:] }
    }

    package mutating func removeHistory(before timestamp: Timestamp, countMax: Int) -> Int {
        var count = 0
        while count < countMax, let place = historyQueue.first {
            let entry = life(place.zone)?.history[place.recordName]?.first
            if let entry, entry.stamp.timestamp >= timestamp { break }
            historyQueue.removeFirst()
            undo { $0.historyQueue.restoreFirst() }
            guard let entry else { continue }
            touch(place.zone)
            change(place.zone) { $0.dropFirstEntry(of: place.recordName) }
            undo { storage in
                storage.change(place.zone) {
                    $0.history[place.recordName, default: []].insert(entry, at: 0)
                }
            }
            count += 1
        }
        return count
    }
}

extension MemoryZone {
    mutating func dropLastEntry(of recordName: String) {
        history[recordName]?.removeLast()
        if history[recordName]?.isEmpty == true { history[recordName] = nil }
    }

    mutating func dropFirstEntry(of recordName: String) {
        history[recordName]?.removeFirst()
        if history[recordName]?.isEmpty == true { history[recordName] = nil }
    }
}
