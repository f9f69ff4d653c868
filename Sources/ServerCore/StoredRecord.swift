package import RecordModel

/// A record as a storage keeps it; one that was deleted stays as a tombstone for the retention.
package struct StoredRecord: Hashable, Sendable {
    /// What is left of a record.
    package indirect enum Content: Hashable, Sendable {
        /// The record, its size, and the names its `deleteSelf` links point to.
        case live(Record, byteCount: Int, deleteSelfTargets: [String])
        /// Only that it was, and of which type.
        case deleted(recordType: String)
    }

    /// The record's name in its zone.
    package let recordName: String
    /// The place of its last change in the log of its database.
    package var position: LogPosition
    /// Who changed it last, and when.
    package var stamp: Record.Stamp
    /// The send that changed it last.
    package var origin: IdempotencyKey?
    /// What is there.
    package var content: Content

    package init(
        recordName: String,
        position: LogPosition,
        stamp: Record.Stamp,
        origin: IdempotencyKey?,
        content: Content
    ) {
        self.recordName = recordName
        self.position = position
        self.stamp = stamp
        self.origin = origin
        self.content = content
    }

    /// The record; nil for a tombstone.
    package var record: Record? {
        switch content {
        case .live(let record, _, _): record
        case .deleted: nil
        }
    }

    /// The record's size; 0 for a tombstone.
    package var byteCount: Int {
        switch content {
        case .live(_, let byteCount, _): byteCount
        case .deleted: 0
        }
    }

    /// The names its `deleteSelf` links point to; none for a tombstone.
    package var deleteSelfTargets: [String] {
        switch content {
        case .live(_, _, let targets): targets
        case .deleted: []
        }
    }

    /// True for a tombstone.
    package var isTombstone: Bool { record == nil }
}

/// How much a page may hold; it holds one row at least, if there is one.
package struct PageLimit: Hashable, Sendable {
    /// Rows.
    package var countMax: Int
    /// Bytes of the records in the rows.
    package var byteCountMax: Int

    package init(countMax: Int, byteCountMax: Int = .max) {
        self.countMax = max(1, countMax)
        self.byteCountMax = byteCountMax
    }
}

/// Rows in the order of their positions.
package struct RecordPage: Hashable, Sendable {
    /// The rows.
    package var rows: [StoredRecord]
    /// True if no row lies behind them.
    package var isLast: Bool

    package init(rows: [StoredRecord], isLast: Bool) {
        self.rows = rows
        self.isLast = isLast
    }
}

/// Tombstones that a storage removed.
package struct RemovedTombstones: Hashable, Sendable {
    /// How many.
    package var count = 0
    /// The place of the last of them in the log; nil if there was none.
    package var highest: LogPosition?

    package init(count: Int = 0, highest: LogPosition? = nil) {
        self.count = count
        self.highest = highest
    }
}
