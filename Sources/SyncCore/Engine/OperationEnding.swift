import RecordModel

/// How an operation will end, as far as it is known.
struct OperationEnding: Sendable {
    /// Why it stopped before its end.
    var error: SyncError?
    /// Items that failed; the operation went on.
    var itemErrors = OrderedTable<SyncError.ItemID, SyncError>()
    /// The delegate threw; the operation goes on where it can.
    var delegateFailure: CallOutcome?
    /// The delegate threw where there is nothing to go on with.
    var isBroken = false
    /// It was cancelled.
    var isCancelled = false
    /// The deadline of a flush came: nothing further is begun.
    var isCutShort = false

    var outcome: CallOutcome {
        if let delegateFailure { return delegateFailure }
        if let error { return .failed(error) }
        if isCancelled {
            return .failed(SyncError(.operationCancelled, "the operation was cancelled"))
        }
        guard !itemErrors.isEmpty else { return .returned }
        var errors: [SyncError.ItemID: SyncError] = [:]
        for (item, error) in itemErrors.pairs { errors[item] = error }
        let first = itemErrors.first.map { ", first \($0.key): \($0.value)" } ?? ""
        let count = itemErrors.count == 1 ? "1 item" : "\(itemErrors.count) items"
        return .failed(.partialFailure(errors, "\(count) failed\(first)"))
    }

    var mustStop: Bool { error != nil || isCancelled || isBroken || isCutShort }

    /// What a zone is told that the operation did not come to.
    var reasonToStop: SyncError {
        error ?? SyncError(.operationCancelled, "the fetch ended before it came to the zone's end")
    }
}
