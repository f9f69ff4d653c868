/// A place in the log of a database: a commit, and an item of it.
///
/// A commit has one sequence number, from a counter kept in the same transaction, so positions are
/// in the order of commits and there is never a gap below the head that fills later.
package struct LogPosition: Hashable, Comparable, Sendable {
    /// The commit.
    package var sequence: UInt64
    /// The item of the commit.
    package var ordinal: UInt32

    /// Before everything.
    package static let start = LogPosition(sequence: 0, ordinal: 0)

    package init(sequence: UInt64, ordinal: UInt32) {
        self.sequence = sequence
        self.ordinal = ordinal
    }

    /// Behind the last item of a commit.
    package static func end(of sequence: UInt64) -> LogPosition {
        LogPosition(sequence: sequence, ordinal: .max)
    }

    package static func < (left: LogPosition, right: LogPosition) -> Bool {
        (left.sequence, left.ordinal) < (right.sequence, right.ordinal)
    }
}
