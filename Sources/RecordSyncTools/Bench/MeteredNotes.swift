import RecordSync
import Synchronization

/// The README's delegate with a watch.
final class MeteredNotes: SyncEngineDelegate {
    let notes = Notes()
    private let watch = Mutex(Watch())

    private struct Watch {
        var batchStart: Duration?
        var batches: [Duration] = []
        var questions: [Duration] = []
        var batchesLeft = Int.max
    }

    /// From each question for a batch to the state update that marks it as in flight.
    var batchTimes: [Duration] { watch.withLock { $0.batches } }
    /// When each question for a batch came, in the thread's CPU time.
    var questionTimes: [Duration] { watch.withLock { $0.questions } }

    /// Gives no more than so many batches from now on.
    func limitBatches(to count: Int) { watch.withLock { $0.batchesLeft = count } }

    func handleEvent(_ event: SyncEngine.Event, syncEngine: SyncEngine) async {
        if case .stateUpdate = event {
            watch.withLock { watch in
                guard let start = watch.batchStart else { return }
                watch.batches.append(BenchThread.cpuTime() - start)
                watch.batchStart = nil
            }
        }
        await notes.handleEvent(event, syncEngine: syncEngine)
    }

    func nextRecordZoneChangeBatch(
        _ context: SyncEngine.SendChangesContext,
        syncEngine: SyncEngine
    ) async -> SyncEngine.RecordZoneChangeBatch? {
        let mayGoOn = watch.withLock { watch in
            watch.questions.append(BenchThread.cpuTime())
            guard watch.batchesLeft > 0 else { return false }
            watch.batchesLeft -= 1
            watch.batchStart = watch.questions.last
            return true
        }
        guard mayGoOn else { return nil }
        return await notes.nextRecordZoneChangeBatch(context, syncEngine: syncEngine)
    }
}
