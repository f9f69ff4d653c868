import RecordModel
import SyncCore

// Flushes, and what is left.

extension CoreFixture {
    @discardableResult
    mutating func callFlush(_ duration: Duration) -> CallID {
        let call = makeCall()
        handle(.flushCalled(call, within: duration))
        return call
    }

    /// Lets time pass, and tells the core.
    mutating func pass(_ duration: Duration) {
        advance(by: duration)
        handle(.woke)
    }

    /// What a flush returned; nil while it has not.
    func report(of call: CallID) -> FlushReport? {
        guard case .flushed(let report, _) = ended[call] else { return nil }
        return report
    }

    /// How the send of a flush ended that has returned.
    func ending(of call: CallID) -> CallOutcome? {
        guard case .flushed(_, let ending) = ended[call] else { return nil }
        return ending
    }
}

extension FlushReport {
    var remaining: RemainingChanges {
        zones.reduce(into: RemainingChanges()) { $0 += $1.remaining }
    }

    /// What is left of a zone.
    subscript(zoneID: RecordZone.ID) -> RemainingChanges {
        zones.first { $0.zoneID == zoneID }?.remaining ?? RemainingChanges()
    }
}

extension CoreFixture {
    /// Compares the counts that the core keeps with the changes themselves.
    mutating func checkCounts() {
        var counted: [RecordZone.ID: Int] = [:]
        for change in core.state.records.slots.all().map(\.change) {
            counted[change.recordID.zoneID, default: 0] += 1
        }
        for change in core.state.databaseChanges.changes {
            counted[change.zoneID, default: 0] += 1
        }
        for change in core.state.openSends.flatMap(\.changes) {
            counted[change.change.recordID.zoneID, default: 0] += 1
        }
        let kept = core.remainingChanges.map { ($0.zoneID, $0.remaining.total) }
        if counted != Dictionary(kept, uniquingKeysWith: +) {
            faults.append("counted \(counted), kept \(kept)")
        }
    }
}
