package import RecordModel
package import ServerCore

extension SQLiteStorage {
    package func record(
        _ recordName: String,
        in zone: ZoneKey
    ) throws(StorageError) -> StoredRecord? {
        guard let life = try life(zone) else { return nil }
        return try connection.row(
            """
            SELECT name, sequence, ordinal, isDeleted, byteCount, content FROM record
            WHERE life = ? AND name = ?
            """,
            .integer(life),
            .text(recordName)
        ) { row throws(StorageError) in try record(row) }
    }

    package func put(_ record: StoredRecord, in zone: ZoneKey) throws(StorageError) {
        let life = try madeLife(zone)
        var writer = BinaryWriter(capacity: record.byteCount + 200)
        writer.write(record)
        try connection.run(
            """
            INSERT INTO record (
                life, name, sequence, ordinal, time, isDeleted, byteCount, content
            ) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (life, name) DO UPDATE
            SET sequence = excluded.sequence, ordinal = excluded.ordinal, time = excluded.time,
                isDeleted = excluded.isDeleted, byteCount = excluded.byteCount,
                content = excluded.content
            """,
            .integer(life),
            .text(record.recordName),
            .ordered(record.position.sequence),
            .number(Int(record.position.ordinal)),
            .integer(record.stamp.timestamp.millisecondsSince1970),
            .number(record.isTombstone ? 1 : 0),
            .number(record.byteCount),
            .blob(writer.bytes)
        )
        try connection.run(
            "DELETE FROM link WHERE life = ? AND source = ?",
            .integer(life),
            .text(record.recordName)
        )
        for target in record.deleteSelfTargets {
            try connection.run(
                "INSERT OR IGNORE INTO link (life, target, source) VALUES (?, ?, ?)",
                .integer(life),
                .text(target),
                .text(record.recordName)
            )
        }
    }

    package func records(
        in zone: ZoneKey,
        after position: LogPosition,
        hidingTombstonesThrough sequence: UInt64,
        limit: PageLimit
    ) throws(StorageError) -> RecordPage {
        var page = RecordPage(rows: [], isLast: true)
        guard let life = try life(zone) else { return page }
        var byteCount = 0
        var count = 0
        page.rows = try connection.rows(
            """
            SELECT name, sequence, ordinal, isDeleted, byteCount, content FROM record
            WHERE life = ? AND (sequence, ordinal) > (?, ?) AND (isDeleted = 0 OR sequence > ?)
            ORDER BY sequence, ordinal
            """,
            .integer(life),
            .ordered(position.sequence),
            .number(Int(position.ordinal)),
            .ordered(sequence)
        ) { row throws(StorageError) in
            let (sum, isOver) = byteCount.addingReportingOverflow(row.number(4))
            let isFull = count >= limit.countMax || isOver || sum > limit.byteCountMax
            guard count == 0 || !isFull else {
                page.isLast = false
                return nil
            }
            count += 1
            byteCount = sum
            return try record(row)
        }
        return page
    }

    package func removeRecords(in zone: ZoneKey) throws(StorageError) {
        guard let life = try life(zone) else { return }
        try connection.run("DELETE FROM record WHERE life = ?", .integer(life))
        try connection.run("DELETE FROM link WHERE life = ?", .integer(life))
        try removeAssetLinks(life: life)
    }

    package func removeTombstones(
        in zone: ZoneKey,
        before timestamp: Timestamp,
        countMax: Int
    ) throws(StorageError) -> RemovedTombstones {
        guard let life = try life(zone) else { return RemovedTombstones() }
        let end = timestamp.millisecondsSince1970
        let found = try connection.rows(
            """
            SELECT id, time, sequence, ordinal FROM record WHERE life = ? AND isDeleted = 1
            ORDER BY sequence, ordinal LIMIT ?
            """,
            .integer(life),
            .number(max(0, countMax))
        ) { row throws(StorageError) in
            row.integer(1) < end ? (row.integer(0), try position(row, 2)) : nil
        }
        for (id, _) in found {
            try connection.run("DELETE FROM record WHERE id = ?", .integer(id))
        }
        return RemovedTombstones(count: found.count, highest: found.last?.1)
    }

    package func deleteSelfSources(
        of recordName: String,
        in zone: ZoneKey,
        countMax: Int
    ) throws(StorageError) -> [String] {
        guard let life = try life(zone) else { return [] }
        return try connection.rows(
            "SELECT source FROM link WHERE life = ? AND target = ? ORDER BY source LIMIT ?",
            .integer(life),
            .text(recordName),
            .number(max(0, countMax))
        ) { $0.text(0) }
    }

    /// The number of a life; nil for one in which nothing was ever put.
    func life(_ zone: ZoneKey) throws(StorageError) -> Int64? {
        if let last = try connection.lastLife(), last.zone == zone { return last.id }
        let found = try connection.row(
            "SELECT id FROM life WHERE account = ? AND scope = ? AND zone = ? AND generation = ?",
            .text(zone.database.account),
            .number(zone.database.scope.rawValue),
            .text(zone.zoneName),
            .ordered(zone.generation)
        ) { $0.integer(0) }
        if let found { try connection.setLastLife(zone, found) }
        return found
    }

    /// The number of a life, which is made if it has none.
    func madeLife(_ zone: ZoneKey) throws(StorageError) -> Int64 {
        if let found = try life(zone) { return found }
        try connection.run(
            "INSERT INTO life (account, scope, zone, generation) VALUES (?, ?, ?, ?)",
            .text(zone.database.account),
            .number(zone.database.scope.rawValue),
            .text(zone.zoneName),
            .ordered(zone.generation)
        )
        return try madeLife(zone)
    }

    private func record(_ row: SQLRow) throws(StorageError) -> StoredRecord {
        let name = row.text(0)
        let place = try position(row, 1)
        let isDeleted = row.number(3) == 1
        let byteCount = row.number(4)
        return try decode(row.bytes(5), "record") { reader throws(BinaryReader.Failure) in
            try reader.readVersion()
            let stamp = try reader.readStamp()
            let origin = try reader.readOptional { reader throws(BinaryReader.Failure) in
                try reader.readKey()
            }
            return StoredRecord(
                recordName: name,
                position: place,
                stamp: stamp,
                origin: origin,
                content: try reader.readContent(isDeleted: isDeleted, byteCount: byteCount)
            )
        }
    }
}

extension BinaryWriter {
    fileprivate mutating func write(_ record: StoredRecord) {
        write(rowVersion)
        write(record.stamp)
        write(record.origin) { $0.write($1) }
        switch record.content {
        case .live(let record, _, let targets):
            write(row: record)
            write(list: targets) { $0.write($1) }
        case .deleted(let recordType):
            write(recordType)
        }
    }
}

extension BinaryReader {
    fileprivate mutating func readContent(
        isDeleted: Bool,
        byteCount: Int
    ) throws(Failure) -> StoredRecord.Content {
        if isDeleted { return .deleted(recordType: try readString()) }
        let record = try readRecord()
        let targets = try readList { reader throws(Failure) in try reader.readString() }
        return .live(record, byteCount: byteCount, deleteSelfTargets: targets)
    }
}
