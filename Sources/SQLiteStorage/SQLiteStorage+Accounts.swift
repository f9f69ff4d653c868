package import RecordModel
package import ServerCore

extension SQLiteStorage {
    package func epoch() throws(StorageError) -> UInt64 {
        try connection.row("SELECT value FROM setting WHERE name = 'epoch'") { $0.bits(0) } ?? 0
    }

    package func setEpoch(_ epoch: UInt64) throws(StorageError) {
        try connection.run(
            """
            INSERT INTO setting (name, value) VALUES ('epoch', ?)
            ON CONFLICT (name) DO UPDATE SET value = excluded.value
            """,
            .bits(epoch)
        )
    }

    package func account(_ name: String) throws(StorageError) -> StoredAccount? {
        try connection.row(
            "SELECT name, standing, usedByteCount FROM account WHERE name = ?",
            .text(name),
            read: account
        )
    }

    package func put(_ account: StoredAccount) throws(StorageError) {
        try connection.run(
            """
            INSERT INTO account (name, standing, usedByteCount) VALUES (?, ?, ?)
            ON CONFLICT (name) DO UPDATE
            SET standing = excluded.standing, usedByteCount = excluded.usedByteCount
            """,
            .text(account.name),
            .number(account.standing.rawValue),
            .number(account.usedByteCount)
        )
    }

    package func accounts(
        after name: String?,
        countMax: Int
    ) throws(StorageError) -> [StoredAccount] {
        try connection.rows(
            """
            SELECT name, standing, usedByteCount FROM account
            WHERE name > ? ORDER BY name LIMIT ?
            """,
            .text(name ?? ""),
            .number(countMax)
        ) { row throws(StorageError) in try account(row) }
    }

    private func account(_ row: SQLRow) throws(StorageError) -> StoredAccount {
        guard let standing = StoredAccount.Standing(rawValue: row.number(1)) else {
            throw .damaged("an account has no standing")
        }
        var account = StoredAccount(name: row.text(0))
        account.standing = standing
        account.usedByteCount = row.number(2)
        return account
    }

    package func device(
        _ deviceID: String,
        of account: String
    ) throws(StorageError) -> StoredDevice? {
        try connection.row(
            "SELECT device, firstSeen, lastSeen FROM device WHERE account = ? AND device = ?",
            .text(account),
            .text(deviceID),
            read: device
        )
    }

    package func put(_ device: StoredDevice, of account: String) throws(StorageError) {
        try connection.run(
            """
            INSERT INTO device (account, device, firstSeen, lastSeen) VALUES (?, ?, ?, ?)
            ON CONFLICT (account, device) DO UPDATE
            SET firstSeen = excluded.firstSeen, lastSeen = excluded.lastSeen
            """,
            .text(account),
            .text(device.deviceID),
            .integer(device.firstSeen.millisecondsSince1970),
            .integer(device.lastSeen.millisecondsSince1970)
        )
    }

    package func devices(of account: String) throws(StorageError) -> [StoredDevice] {
        try connection.rows(
            """
            SELECT device, firstSeen, lastSeen FROM device WHERE account = ? ORDER BY device
            """,
            .text(account)
        ) { device($0) }
    }

    private func device(_ row: SQLRow) -> StoredDevice {
        StoredDevice(
            deviceID: row.text(0),
            firstSeen: Timestamp(millisecondsSince1970: row.integer(1)),
            lastSeen: Timestamp(millisecondsSince1970: row.integer(2))
        )
    }
}

extension SQLiteStorage {
    package func answer(
        to key: IdempotencyKey,
        of account: String
    ) throws(StorageError) -> StoredAnswer? {
        try connection.row(
            """
            SELECT time, content FROM answer
            WHERE account = ? AND high = ? AND low = ? AND number = ?
            """,
            .text(account),
            .bits(key.writer.high),
            .bits(key.writer.low),
            .bits(key.number)
        ) { row throws(StorageError) in
            let outcome = try decode(row.bytes(1), "answer") {
                reader throws(BinaryReader.Failure) in
                try reader.readOutcome()
            }
            let time = Timestamp(millisecondsSince1970: row.integer(0))
            return StoredAnswer(timestamp: time, outcome: outcome)
        }
    }

    package func put(
        _ answer: StoredAnswer,
        to key: IdempotencyKey,
        of account: String
    ) throws(StorageError) {
        var writer = BinaryWriter()
        writer.write(answer.outcome)
        try connection.run(
            """
            INSERT INTO answer (account, high, low, number, time, content)
            VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT (account, high, low, number) DO UPDATE
            SET time = excluded.time, content = excluded.content
            """,
            .text(account),
            .bits(key.writer.high),
            .bits(key.writer.low),
            .bits(key.number),
            .integer(answer.timestamp.millisecondsSince1970),
            .blob(writer.bytes)
        )
    }

    package func removeAnswers(
        before timestamp: Timestamp,
        countMax: Int
    ) throws(StorageError) -> Int {
        let end = timestamp.millisecondsSince1970
        let ids = try connection.rows(
            "SELECT id, time FROM answer ORDER BY id LIMIT ?",
            .number(countMax)
        ) { $0.integer(1) < end ? $0.integer(0) : nil }
        guard let last = ids.last else { return 0 }
        try connection.run("DELETE FROM answer WHERE id <= ?", .integer(last))
        return ids.count
    }
}
