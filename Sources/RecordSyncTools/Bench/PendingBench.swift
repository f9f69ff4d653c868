import RecordSync
import SyncCore
import Synchronization

/// What a step of an engine costs while many changes are pending.
struct PendingBench {
    /// The figures for one number of pending changes, each the best of three.
    struct Row: Sendable {
        var pending: Int
        /// One more `add`.
        var add: Duration
        /// A batch of 250 taken: asked for, built by the delegate, marked as in flight.
        var batch: Duration
        /// Its answer handled: the event handled by the delegate, the changes gone.
        var answer: Duration
        /// A state update handed out, with the first change of the state after it.
        var update: Duration
        /// The longest single `add`.
        var longestAdd: Duration
        var bytesPerChange: Double
    }

    /// Who sends, and what.
    enum Situation: CaseIterable {
        /// A call sends what is pending in one zone.
        case called
        /// A call leaves out the zone of nine in ten changes.
        case mostExcluded
        /// The engine sends by itself.
        case automatic

        var title: String {
            switch self {
            case .called: "all in one zone"
            case .mostExcluded: "nine of ten in one excluded zone"
            case .automatic: "an automatic engine"
            }
        }
    }

    static let batchCount = 3
    private static let addCount = 2_000

    let thread = BenchThread()

    /// Measures with `count` changes.
    func row(_ count: Int, _ situation: Situation) -> Row {
        let bench = Bench(thread: thread, isAutomatic: situation == .automatic)
        bench.fill(count, excludesMost: situation == .mostExcluded)
        let memory = bench.engine.state.queueByteCount
        let (add, longestAdd) = measureAdds(bench.engine)
        let update = measureUpdates(bench.engine)
        switch situation {
        case .called: bench.send(.init(), batchCountMax: Self.batchCount)
        case .mostExcluded:
            let scope = SendChangesOptions.Scope.allExcluding([Bench.excludedZone])
            bench.send(.init(scope: scope), batchCountMax: Self.batchCount)
        case .automatic: bench.letSend(batchCountMax: Self.batchCount)
        }
        precondition(!bench.answerTimes.isEmpty, "batches were sent")
        return Row(
            pending: count,
            add: add,
            batch: bench.delegate.batchTimes.min() ?? .zero,
            answer: bench.answerTimes.min() ?? .zero,
            update: update,
            longestAdd: longestAdd,
            bytesPerChange: Double(memory) / Double(count)
        )
    }

    /// The CPU time of sending `count` changes.
    func drain(_ count: Int) -> Duration {
        let bench = Bench(thread: thread)
        bench.fill(count, excludesMost: false)
        let time = BenchThread.measure { bench.send(.init(), batchCountMax: .max) }
        precondition(bench.engine.state.pendingRecordZoneChangeCount == 0, "everything was sent")
        return time
    }

    private func measureAdds(_ engine: SyncEngine) -> (mean: Duration, longest: Duration) {
        var best = Duration.seconds(1_000)
        var longest = Duration.seconds(1_000)
        for round in 0..<3 {
            let changes = (0..<Self.addCount).map {
                PendingRecordZoneChange.saveRecord(Bench.id(1_000_000_000 + $0 + round * 10_000))
            }
            var times: [Duration] = []
            times.reserveCapacity(changes.count)
            for change in changes {
                times.append(
                    BenchThread.measure { engine.state.add(pendingRecordZoneChanges: [change]) }
                )
            }
            let sum = times.reduce(.zero, +)
            best = min(best, sum / times.count)
            longest = min(longest, times.max() ?? .zero)
            engine.state.remove(pendingRecordZoneChanges: changes)
        }
        return (best, longest)
    }

    private func measureUpdates(_ engine: SyncEngine) -> Duration {
        var best = Duration.seconds(1_000)
        for number in 0..<30 {
            let change = PendingRecordZoneChange.saveRecord(Bench.id(2_000_000_000 + number))
            var held: StateSerialization?
            let time = BenchThread.measure {
                held = engine.state.serialization
                engine.state.add(pendingRecordZoneChanges: [change])
            }
            precondition(held != nil, "the state was handed out")
            best = min(best, time)
            engine.state.remove(pendingRecordZoneChanges: [change])
        }
        return best
    }
}
