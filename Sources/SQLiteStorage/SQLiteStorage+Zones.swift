import RecordModel
package import ServerCore

extension SQLiteStorage {
    package func database(_ key: DatabaseKey) throws(StorageError) -> StoredDatabase {
        let stored = try connection.row(
            "SELECT head, floorSequence, floorOrdinal FROM base WHERE account = ? AND scope = ?",
            .text(key.account),
            .number(key.scope.rawValue)
        ) { row throws(StorageError) in
            var database = StoredDatabase()
            database.head = row.bits(0)
            database.floor = try position(row, 1)
            return database
        }
        return stored ?? StoredDatabase()
    }

    package func put(_ database: StoredDatabase, at key: DatabaseKey) throws(StorageError) {
        try connection.run(
            """
            INSERT INTO base (account, scope, head, floorSequence, floorOrdinal)
            VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (account, scope) DO UPDATE
            SET head = excluded.head, floorSequence = excluded.floorSequence,
                floorOrdinal = excluded.floorOrdinal
            """,
            .text(key.account),
            .number(key.scope.rawValue),
            .ordered(database.head),
            .ordered(database.floor.sequence),
            .number(Int(database.floor.ordinal))
        )
    }

    package func zone(
        _ zoneName: String,
        in database: DatabaseKey
    ) throws(StorageError) -> StoredZone? {
        try connection.row(
            """
            SELECT zone.name, generation, sequence, ordinal, zone.floorSequence, zone.floorOrdinal,
                deletion, time, user, zone.device, byteCount
            FROM zone JOIN base ON base.id = zone.base
            WHERE base.account = ? AND base.scope = ? AND zone.name = ?
            """,
            .text(database.account),
            .number(database.scope.rawValue),
            .text(zoneName)
        ) { row throws(StorageError) in try zone(row) }
    }

    package func put(_ zone: StoredZone, in database: DatabaseKey) throws(StorageError) {
        try connection.run(
            """
            INSERT INTO zone (
                base, name, generation, sequence, ordinal, floorSequence, floorOrdinal, deletion,
                time, user, device, byteCount
            ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (base, name) DO UPDATE
            SET generation = excluded.generation, sequence = excluded.sequence,
                ordinal = excluded.ordinal, floorSequence = excluded.floorSequence,
                floorOrdinal = excluded.floorOrdinal, deletion = excluded.deletion,
                time = excluded.time, user = excluded.user, device = excluded.device,
                byteCount = excluded.byteCount
            """,
            .integer(try baseID(of: database)),
            .text(zone.zoneName),
            .ordered(zone.generation),
            .ordered(zone.position.sequence),
            .number(Int(zone.position.ordinal)),
            .ordered(zone.floor.sequence),
            .number(Int(zone.floor.ordinal)),
            zone.deletion.map { .number($0.rawValue) } ?? .null,
            .integer(zone.stamp.timestamp.millisecondsSince1970),
            .text(zone.stamp.userRecordName),
            .optional(zone.stamp.deviceID),
            .number(zone.byteCount)
        )
    }

    package func removeZone(
        _ zoneName: String,
        in database: DatabaseKey
    ) throws(StorageError) {
        try connection.run(
            "DELETE FROM zone WHERE base = ? AND name = ?",
            .integer(try baseID(of: database)),
            .text(zoneName)
        )
    }

    package func zones(
        in database: DatabaseKey,
        after position: LogPosition,
        countMax: Int
    ) throws(StorageError) -> [StoredZone] {
        try connection.rows(
            """
            SELECT zone.name, generation, sequence, ordinal, zone.floorSequence, zone.floorOrdinal,
                deletion, time, user, zone.device, byteCount
            FROM zone JOIN base ON base.id = zone.base
            WHERE base.account = ? AND base.scope = ? AND (sequence, ordinal) > (?, ?)
            ORDER BY sequence, ordinal LIMIT ?
            """,
            .text(database.account),
            .number(database.scope.rawValue),
            .ordered(position.sequence),
            .number(Int(position.ordinal)),
            .number(max(0, countMax))
        ) { row throws(StorageError) in try zone(row) }
    }

    /// The number of a database, which is made if it has none.
    private func baseID(of key: DatabaseKey) throws(StorageError) -> Int64 {
        let found = try connection.row(
            "SELECT id FROM base WHERE account = ? AND scope = ?",
            .text(key.account),
            .number(key.scope.rawValue)
        ) { $0.integer(0) }
        if let found { return found }
        try put(StoredDatabase(), at: key)
        return try baseID(of: key)
    }

    private func zone(_ row: SQLRow) throws(StorageError) -> StoredZone {
        var zone = StoredZone(
            zoneName: row.text(0),
            generation: row.bits(1),
            position: try position(row, 2),
            stamp: Record.Stamp(
                timestamp: Timestamp(millisecondsSince1970: row.integer(7)),
                userRecordName: row.text(8),
                deviceID: row.optionalText(9)
            )
        )
        zone.floor = try position(row, 4)
        if !row.isNull(6) {
            guard let reason = Database.DatabaseChange.Deletion.Reason(rawValue: row.number(6))
            else { throw .damaged("a zone is gone for no known reason") }
            zone.deletion = reason
        }
        zone.byteCount = row.number(10)
        return zone
    }
}

/// The place in the log in two columns.
func position(_ row: SQLRow, _ column: Int32) throws(StorageError) -> LogPosition {
    guard let ordinal = UInt32(exactly: row.integer(column + 1)) else {
        throw .damaged("a place in the log is none")
    }
    return LogPosition(sequence: row.bits(column), ordinal: ordinal)
}
