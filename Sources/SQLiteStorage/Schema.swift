import CSQLite
import ServerCore

extension Handle {
    /// Sets the file up for this program, and brings it to the present version.
    mutating func prepareForUse() throws(StorageError) {
        sqlite3_busy_timeout(database, 10_000)
        try refuseStrangers()
        try execute("PRAGMA trusted_schema = OFF")
        try execute("PRAGMA cell_size_check = ON")
        try execute("PRAGMA journal_mode = WAL")
        // Every acknowledged commit is on the disk, also when the power fails.
        try execute("PRAGMA synchronous = FULL")
        try execute("PRAGMA wal_autocheckpoint = 10000")
        try execute("PRAGMA cache_size = -8192")
        csqlite_defend(database)
        try migrate()
    }

    /// A database of another program is left as it is.
    private mutating func refuseStrangers() throws(StorageError) {
        if try integer("PRAGMA application_id") == applicationID { return }
        if try integer("SELECT count(*) FROM sqlite_master") == 0 { return }
        throw .damaged("the database is of another program, or damaged")
    }

    private mutating func migrate() throws(StorageError) {
        // A look without a lock first: another process may be writing.
        guard try version() < newestSchemaVersion else { return }
        try execute("BEGIN IMMEDIATE")
        do throws(StorageError) {
            if try version() < 1 { try execute(firstSchema) }
            if try version() < 2 { try execute(secondSchema) }
            try execute("COMMIT")
        } catch {
            try? execute("ROLLBACK")
            throw error
        }
    }

    /// The version of the file's tables; 0 for a new file.
    private mutating func version() throws(StorageError) -> Int64 {
        let version = try integer("PRAGMA user_version")
        guard version <= newestSchemaVersion else {
            throw .unavailable(
                "the database has version \(version); this program knows versions up to "
                    + "\(newestSchemaVersion): use a newer one"
            )
        }
        return version
    }

    /// The number in the first column of the only row.
    mutating func integer(_ sql: StaticString) throws(StorageError) -> Int64 {
        var result: Int64 = 0
        try run(sql, []) { row in
            result = row.integer(0)
            return false
        }
        return result
    }
}

/// Marks a file as this program's: RSYS, as the schema sets it.
private let applicationID: Int64 = 0x5253_5953

/// The version that `firstSchema` and all migrations behind it lead to.
private let newestSchemaVersion: Int64 = 2

/// Ordinary tables with indexes: tables clustered on names are three times slower to write.
///
/// A life of a zone has a number of its own, under which its records, links and history stand, so
/// that no row of one account can be found by a question about another.
private let firstSchema: StaticString = """
    CREATE TABLE setting (name TEXT NOT NULL UNIQUE, value);
    CREATE TABLE account (
        id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, standing INTEGER NOT NULL,
        usedByteCount INTEGER NOT NULL
    );
    CREATE TABLE device (
        account TEXT NOT NULL, device TEXT NOT NULL, firstSeen INTEGER NOT NULL,
        lastSeen INTEGER NOT NULL, UNIQUE (account, device)
    );
    CREATE TABLE credential (
        hash BLOB NOT NULL UNIQUE, account TEXT NOT NULL, device TEXT NOT NULL,
        created INTEGER NOT NULL, lastUsed INTEGER, UNIQUE (account, device)
    );
    CREATE TABLE base (
        id INTEGER PRIMARY KEY, account TEXT NOT NULL, scope INTEGER NOT NULL,
        head INTEGER NOT NULL, floorSequence INTEGER NOT NULL, floorOrdinal INTEGER NOT NULL,
        UNIQUE (account, scope)
    );
    CREATE TABLE zone (
        id INTEGER PRIMARY KEY, base INTEGER NOT NULL, name TEXT NOT NULL,
        generation INTEGER NOT NULL, sequence INTEGER NOT NULL, ordinal INTEGER NOT NULL,
        floorSequence INTEGER NOT NULL, floorOrdinal INTEGER NOT NULL, deletion INTEGER,
        time INTEGER NOT NULL, user TEXT NOT NULL, device TEXT, byteCount INTEGER NOT NULL,
        UNIQUE (base, name)
    );
    CREATE INDEX zoneFeed ON zone (base, sequence, ordinal);
    CREATE TABLE life (
        id INTEGER PRIMARY KEY, account TEXT NOT NULL, scope INTEGER NOT NULL,
        zone TEXT NOT NULL, generation INTEGER NOT NULL,
        UNIQUE (account, scope, zone, generation)
    );
    CREATE TABLE record (
        id INTEGER PRIMARY KEY, life INTEGER NOT NULL, name TEXT NOT NULL,
        sequence INTEGER NOT NULL, ordinal INTEGER NOT NULL, time INTEGER NOT NULL,
        isDeleted INTEGER NOT NULL, byteCount INTEGER NOT NULL, content BLOB NOT NULL,
        UNIQUE (life, name)
    );
    CREATE INDEX recordFeed ON record (life, sequence, ordinal);
    CREATE INDEX tombstones ON record (life, sequence, ordinal) WHERE isDeleted = 1;
    CREATE TABLE link (
        life INTEGER NOT NULL, target TEXT NOT NULL, source TEXT NOT NULL,
        UNIQUE (life, target, source)
    );
    CREATE INDEX linksOfSource ON link (life, source);
    CREATE TABLE history (
        id INTEGER PRIMARY KEY AUTOINCREMENT, life INTEGER NOT NULL, name TEXT NOT NULL,
        time INTEGER NOT NULL, tag TEXT, content BLOB NOT NULL
    );
    CREATE INDEX historyOfRecord ON history (life, name, id);
    CREATE TABLE answer (
        id INTEGER PRIMARY KEY AUTOINCREMENT, account TEXT NOT NULL, high INTEGER NOT NULL,
        low INTEGER NOT NULL, number INTEGER NOT NULL, time INTEGER NOT NULL,
        content BLOB NOT NULL, UNIQUE (account, high, low, number)
    );
    PRAGMA application_id = 0x52535953;
    PRAGMA user_version = 1;
    """

/// Files beside records: which an account has, and which records hold them.
private let secondSchema: StaticString = """
    CREATE TABLE asset (
        id INTEGER PRIMARY KEY, account TEXT NOT NULL, checksum BLOB NOT NULL,
        byteCount INTEGER NOT NULL, touched INTEGER NOT NULL, holderCount INTEGER NOT NULL,
        UNIQUE (account, checksum)
    );
    CREATE INDEX unheldAssets ON asset (account, touched, checksum) WHERE holderCount = 0;
    CREATE TABLE assetLink (
        life INTEGER NOT NULL, source TEXT NOT NULL, asset INTEGER NOT NULL,
        UNIQUE (life, source, asset)
    );
    PRAGMA user_version = 2;
    """
