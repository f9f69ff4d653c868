public import RecordModel
public import RecordSync

/// A delegate that keeps everything it is told, and has a table of records to send.
///
/// It does what a small app does: it stores the newest state, puts fetched records into its table
/// and the server's stamps on saved ones, and answers batches from the table through the engine's
/// own walk. A record that was edited and not sent keeps its fields; a conflict is left alone.
/// Handlers come before all that, and may throw.
public final class RecordingDelegate: SyncEngineDelegate {
    private let protected: Guarded<Protected>

    /// Does something at an event; its number counts the events of that kind, from 1.
    public typealias EventHandler =
        @Sendable (SyncEngine.Event, _ number: Int, SyncEngine) async throws -> Void
    /// Answers a question for a batch; its number counts the questions, from 1.
    public typealias BatchHandler =
        @Sendable (SyncEngine.SendChangesContext, _ number: Int, SyncEngine) async throws ->
        SyncEngine.RecordZoneChangeBatch?
    /// Answers a question for the order of zones; its number counts the questions, from 1.
    public typealias FetchOptionsHandler =
        @Sendable (SyncEngine.FetchChangesContext, _ number: Int, SyncEngine) async throws ->
        SyncEngine.FetchChangesOptions

    fileprivate struct Protected {
        var records: [Record.ID: Record]
        var state: SyncEngine.State.Serialization?
        var events: [SyncEngine.Event] = []
        var eventCounts: [EventKind: Int] = [:]
        var handlers: [(kind: EventKind?, handler: EventHandler)] = []
        var batchHandler: BatchHandler?
        var fetchOptionsHandler: FetchOptionsHandler?
        var batchQuestionCount = 0
        var fetchOptionsQuestionCount = 0
    }

    /// Makes a delegate with records, and the state that was stored last.
    public init(
        records: [Record] = [],
        state: SyncEngine.State.Serialization? = nil
    ) {
        var table: [Record.ID: Record] = [:]
        for record in records { table[record.recordID] = record }
        protected = Guarded(Protected(records: table, state: state))
    }

    // MARK: What it was told

    /// Every event, in the order of their coming; those at which a handler threw too.
    public var events: [SyncEngine.Event] { protected.withLock { $0.events } }

    /// Every event as a line.
    public var eventDescriptions: [String] { events.map(\.description) }

    /// The kinds of all events but state updates.
    public var eventKinds: [EventKind] { events.map(EventKind.init).filter { $0 != .stateUpdate } }

    /// The newest state it was handed; the one it was made with before any.
    public var state: SyncEngine.State.Serialization? { protected.withLock { $0.state } }

    /// How often it was asked for a batch.
    public var batchQuestionCount: Int { protected.withLock { $0.batchQuestionCount } }

    /// Forgets the events so far; their numbers go on.
    public func forgetEvents() { protected.withLock { $0.events = [] } }

    // MARK: Its records

    /// The records that batches are answered from.
    public var records: [Record.ID: Record] {
        get { protected.withLock { $0.records } }
        set { protected.withLock { $0.records = newValue } }
    }

    /// One of its records.
    public subscript(recordID: Record.ID) -> Record? {
        get { protected.withLock { $0.records[recordID] } }
        set { protected.withLock { $0.records[recordID] = newValue } }
    }

    // MARK: What it does

    /// Does something at every event of a kind, or of any, before the delegate's own work.
    ///
    /// If it throws, the delegate does not do its own work either.
    public func onEvent(_ kind: EventKind? = nil, _ handler: @escaping EventHandler) {
        protected.withLock { $0.handlers.append((kind, handler)) }
    }

    /// Throws an error at one event of a kind, the n-th from the beginning.
    public func throwError(_ error: any Error, at kind: EventKind, number wanted: Int = 1) {
        onEvent(kind) { _, number, _ in if number == wanted { throw error } }
    }

    /// Answers questions for batches in the place of the records' table; nil for the table.
    public func onBatch(_ handler: BatchHandler?) {
        protected.withLock { $0.batchHandler = handler }
    }

    /// Answers questions for the order of zones; nil for the fetch's own options.
    public func onFetchOptions(_ handler: FetchOptionsHandler?) {
        protected.withLock { $0.fetchOptionsHandler = handler }
    }
}

// What the engine calls.

extension RecordingDelegate {
    /// Keeps the event, calls the handlers, and does what a small app does.
    public func handleEvent(_ event: SyncEngine.Event, syncEngine: SyncEngine) async throws {
        let kind = EventKind(event)
        let (number, handlers) = protected.withLock { protected in
            protected.events.append(event)
            protected.eventCounts[kind, default: 0] += 1
            let handlers = protected.handlers.filter { $0.kind == nil || $0.kind == kind }
            return (protected.eventCounts[kind] ?? 0, handlers.map(\.handler))
        }
        for handler in handlers { try await handler(event, number, syncEngine) }
        protected.withLock { $0.apply(event) }
    }

    /// Answers from the records' table, through the engine's own walk.
    public func nextRecordZoneChangeBatch(
        _ context: SyncEngine.SendChangesContext,
        syncEngine: SyncEngine
    ) async throws -> SyncEngine.RecordZoneChangeBatch? {
        let (handler, number) = protected.withLock { protected in
            protected.batchQuestionCount += 1
            return (protected.batchHandler, protected.batchQuestionCount)
        }
        if let handler { return try await handler(context, number, syncEngine) }
        return await SyncEngine.RecordZoneChangeBatch(context) {
            self[$0].map { .record($0) } ?? .gone
        }
    }

    /// Goes on with the fetch's own options, unless there is a handler.
    public func nextFetchChangesOptions(
        _ context: SyncEngine.FetchChangesContext,
        syncEngine: SyncEngine
    ) async throws -> SyncEngine.FetchChangesOptions {
        let (handler, number) = protected.withLock { protected in
            protected.fetchOptionsQuestionCount += 1
            return (protected.fetchOptionsHandler, protected.fetchOptionsQuestionCount)
        }
        return try await handler?(context, number, syncEngine) ?? context.options
    }
}

extension RecordingDelegate.Protected {
    fileprivate mutating func apply(_ event: SyncEngine.Event) {
        switch event {
        case .stateUpdate(let update):
            state = update.stateSerialization
        case .fetchedRecordZoneChanges(let changes):
            // An unsent edit stays: it meets the server's record as a conflict when it is sent.
            for change in changes.modifications where !hasEdit(of: change.record.recordID) {
                records[change.record.recordID] = change.record
            }
            for deletion in changes.deletions where !hasEdit(of: deletion.recordID) {
                records[deletion.recordID] = nil
            }
        case .fetchedDatabaseChanges(let changes):
            let gone = Set(changes.deletions.map(\.zoneID))
            if !gone.isEmpty { records = records.filter { !gone.contains($0.key.zoneID) } }
        case .sentRecordZoneChanges(let sent):
            for record in sent.savedRecords {
                guard let local = records[record.recordID] else { continue }
                records[record.recordID] = record.with(fieldsOf: local)
            }
            // A page that came before the deletion was sent may have brought the record back.
            for recordID in sent.deletedRecordIDs where !hasEdit(of: recordID) {
                records[recordID] = nil
            }
        case .accountChange, .sentDatabaseChanges, .willFetchChanges,
            .willFetchRecordZoneChanges, .didFetchRecordZoneChanges, .didFetchChanges,
            .willSendChanges, .didSendChanges, .abandonedChanges:
            break
        }
    }
}

extension RecordingDelegate.Protected {
    private func hasEdit(of recordID: Record.ID) -> Bool {
        records[recordID].map { !$0.changedKeys().isEmpty } ?? false
    }
}

extension Record {
    /// This version with the fields of a local copy, which may have been edited meanwhile.
    fileprivate func with(fieldsOf local: Record) -> Record {
        var record = self
        record.parent = local.parent
        let encryptedKeys = Set(local.encryptedValues.allKeys() + encryptedValues.allKeys())
        for key in Set(local.allKeys() + allKeys()) {
            let value: RecordValue? = local[key]
            if !encryptedKeys.contains(key) { record[key] = value }
        }
        for key in encryptedKeys { record.encryptedValues[key] = local.encryptedValues[key] }
        return record
    }
}
