import RecordModel
import SyncCore

// Calls of the app that wait.

extension EngineShell {
    /// Makes an operation of a call, and waits for its end.
    ///
    /// Only a flush returns something, and what ends it early is part of that.
    @discardableResult
    func call(
        _ name: String,
        _ input: @escaping (CallID) -> EngineInput
    ) async throws -> FlushReturn? {
        if let refusal { throw refusal }
        if let error = reentrancyError(name) { throw error }
        let call = protected.withLock { protected in
            defer { protected.nextCall += 1 }
            return CallID(protected.nextCall)
        }
        if Task.isCancelled { throw Self.cancelled }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                guard addWaiter(continuation, of: call) else {
                    return continuation.resume(throwing: Self.orphaned)
                }
                handle(input(call))
                // The task may have been cancelled before there was anything to cancel.
                if Task.isCancelled { handle(.callAbandoned(call)) }
            }
        } onCancel: {
            handle(.callAbandoned(call))
        }
    }

    private static let cancelled = SyncError(
        .operationCancelled,
        "the task that called was cancelled"
    )

    private static let orphaned = SyncError(
        .operationCancelled,
        "the delegate is gone, and an engine needs one: keep it as long as the engine"
    )

    /// False if nothing moves any more, so that nobody may wait.
    private func addWaiter(
        _ continuation: CheckedContinuation<FlushReturn?, any Error>,
        of call: CallID
    ) -> Bool {
        protected.withLock { protected in
            guard !protected.isOrphaned else { return false }
            protected.waiters[call] = continuation
            return true
        }
    }

    /// Without an app there is nobody to tell: nothing advances, and nobody waits for it.
    func endCallsOfOrphan() {
        let waiters = protected.withLock { protected in
            protected.isOrphaned = true
            defer { protected.waiters = [:] }
            return protected.waiters.map(\.value)
        }
        for waiter in waiters { waiter.resume(throwing: Self.orphaned) }
    }

    /// A call that would wait for the delivery it is made from can never return.
    private func reentrancyError(_ name: String) -> SyncError? {
        guard let delivery = Self.delivery, delivery.engine == ObjectIdentifier(self) else {
            return nil
        }
        guard protected.withLock({ $0.activeDelivery == delivery.number }) else { return nil }
        return SyncError(
            .invalidArguments,
            "\(name) was awaited inside a method of the delegate, for whose return it would wait: "
                + "call it after the method has returned"
        )
    }

    func endCall(_ call: CallID, _ outcome: CallOutcome) {
        let (waiter, error) = protected.withLock { protected in
            (protected.waiters.removeValue(forKey: call), protected.error(of: outcome))
        }
        if case .flushed(let report, _) = outcome {
            waiter?.resume(returning: FlushReturn(report: report, error: error))
        } else if let error {
            waiter?.resume(throwing: error)
        } else {
            waiter?.resume(returning: nil)
        }
    }
}

/// What a flush gives its caller.
struct FlushReturn: Sendable {
    let report: FlushReport
    let error: (any Error)?
}

extension EngineShell {
    /// Sends what fits; whatever prevents that stands in the result.
    func flush(within duration: Duration) async -> FlushReturn {
        do {
            let result = try await call("flush") { .flushCalled($0, within: duration) }
            return result ?? FlushReturn(report: read(\.flushReport), error: nil)
        } catch {
            return FlushReturn(report: read(\.flushReport), error: error)
        }
    }
}
