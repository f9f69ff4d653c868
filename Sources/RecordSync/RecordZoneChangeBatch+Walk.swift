public import RecordModel
public import SyncCore

extension RecordZoneChangeBatch {
    /// Builds a batch from a list of changes, as CKSyncEngine does.
    ///
    /// Asks for each record to save, in the list's order, until the batch is full; deletions go in
    /// unasked. A nil answer passes the change over: it stays pending and is offered again at the
    /// next send, so remove it if the record is gone. A record stands behind the listed ones that
    /// it points to. Nil if nothing is in the batch.
    nonisolated(nonsending) public init?(
        pendingChanges: [PendingRecordZoneChange],
        recordProvider: nonisolated(nonsending) @Sendable (Record.ID) async throws -> Record?
    ) async rethrows {
        var builder = BatchBuilder(source: ListedChanges(pendingChanges), scope: .all)
        while case let question = builder.nextQuestion(), !question.isEmpty {
            var answers: [RecordProviderAnswer?] = []
            for id in question {
                answers.append(try await recordProvider(id).map { .record($0) })
            }
            builder.take(inOrder: answers)
        }
        guard var batch = builder.finish() else { return nil }
        // A position in a list says nothing of the engine's queue.
        batch.walk = nil
        self = batch
    }

    /// Builds the next batch from the engine's queue: the changes in the context's scope, in their
    /// order, each record behind its parent.
    ///
    /// Costs the same whatever the number of pending changes. A child whose parent is pending but
    /// cannot go along waits for it. If the provider throws, the batch fails and all changes stay.
    /// Nil if nothing is left to send now.
    nonisolated(nonsending) public init?(
        _ context: SendChangesContext,
        recordProvider:
            nonisolated(nonsending) @Sendable (Record.ID) async throws ->
            RecordProviderAnswer
    ) async rethrows {
        guard let source = context.source else { return nil }
        var builder = BatchBuilder(source: source, scope: context.options.scope)
        while case let question = builder.nextQuestion(), !question.isEmpty {
            var answers: [RecordProviderAnswer?] = []
            answers.reserveCapacity(question.count)
            for id in question { answers.append(try await recordProvider(id)) }
            builder.take(inOrder: answers)
        }
        guard let batch = builder.finish() else { return nil }
        self = batch
    }

    /// Builds the next batch as above, asking for many records at once.
    ///
    /// A record without an answer counts as `.later`: it is put off, never dropped.
    nonisolated(nonsending) public init?(
        _ context: SendChangesContext,
        recordsProvider:
            nonisolated(nonsending) @Sendable ([Record.ID]) async throws ->
            [Record.ID: RecordProviderAnswer]
    ) async rethrows {
        guard let source = context.source else { return nil }
        var builder = BatchBuilder(source: source, scope: context.options.scope)
        while case let question = builder.nextQuestion(), !question.isEmpty {
            builder.take(try await recordsProvider(question))
        }
        guard let batch = builder.finish() else { return nil }
        self = batch
    }
}
