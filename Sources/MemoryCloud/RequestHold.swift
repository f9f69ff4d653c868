public import RecordModel
import RecordSync

/// Stops one request on its way, so that a test can act while it is under way.
///
///     let hold = cloud.hold(.modifyRecords, from: "phone")
///     async let send: Void = phone.sendChanges()
///     try await hold.arrived()
///     // The server has saved the records, and the engine does not know.
///     hold.release()
///     try await send
public final class RequestHold: Sendable {
    /// Where a request is stopped.
    public enum Place: Hashable, Sendable {
        /// Before the server has seen it.
        case beforeServer
        /// After the server took it, with its answer ready.
        case beforeAnswer
    }

    let place: Place
    private let protected = Guarded(Protected())

    private struct Protected {
        var phase = Phase.open
        var watchers: [Int: CheckedContinuation<Void, any Error>] = [:]
        var nextWatcher = 0
    }

    private enum Phase {
        /// No request has come; one will be stopped.
        case open
        /// A request stands here.
        case holding(CheckedContinuation<SyncError?, Never>)
        /// Released, before or after a request came; with what the request fails.
        case released(SyncError?, didArrive: Bool)
    }

    init(place: Place) { self.place = place }

    /// Waits until a request stands here; returns at once if one does or did.
    public func arrived() async throws {
        let id = protected.withLock { protected in
            defer { protected.nextWatcher += 1 }
            return protected.nextWatcher
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isHere = protected.withLock { protected in
                    switch protected.phase {
                    case .holding, .released(_, didArrive: true): return true
                    case .open, .released(_, didArrive: false): break
                    }
                    protected.watchers[id] = continuation
                    return false
                }
                if isHere { continuation.resume() }
                // The task may have been cancelled before there was anything to cancel.
                if Task.isCancelled { cancelWatcher(id) }
            }
        } onCancel: {
            cancelWatcher(id)
        }
    }

    /// Lets the request go on; one that has not come yet will not be stopped.
    public func release() { release(with: nil) }

    /// Lets the request fail.
    ///
    /// One stopped before the server never reaches it; of one stopped before its answer, the answer
    /// is lost.
    public func release(failingWith error: SyncError) { release(with: error) }

    private func release(with error: SyncError?) {
        let stopped = protected.withLock { protected -> CheckedContinuation<SyncError?, Never>? in
            switch protected.phase {
            case .open:
                protected.phase = .released(error, didArrive: false)
                return nil
            case .holding(let continuation):
                protected.phase = .released(error, didArrive: true)
                return continuation
            case .released:
                return nil
            }
        }
        stopped?.resume(returning: error)
    }

    /// Stands here until released; gives what the request fails with.
    func stop() async -> SyncError? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                enter(continuation)
            }
        } onCancel: {
            release(with: Self.cancelled)
        }
    }

    private func enter(_ continuation: CheckedContinuation<SyncError?, Never>) {
        let (watchers, error) = protected.withLock { protected in
            let watchers = protected.watchers.sorted { $0.key < $1.key }.map(\.value)
            protected.watchers = [:]
            switch protected.phase {
            case .open, .holding:
                protected.phase = .holding(continuation)
                return (watchers, SyncError??.none)
            case .released(let error, _):
                protected.phase = .released(error, didArrive: true)
                return (watchers, .some(error))
            }
        }
        for watcher in watchers { watcher.resume() }
        if let error { continuation.resume(returning: error) }
    }

    private func cancelWatcher(_ id: Int) {
        let watcher = protected.withLock { $0.watchers.removeValue(forKey: id) }
        watcher?.resume(throwing: CancellationError())
    }

    private static let cancelled = SyncError(.networkFailure, "the request was cancelled")
}
