import CSQLite
import RecordModel
import ServerCore
import Synchronization

/// A database file, used by one caller at a time.
final class Connection: Sendable {
    private let handle: Mutex<Handle>

    init(path: String) throws(StorageError) {
        handle = Mutex(try Handle(path: path))
        try withHandle { handle throws(StorageError) in try handle.prepareForUse() }
    }

    func withHandle<Value: Sendable>(
        _ body: (inout Handle) throws(StorageError) -> Value
    ) throws(StorageError) -> Value {
        try handle.withLock { handle throws(StorageError) in try body(&handle) }
    }

    /// Runs a statement without rows.
    func run(_ sql: StaticString, _ values: SQLValue...) throws(StorageError) {
        try withHandle { handle throws(StorageError) in
            try handle.run(sql, values) { _ in false }
        }
    }

    /// Makes something of each row, until that is nil.
    func rows<Value: Sendable>(
        _ sql: StaticString,
        _ values: SQLValue...,
        read: (SQLRow) throws(StorageError) -> Value?
    ) throws(StorageError) -> [Value] {
        try withHandle { handle throws(StorageError) in
            var result: [Value] = []
            try handle.run(sql, values) { row throws(StorageError) in
                guard let value = try read(row) else { return false }
                result.append(value)
                return true
            }
            return result
        }
    }

    /// Makes something of the only row; nil if there is none.
    func row<Value: Sendable>(
        _ sql: StaticString,
        _ values: SQLValue...,
        read: (SQLRow) throws(StorageError) -> Value
    ) throws(StorageError) -> Value? {
        try withHandle { handle throws(StorageError) in
            var result: Value?
            try handle.run(sql, values) { row throws(StorageError) in
                result = try read(row)
                return false
            }
            return result
        }
    }

    /// The number of the life that was asked for last.
    func lastLife() throws(StorageError) -> (zone: ZoneKey, id: Int64)? {
        try withHandle { handle throws(StorageError) in handle.lastLife }
    }

    func setLastLife(_ zone: ZoneKey, _ id: Int64) throws(StorageError) {
        try withHandle { handle throws(StorageError) in handle.lastLife = (zone, id) }
    }
}
