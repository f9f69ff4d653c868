import RecordModel
package import ServerCore

extension SQLiteStorage: ServedStorage {
    package func credential(
        withHash hash: [UInt8]
    ) throws(StorageError) -> StoredCredential? {
        try connection.row(
            "SELECT hash, account, device, created, lastUsed FROM credential WHERE hash = ?",
            .blob(hash)
        ) { credential($0) }
    }

    package func put(_ credential: StoredCredential) throws(StorageError) {
        try connection.run(
            """
            INSERT INTO credential (hash, account, device, created, lastUsed)
            VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (account, device) DO UPDATE
            SET hash = excluded.hash, created = excluded.created, lastUsed = excluded.lastUsed
            """,
            .blob(credential.hash),
            .text(credential.account),
            .text(credential.deviceID),
            .integer(credential.created.millisecondsSince1970),
            credential.lastUsed.map { .integer($0.millisecondsSince1970) } ?? .null
        )
    }

    package func removeCredential(
        ofDevice deviceID: String,
        account: String
    ) throws(StorageError) -> Bool {
        let removed = try connection.rows(
            "DELETE FROM credential WHERE account = ? AND device = ? RETURNING 1",
            .text(account),
            .text(deviceID)
        ) { $0.integer(0) }
        return !removed.isEmpty
    }

    package func credentials(of account: String) throws(StorageError) -> [StoredCredential] {
        try connection.rows(
            """
            SELECT hash, account, device, created, lastUsed FROM credential
            WHERE account = ? ORDER BY device
            """,
            .text(account)
        ) { credential($0) }
    }

    private func credential(_ row: SQLRow) -> StoredCredential {
        StoredCredential(
            hash: row.bytes(0),
            account: row.text(1),
            deviceID: row.text(2),
            created: Timestamp(millisecondsSince1970: row.integer(3)),
            lastUsed: row.isNull(4) ? nil : Timestamp(millisecondsSince1970: row.integer(4))
        )
    }
}
