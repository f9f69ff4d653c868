import RecordModel

/// How often pending changes failed in a row while others got through.
///
/// Only changes that fail are counted, and a relaunch counts anew: then a change that is of no use
/// is tried a few times more before it is held back.
struct FailureCounts: Sendable {
    private struct Row: Sendable {
        var count = 0
        /// The number of confirmed changes when it was last counted.
        var confirmedCount: UInt64
        let begin: EngineInstant
    }

    private var rows = OrderedTable<Record.ID, Row>()
    private var confirmedCount: UInt64 = 0
    private var confirmedCountBefore: UInt64 = 0

    /// Takes in how many changes an answer confirmed.
    mutating func noteAnswer(confirming count: Int) {
        confirmedCountBefore = confirmedCount
        confirmedCount += UInt64(count)
    }

    /// Counts a failure of the present answer; true if it is one too many.
    ///
    /// It counts only if another change was confirmed since the last one that counted: when
    /// nothing gets through, the fault is not the change's.
    mutating func noteFailure(
        of recordID: Record.ID,
        atMost countMax: Int,
        at now: EngineInstant
    ) -> Bool {
        var row = rows[recordID] ?? Row(confirmedCount: confirmedCountBefore, begin: now)
        if confirmedCount > row.confirmedCount {
            row.count += 1
            row.confirmedCount = confirmedCount
        }
        let span = now.monotonic - row.begin.monotonic
        guard row.count < countMax || span < EngineConfiguration.quarantineSpanMin else {
            rows[recordID] = nil
            return true
        }
        rows[recordID] = row
        if rows.count > EngineConfiguration.countedFailureCountMax, let oldest = rows.first {
            rows[oldest.key] = nil
        }
        return false
    }

    /// The change was confirmed, or left the queue.
    mutating func forget(_ recordID: Record.ID) {
        if !rows.isEmpty { rows[recordID] = nil }
    }

    /// The number of changes that are counted.
    var count: Int { rows.count }
}
