import CSQLite
package import ServerCore

extension SQLiteStorage {
    /// Copies a database file as it is at one moment, while a server may be writing to it.
    ///
    /// The copy is one file, complete and on the disk when this returns.
    package static func copy(_ path: String, to newPath: String) throws(StorageError) {
        let source = try Handle(path: path)
        let target = try Handle(path: newPath)
        sqlite3_busy_timeout(source.database, 10_000)
        guard let backup = sqlite3_backup_init(target.database, "main", source.database, "main")
        else { throw .unavailable("\(newPath) cannot be written") }
        // In one step: a copy in several would begin anew at each write of a server.
        let code = sqlite3_backup_step(backup, -1)
        let end = sqlite3_backup_finish(backup)
        guard code == SQLITE_DONE, end == SQLITE_OK else {
            throw .unavailable(
                code == SQLITE_NOTADB
                    ? "it is no database" : "it cannot be copied (SQLite error \(code), \(end))"
            )
        }
        // The copy is a file by itself, without a log beside it.
        try target.execute("PRAGMA journal_mode = DELETE")
    }
}
