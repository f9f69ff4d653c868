package import ServerCore

/// A storage in a database file of SQLite: what it commits survives a killed process and a power
/// failure.
///
/// A copy of the value is the same storage. Each request is a savepoint; several of them can be
/// gathered into one transaction, which is what makes small writes fast.
package struct SQLiteStorage: Sendable {
    let connection: Connection

    /// Opens the storage in a file, and makes it if it is not there.
    package init(path: String) throws(StorageError) {
        connection = try Connection(path: path)
    }
}

// Transactions.

extension SQLiteStorage: ServerStorage {
    package func begin(_ access: StorageAccess) throws(StorageError) {
        try connection.withHandle { handle throws(StorageError) in
            try handle.begin(access)
            try handle.step("SAVEPOINT request")
        }
    }

    package func commit() throws(StorageError) {
        try connection.withHandle { handle throws(StorageError) in
            try handle.step("RELEASE request")
            if !handle.isGrouping { try handle.end() }
        }
    }

    package func rollback() {
        try? connection.withHandle { handle throws(StorageError) in
            // What is undone may be the row that gave a life its number.
            handle.lastLife = nil
            // SQLite may have undone all of it by itself: then none of these does anything.
            try? handle.step("ROLLBACK TO request")
            try? handle.step("RELEASE request")
            if !handle.isGrouping { handle.undo() }
        }
    }
}

extension SQLiteStorage {
    /// From now on commits wait for `flush`.
    package func beginGrouping() throws(StorageError) {
        try connection.withHandle { handle throws(StorageError) in handle.isGrouping = true }
    }

    /// Makes everything committed since the last flush last; undoes it if that fails.
    package func flush() throws(StorageError) {
        try connection.withHandle { handle throws(StorageError) in try handle.end() }
    }

    /// Undoes the open transaction with all its requests, as SQLite itself does on a full disk.
    package func abort() {
        try? connection.withHandle { handle throws(StorageError) in
            try handle.step("ROLLBACK")
        }
    }

    /// A number that changes whenever another process or connection wrote to the file.
    package func foreignChangeNumber() throws(StorageError) -> Int64 {
        try connection.withHandle { handle throws(StorageError) in
            try handle.integer("PRAGMA data_version")
        }
    }

    /// What is wrong with the file; empty for a sound one.
    package func integrityFaults() throws(StorageError) -> [String] {
        let lines = try connection.rows("PRAGMA integrity_check(100)") { $0.text(0) }
        return lines.filter { $0 != "ok" }
    }
}

extension Handle {
    /// Begins a transaction, unless one is open that can do what this one is for.
    fileprivate mutating func begin(_ access: StorageAccess) throws(StorageError) {
        if isOpen {
            guard isInTransaction else { throw lost }
            guard access == .writing, !isWriting else { return }
            // A transaction that has only read cannot always become one that writes.
            try step("COMMIT")
        }
        isOpen = false
        switch access {
        case .reading: try step("BEGIN")
        case .writing: try step("BEGIN IMMEDIATE")
        }
        isOpen = true
        isWriting = access == .writing
    }

    /// Commits the open transaction; undoes it if that fails.
    fileprivate mutating func end() throws(StorageError) {
        guard isOpen else { return }
        guard isInTransaction else {
            undo()
            throw lost
        }
        do throws(StorageError) {
            try step("COMMIT")
            isOpen = false
        } catch {
            undo()
            throw error
        }
    }

    fileprivate mutating func undo() {
        isOpen = false
        lastLife = nil
        if isInTransaction { try? step("ROLLBACK") }
    }

    /// Requests of the group were answered, and are gone: none of the answers may leave.
    private var lost: StorageError { .unavailable("SQLite undid the transaction") }
}
