import RecordModel

// Changes that fail again and again while others get through are held back.

extension EngineCore {
    /// Counts the failures of an answer, and holds those back that failed too often.
    mutating func quarantine(in outcome: inout BatchOutcome, of open: EngineState.OpenSend) {
        session.failureCounts.noteAnswer(
            confirming: outcome.saved.count + outcome.deleted.count
        )
        for (position, change) in open.changes.enumerated() {
            let id = change.change.recordID
            guard case .returned = outcome.dispositions[position], let error = outcome.failures[id]
            else {
                session.failureCounts.forget(id)
                continue
            }
            let isInnocent = ItemOutcome(error.code) == .requeue
            let isTooOften = session.failureCounts.noteFailure(
                of: id,
                atMost: isInnocent
                    ? EngineConfiguration.innocentFailureCountMax
                    : EngineConfiguration.failureCountMax,
                at: session.now
            )
            // What was asked for again meanwhile takes its place and is tried.
            guard isTooOften, open.returns[position] != .nowhere,
                state.records.status(of: id) == nil
            else { continue }
            outcome.quarantine(change.change, at: position)
        }
    }

    /// The number of changes whose failures are counted.
    package var countedFailureCount: Int { session.failureCounts.count }
}
