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
