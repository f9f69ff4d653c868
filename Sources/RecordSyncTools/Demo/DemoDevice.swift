internal import RecordModel
internal import RecordSync
internal import SyncCore
internal import Synchronization

/// A device of the demonstration: an app that owns its store, and the engine it embeds.
///
/// One of these is one launch; a relaunch makes another from the same store.
final class DemoDevice: SyncEngineDelegate {
    let name: String
    private let database: any SyncDatabase
    private let fields: DemoFields
    private let zoneIDs: [RecordZone.ID]
    private let progress: DemoProgress
    private let store: Mutex<DemoStore>
    /// Set once, at the end of `init`: the engine needs its delegate.
    private let embedded = Mutex<SyncEngine?>(nil)

    /// Rounds without any progress before a send is given up.
    private static let idleRoundCountMax = 3

    /// Launches the app; the zones are those that it wants to be there.
    init(
        _ name: String,
        database: any SyncDatabase,
        fields: DemoFields,
        zoneIDs: [RecordZone.ID] = [],
        progress: DemoProgress,
        store: DemoStore = DemoStore()
    ) {
        self.name = name
        self.database = database
        self.fields = fields
        self.zoneIDs = zoneIDs
        self.progress = progress
        self.store = Mutex(store)
        var configuration = SyncEngine.Configuration(
            database: database,
            stateSerialization: store.state,
            delegate: self
        )
        configuration.automaticallySync = false
        configuration.environment = .standingStill
        let engine = SyncEngine(configuration)
        embedded.withLock { $0 = engine }
    }

    private var engine: SyncEngine {
        guard let engine = embedded.withLock({ $0 }) else {
            preconditionFailure("a device has its engine from its first moment on")
        }
        return engine
    }

    /// What the device keeps at this moment.
    var contents: DemoStore { store.withLock { $0 } }

    var hasPendingChanges: Bool {
        engine.state.pendingRecordZoneChangeCount > 0
            || !engine.state.pendingDatabaseChanges.isEmpty
    }

    /// The app ends and starts again: only what it stored is left, the state as its bytes.
    func relaunched() throws -> DemoDevice {
        var kept = contents
        kept.diary.relaunches.append(engine.state.pendingRecordZoneChangeCount)
        kept.state = try kept.state.map { state in try StateSerialization(bytes: state.bytes) }
        return DemoDevice(
            name,
            database: database,
            fields: fields,
            zoneIDs: zoneIDs,
            progress: progress,
            store: kept
        )
    }

    /// Loses a record that nobody deleted, as an app with a mistake does.
    func lose(_ id: Record.ID) { store.withLock { $0.rows[id] = nil } }
}

// What the app does. A change of its store, the pending change and the state that holds it belong
// together: one lock, as it would be one transaction.

extension DemoDevice {
    func importRecords(_ records: [Record]) {
        insert(records) { $0.importedCount += records.count }
    }

    func create(_ records: [Record]) {
        insert(records) { $0.createdCount += records.count }
    }

    private func insert(_ records: [Record], note: (inout DemoDiary) -> Void) {
        store.withLock { store in
            for record in records { store.rows[record.recordID] = .init(record: record) }
            note(&store.diary)
            queue(records.map { .saveRecord($0.recordID) }, &store)
        }
    }

    func make(_ edits: [DemoEdit]) {
        store.withLock { store in
            for edit in edits {
                guard var row = store.rows[edit.recordID] else { continue }
                edit.apply(to: &row.record, fields)
                row.version += 1
                store.rows[edit.recordID] = row
                store.diary.editedCount += 1
            }
            queue(edits.map { .saveRecord($0.recordID) }, &store)
        }
    }

    func delete(_ ids: [Record.ID]) {
        store.withLock { store in
            for id in ids {
                store.rows[id] = nil
                store.deletedIDs.insert(id)
            }
            store.diary.removedCount += ids.count
            queue(ids.map { .deleteRecord($0) }, &store)
        }
    }

    private func queue(_ changes: [PendingRecordZoneChange], _ store: inout DemoStore) {
        engine.state.add(pendingRecordZoneChanges: changes)
        store.state = engine.state.serialization
    }

    /// Sends until nothing is pending, in as many calls as it takes.
    func sendAll() async throws {
        var idleRoundCount = 0
        while hasPendingChanges {
            let before = contents.diary.settledCount
            do {
                try await engine.sendChanges()
            } catch let error as SyncError where error.code == .partialFailure {
                // The delegate was told of each item that failed.
            }
            idleRoundCount = contents.diary.settledCount > before ? 0 : idleRoundCount + 1
            guard idleRoundCount <= Self.idleRoundCountMax else {
                let count = engine.state.pendingRecordZoneChangeCount
                throw JobError("device \(name) cannot send \(count) of its changes")
            }
        }
    }

    func fetch() async throws { try await engine.fetchChanges() }
}

// What the engine asks and tells.

extension DemoDevice {
    func handleEvent(_ event: SyncEngine.Event, syncEngine: SyncEngine) async {
        store.withLock { $0.diary.eventCounts[SyncEvent.Kind(event), default: 0] += 1 }
        switch event {
        case .stateUpdate(let update):
            store.withLock { $0.state = update.stateSerialization }
        case .accountChange(let change):
            guard case .signIn = change.changeType else { return }
            let zones = zoneIDs.map { PendingDatabaseChange.saveZone(RecordZone(zoneID: $0)) }
            syncEngine.state.add(pendingDatabaseChanges: zones)
        case .fetchedDatabaseChanges(let changes):
            let goneIDs = Set(changes.deletions.map(\.zoneID))
            guard !goneIDs.isEmpty else { return }
            store.withLock { store in
                store.rows = store.rows.filter { !goneIDs.contains($0.key.zoneID) }
            }
        case .fetchedRecordZoneChanges(let changes):
            store.withLock { $0.take(changes) }
            progress.advance(by: changes.modifications.count + changes.deletions.count)
        case .sentRecordZoneChanges(let sent):
            store.withLock { store in
                let again = store.take(sent, on: name, fields)
                guard !again.isEmpty else { return }
                queue(again.map { .saveRecord($0) }, &store)
            }
            progress.advance(by: sent.savedRecords.count + sent.deletedRecordIDs.count)
        case .sentDatabaseChanges, .willFetchChanges, .willFetchRecordZoneChanges,
            .didFetchRecordZoneChanges, .didFetchChanges, .willSendChanges, .didSendChanges,
            .abandonedChanges:
            return
        }
    }

    func nextRecordZoneChangeBatch(
        _ context: SyncEngine.SendChangesContext,
        syncEngine: SyncEngine
    ) async -> SyncEngine.RecordZoneChangeBatch? {
        await SyncEngine.RecordZoneChangeBatch(context) { ids in
            self.store.withLock { store in
                var answers: [Record.ID: RecordProviderAnswer] = [:]
                for id in ids {
                    answers[id] =
                        store.rows[id].map { row in
                            .record(row.record, localVersion: row.localVersion)
                        } ?? .gone
                }
                return answers
            }
        }
    }
}

extension DemoDiary {
    /// Grows whenever the server settles a change.
    fileprivate var settledCount: Int {
        sentRecordCount + sentDeletionCount + conflicts.count + refusals.count
    }
}

extension EngineEnvironment {
    /// Clocks that stand still: nothing that the engine does depends on how fast the machine is,
    /// so the same input gives the same events.
    fileprivate static var standingStill: EngineEnvironment {
        var environment = EngineEnvironment.system
        let start = environment.now()
        environment.now = { start }
        environment.sleep = { _ in
            let longerThanAnyRun = Duration.seconds(365 * 24 * 60 * 60)
            try await Task.sleep(for: longerThanAnyRun)
        }
        return environment
    }
}
