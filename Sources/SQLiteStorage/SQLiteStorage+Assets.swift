package import RecordModel
package import ServerCore

extension SQLiteStorage {
    package func asset(
        _ checksum: [UInt8],
        of account: String
    ) throws(StorageError) -> StoredAsset? {
        try connection.row(
            """
            SELECT checksum, byteCount, touched, holderCount FROM asset
            WHERE account = ? AND checksum = ?
            """,
            .text(account),
            .blob(checksum)
        ) { row throws(StorageError) in asset(row) }
    }

    package func put(_ asset: StoredAsset, of account: String) throws(StorageError) {
        try connection.run(
            """
            INSERT INTO asset (account, checksum, byteCount, touched, holderCount)
            VALUES (?, ?, ?, ?, 0)
            ON CONFLICT (account, checksum) DO UPDATE
            SET byteCount = excluded.byteCount, touched = excluded.touched
            """,
            .text(account),
            .blob(asset.checksum),
            .integer(asset.byteCount),
            .integer(asset.touched.millisecondsSince1970)
        )
    }

    package func removeAsset(
        _ checksum: [UInt8],
        of account: String
    ) throws(StorageError) {
        try connection.run(
            "DELETE FROM asset WHERE account = ? AND checksum = ?",
            .text(account),
            .blob(checksum)
        )
    }

    package func putAssetLinks(
        _ checksums: [[UInt8]],
        of recordName: String,
        in zone: ZoneKey
    ) throws(StorageError) {
        let life = try madeLife(zone)
        try connection.run(
            """
            UPDATE asset SET holderCount = holderCount - 1 WHERE id IN (
                SELECT asset FROM assetLink WHERE life = ? AND source = ?
            )
            """,
            .integer(life),
            .text(recordName)
        )
        try connection.run(
            "DELETE FROM assetLink WHERE life = ? AND source = ?",
            .integer(life),
            .text(recordName)
        )
        for checksum in checksums {
            try connection.run(
                """
                INSERT OR IGNORE INTO assetLink (life, source, asset)
                SELECT ?, ?, id FROM asset WHERE account = ? AND checksum = ?
                """,
                .integer(life),
                .text(recordName),
                .text(zone.database.account),
                .blob(checksum)
            )
            try connection.run(
                """
                UPDATE asset SET holderCount = holderCount + 1
                WHERE account = ? AND checksum = ?
                """,
                .text(zone.database.account),
                .blob(checksum)
            )
        }
    }

    package func unheldAssets(
        of account: String,
        before timestamp: Timestamp,
        countMax: Int
    ) throws(StorageError) -> [StoredAsset] {
        try connection.rows(
            """
            SELECT checksum, byteCount, touched, holderCount FROM asset
            WHERE account = ? AND holderCount = 0 AND touched < ?
            ORDER BY touched, checksum LIMIT ?
            """,
            .text(account),
            .integer(timestamp.millisecondsSince1970),
            .number(max(0, countMax))
        ) { asset($0) }
    }

    /// The records of a life of a zone hold no file any more.
    func removeAssetLinks(life: Int64) throws(StorageError) {
        try connection.run(
            """
            UPDATE asset SET holderCount = holderCount - (
                SELECT count(*) FROM assetLink
                WHERE assetLink.life = ? AND assetLink.asset = asset.id
            ) WHERE id IN (SELECT asset FROM assetLink WHERE life = ?)
            """,
            .integer(life),
            .integer(life)
        )
        try connection.run("DELETE FROM assetLink WHERE life = ?", .integer(life))
    }

    private func asset(_ row: SQLRow) -> StoredAsset {
        var asset = StoredAsset(
            checksum: row.bytes(0),
            byteCount: row.integer(1),
            touched: Timestamp(millisecondsSince1970: row.integer(2))
        )
        asset.holderCount = row.number(3)
        return asset
    }
}
