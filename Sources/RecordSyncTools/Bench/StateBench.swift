#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif
import RecordSync
import Synchronization

/// What storing an engine's state costs while it sends many changes.
struct StateBench {
    /// What an app stores of each state update.
    enum Way: Sendable {
        /// The entries since the last update, behind those that are stored.
        case entries
        /// The whole state, in the place of the one that is stored.
        case snapshots
    }

    /// The figures of one run.
    struct Figures: Sendable {
        /// The CPU time for encoding and writing alone.
        var seconds = 0.0
        var updateCount = 0
        /// The size of the journal at the end.
        var journalByteCount = 0
    }

    let changeCount: Int
    let thread = BenchThread()

    /// Sends the changes, and stores every state update in a new folder.
    func run(_ way: Way) throws -> Figures {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("recordsync-bench-\(UInt64.random(in: 0 ... .max))")
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = try FileStateStore.open(folder.path, syncsToDisk: false).store
        let delegate = StoringNotes(store, way, snapshotPath: "\(folder.path)/bench")
        send(delegate)
        var figures = delegate.figures
        figures.journalByteCount = try contents(of: "\(folder.path)/journal").count
        return figures
    }

    private func send(_ delegate: StoringNotes) {
        var configuration = SyncEngine.Configuration(
            database: BenchDatabase(),
            stateSerialization: nil,
            delegate: delegate
        )
        configuration.automaticallySync = false
        configuration.environment.executor = thread
        configuration.environment.sleep = { _ in try await Task.sleep(for: .seconds(86_400)) }
        let engine = SyncEngine(configuration)
        for number in 0..<changeCount {
            delegate.notes.write(Bench.id(number).recordName, "note \(number)", engine)
        }
        thread.run {
            do {
                try await engine.sendChanges()
            } catch {
                preconditionFailure("a server that takes all answered \(error)")
            }
        }
        precondition(engine.state.pendingRecordZoneChangeCount == 0, "everything was sent")
    }
}

/// The README's delegate, which stores every state update too, with a watch.
private final class StoringNotes: SyncEngineDelegate {
    let notes = Notes()
    private let store: FileStateStore
    private let way: StateBench.Way
    private let snapshotPath: String
    private let measured = Mutex(StateBench.Figures())

    init(_ store: FileStateStore, _ way: StateBench.Way, snapshotPath: String) {
        self.store = store
        self.way = way
        self.snapshotPath = snapshotPath
    }

    var figures: StateBench.Figures { measured.withLock { $0 } }

    func handleEvent(_ event: SyncEngine.Event, syncEngine: SyncEngine) async throws {
        await notes.handleEvent(event, syncEngine: syncEngine)
        guard case .stateUpdate(let update) = event else { return }
        let start = BenchThread.cpuTime()
        try write(update)
        let time = BenchThread.cpuTime() - start
        measured.withLock { figures in
            figures.seconds += time.nanoseconds / 1e9
            figures.updateCount += 1
        }
    }

    /// Encodes what the way of storing asks for, and writes it.
    private func write(_ update: SyncEngine.Event.StateUpdate) throws {
        switch way {
        case .entries:
            try store.append(update.entries)
        case .snapshots:
            try Data(update.stateSerialization.bytes)
                .write(to: URL(fileURLWithPath: snapshotPath))
        }
    }

    func nextRecordZoneChangeBatch(
        _ context: SyncEngine.SendChangesContext,
        syncEngine: SyncEngine
    ) async -> SyncEngine.RecordZoneChangeBatch? {
        await notes.nextRecordZoneChangeBatch(context, syncEngine: syncEngine)
    }
}
