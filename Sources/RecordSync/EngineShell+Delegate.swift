import RecordModel
import SyncCore

// Calls of the delegate: one at a time, as the core gives them out.

extension EngineShell {
    private static let thrownCountMax = 16

    /// Set in every task that runs a method of the delegate.
    @TaskLocal static var delivery: Delivery?

    /// Names one call of a delegate.
    struct Delivery: Sendable {
        let engine: ObjectIdentifier
        let number: UInt64
    }

    func deliver(_ id: EventID, _ event: SyncEvent) {
        callDelegate(id.number, handling: event) { delegate, engine in
            try await delegate.handleEvent(event, syncEngine: engine)
            return .eventHandled(id, didThrow: false)
        } onThrow: {
            .eventHandled(id, didThrow: true)
        }
    }

    func requestBatch(_ id: QuestionID, _ context: SendChangesContext) {
        let context = SendChangesContext(
            reason: context.reason,
            options: context.options,
            source: EngineQueue(shell: self)
        )
        callDelegate(id.number) { delegate, engine in
            let batch = try await delegate.nextRecordZoneChangeBatch(context, syncEngine: engine)
            return .batchProvided(id, batch)
        } onThrow: {
            .batchFailed(id)
        }
    }

    func requestFetchOptions(_ id: QuestionID, _ context: FetchChangesContext) {
        callDelegate(id.number) { delegate, engine in
            let options = try await delegate.nextFetchChangesOptions(context, syncEngine: engine)
            return .fetchOptionsProvided(id, options)
        } onThrow: {
            .fetchOptionsFailed(id)
        }
    }

    private func callDelegate(
        _ number: UInt64,
        handling event: SyncEvent? = nil,
        _ body:
            @escaping @Sendable (any SyncEngineDelegate, SyncEngine) async throws ->
            EngineInput,
        onThrow: @escaping @Sendable () -> EngineInput
    ) {
        let engine = protected.withLock { protected in
            protected.activeDelivery = number
            return protected.engine
        }
        guard let engine, let delegate else { return endCallsOfOrphan() }
        environment.launch { [weak self] in
            let marker = Delivery(engine: ObjectIdentifier(engine.shell), number: number)
            let input: EngineInput
            var handled = event.map { HandledEvent(event: $0, number: number) }
            do {
                input = try await Self.$delivery.withValue(marker) {
                    try await body(delegate, engine)
                }
            } catch {
                self?.keep(error, of: number)
                handled?.delegateError = error
                input = onThrow()
            }
            self?.protected.withLock { $0.activeDelivery = nil }
            if let handled {
                self?.handle(input, endingDeliveryOf: handled)
            } else {
                self?.handle(input)
            }
        }
    }

    private func keep(_ error: any Error, of number: UInt64) {
        protected.withLock { protected in
            protected.thrown.append((number, error))
            if protected.thrown.count > Self.thrownCountMax { protected.thrown.removeFirst() }
        }
    }
}
