import RecordSync
import Synchronization

/// What an app has in its database: rows, and beside them the state.
struct Tables: Sendable {
    var rows: [Record.ID: Record] = [:]
    var snapshot: [UInt8]?
    var entries: [[UInt8]] = []
}

/// Why an app's store did not store.
enum StoreFailure: Error {
    case diskFull
}

/// An app's database: a transaction is there as a whole or not at all.
final class Database: Sendable {
    private let stored = Mutex(Tables())
    private let commitsLeft = Mutex(Int.max)

    var tables: Tables { stored.withLock { $0 } }

    /// Lets every commit fail after so many more.
    func fail(after commitCount: Int) { commitsLeft.withLock { $0 = commitCount } }

    /// Lets every commit succeed again.
    func mend() { commitsLeft.withLock { $0 = .max } }

    func transaction(_ body: (inout Tables) throws -> Void) throws {
        var tables = tables
        try body(&tables)
        try commitsLeft.withLock { left in
            guard left > 0 else { throw StoreFailure.diskFull }
            left -= 1
        }
        let committed = tables
        stored.withLock { $0 = committed }
    }
}

/// An app's rows in files of their own, each written as a whole.
final class RowFiles: Sendable {
    private let rows = Mutex<[Record.ID: Record]>([:])
    private let isFull = Mutex(false)

    /// Lets every write fail, or none.
    func setFull(_ isFull: Bool) { self.isFull.withLock { $0 = isFull } }

    subscript(_ id: Record.ID) -> Record? { rows.withLock { $0[id] } }

    func write(_ record: Record) throws {
        if isFull.withLock({ $0 }) { throw StoreFailure.diskFull }
        rows.withLock { $0[record.recordID] = record }
    }

    func delete(_ id: Record.ID) throws { rows.withLock { $0[id] = nil } }
}
