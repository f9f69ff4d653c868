import CSQLite
import ServerCore

/// An open database file and the statements prepared for it; closed when nobody has it any more.
struct Handle: ~Copyable {
    let database: OpaquePointer
    private var statements: [UInt: OpaquePointer] = [:]
    /// True while commits of requests wait for one flush.
    var isGrouping = false
    /// The number of the life that was asked for last; numbers of lives never change.
    var lastLife: (zone: ZoneKey, id: Int64)?
    /// True from the beginning of a transaction to its end, also if SQLite undid it meanwhile.
    var isOpen = false
    /// True while the open transaction may write.
    var isWriting = false

    init(path: String) throws(StorageError) {
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        let code = sqlite3_open_v2(path, &opened, flags, nil)
        guard code == SQLITE_OK, let opened else {
            sqlite3_close_v2(opened)
            throw .unavailable("the database \(path) cannot be opened (SQLite error \(code))")
        }
        database = opened
    }

    deinit {
        for statement in statements.values { sqlite3_finalize(statement) }
        sqlite3_close_v2(database)
    }

    /// True while a transaction is open.
    var isInTransaction: Bool { sqlite3_get_autocommit(database) == 0 }

    /// Runs fixed text of several statements.
    func execute(_ sql: StaticString) throws(StorageError) {
        let code = sql.withUTF8Buffer { buffer in
            buffer.withMemoryRebound(to: CChar.self) { characters in
                // A literal ends with a zero, which its buffer does not count.
                sqlite3_exec(database, characters.baseAddress, nil, nil, nil)
            }
        }
        guard code == SQLITE_OK else { throw failure(code) }
    }

    /// Runs a statement without values and rows.
    mutating func step(_ sql: StaticString) throws(StorageError) {
        try run(sql, []) { _ in false }
    }

    /// Runs a statement and gives its rows to a function until that says stop.
    mutating func run(
        _ sql: StaticString,
        _ values: [SQLValue],
        _ takesNext: (SQLRow) throws(StorageError) -> Bool
    ) throws(StorageError) {
        let statement = try prepared(sql)
        defer {
            sqlite3_reset(statement)
            sqlite3_clear_bindings(statement)
        }
        for (place, value) in values.enumerated() {
            let code = bind(value, at: Int32(place + 1), of: statement)
            guard code == SQLITE_OK else { throw failure(code) }
        }
        while true {
            let code = sqlite3_step(statement)
            if code == SQLITE_DONE { return }
            guard code == SQLITE_ROW else { throw failure(code) }
            guard try takesNext(SQLRow(statement)) else { return }
        }
    }

    /// The statement of a text that stands in the program: there is no other way to a statement.
    private mutating func prepared(_ sql: StaticString) throws(StorageError) -> OpaquePointer {
        let key = UInt(bitPattern: sql.utf8Start)
        if let statement = statements[key] { return statement }
        var statement: OpaquePointer?
        let code = sql.withUTF8Buffer { buffer in
            buffer.withMemoryRebound(to: CChar.self) { characters in
                sqlite3_prepare_v2(
                    database,
                    characters.baseAddress,
                    Int32(characters.count),
                    &statement,
                    nil
                )
            }
        }
        guard code == SQLITE_OK, let statement else { throw failure(code) }
        statements[key] = statement
        return statement
    }

    private func bind(_ value: SQLValue, at place: Int32, of statement: OpaquePointer) -> Int32 {
        switch value {
        case .integer(let number):
            return sqlite3_bind_int64(statement, place, number)
        case .text(var text):
            return text.withUTF8 { buffer in
                buffer.withMemoryRebound(to: CChar.self) { characters in
                    let start = characters.baseAddress
                    return csqlite_bind_text(statement, place, start, Int32(characters.count))
                }
            }
        case .blob(let bytes):
            return bytes.withUnsafeBytes { buffer in
                csqlite_bind_blob(statement, place, buffer.baseAddress, Int32(buffer.count))
            }
        case .null:
            return sqlite3_bind_null(statement, place)
        }
    }

    private func failure(_ code: Int32) -> StorageError {
        let text = sqlite3_errmsg(database).map { String(cString: $0) } ?? "no message"
        let message = "SQLite error \(sqlite3_extended_errcode(database)): \(text)"
        switch code & 0xFF {
        case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_NOMEM, SQLITE_READONLY, SQLITE_INTERRUPT,
            SQLITE_IOERR, SQLITE_FULL, SQLITE_CANTOPEN:
            return .unavailable(message)
        case _:  // Everything else says that the file is not what this program wrote.
            return .damaged(message)
        }
    }
}
