package import RecordModel
package import ServerCore

extension SQLiteStorage {
    package func append(_ entry: HistoryEntry, in zone: ZoneKey) throws(StorageError) {
        var writer = BinaryWriter()
        writer.write(entry)
        try connection.run(
            "INSERT INTO history (life, name, time, tag, content) VALUES (?, ?, ?, ?, ?)",
            .integer(try madeLife(zone)),
            .text(entry.recordName),
            .integer(entry.stamp.timestamp.millisecondsSince1970),
            .optional(entry.action.savedChangeTag),
            .blob(writer.bytes)
        )
    }

    package func history(
        of recordName: String,
        in zone: ZoneKey
    ) throws(StorageError) -> [HistoryEntry] {
        guard let life = try life(zone) else { return [] }
        return try connection.rows(
            "SELECT content FROM history WHERE life = ? AND name = ? ORDER BY id",
            .integer(life),
            .text(recordName)
        ) { row throws(StorageError) in try readEntry(row, of: recordName) }
    }

    package func version(
        _ changeTag: String,
        of recordName: String,
        in zone: ZoneKey
    ) throws(StorageError) -> Record? {
        guard let life = try life(zone) else { return nil }
        let entry = try connection.row(
            """
            SELECT content FROM history WHERE life = ? AND name = ? AND tag = ?
            ORDER BY id DESC LIMIT 1
            """,
            .integer(life),
            .text(recordName),
            .text(changeTag)
        ) { row throws(StorageError) in try readEntry(row, of: recordName) }
        guard case .saved(let record) = entry?.action else { return nil }
        return record
    }

    package func removeHistory(in zone: ZoneKey) throws(StorageError) {
        guard let life = try life(zone) else { return }
        try connection.run("DELETE FROM history WHERE life = ?", .integer(life))
    }

    package func removeHistory(
        before timestamp: Timestamp,
        countMax: Int
    ) throws(StorageError) -> Int {
        let end = timestamp.millisecondsSince1970
        let ids = try connection.rows(
            "SELECT id, time FROM history ORDER BY id LIMIT ?",
            .number(max(0, countMax))
        ) { $0.integer(1) < end ? $0.integer(0) : nil }
        guard let last = ids.last else { return 0 }
        try connection.run("DELETE FROM history WHERE id <= ?", .integer(last))
        return ids.count
    }

    private func readEntry(
        _ row: SQLRow,
        of recordName: String
    ) throws(StorageError) -> HistoryEntry {
        try decode(row.bytes(0), "history entry") { reader throws(BinaryReader.Failure) in
            try reader.readHistoryEntry(of: recordName)
        }
    }
}

extension HistoryEntry.Action {
    fileprivate var savedChangeTag: String? {
        switch self {
        case .saved(let record): record.recordChangeTag
        case .deleted, .deletedWith, .refused: nil
        }
    }
}
