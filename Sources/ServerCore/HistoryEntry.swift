package import RecordModel

/// What happened to a record once: who did it, from which device, when, and under which key.
package struct HistoryEntry: Hashable, Sendable {
    /// What was done.
    package indirect enum Action: Hashable, Sendable {
        /// A version was stored.
        case saved(Record)
        /// The record was deleted.
        case deleted
        /// The record was deleted with the one of this name, to which it linked.
        case deletedWith(String)
        /// A save was refused: what was sent, and why not.
        case refused(Record, SyncError.Code)
    }

    /// The record.
    package let recordName: String
    /// The commit; for a refused save the last one before it.
    package let sequence: UInt64
    /// Who, when and from which device.
    package let stamp: Record.Stamp
    /// The send.
    package let key: IdempotencyKey?
    /// What was done.
    package let action: Action

    package init(
        recordName: String,
        sequence: UInt64,
        stamp: Record.Stamp,
        key: IdempotencyKey?,
        action: Action
    ) {
        self.recordName = recordName
        self.sequence = sequence
        self.stamp = stamp
        self.key = key
        self.action = action
    }
}

/// What a server remembers of an idempotency key.
package struct StoredAnswer: Hashable, Sendable {
    /// What became of the send.
    package enum Outcome: Hashable, Sendable {
        /// Records were changed: the digest of the request, and the answer.
        case records(digest: [UInt8], ModifyRecordsReply)
        /// Zones were changed: the digest of the request, and the answer.
        case zones(digest: [UInt8], ModifyZonesReply)
        /// It had not arrived when it was asked for, and is refused if it still does.
        case closed
    }

    /// When it was answered or closed.
    package let timestamp: Timestamp
    /// What became of the send.
    package let outcome: Outcome

    package init(timestamp: Timestamp, outcome: Outcome) {
        self.timestamp = timestamp
        self.outcome = outcome
    }
}
