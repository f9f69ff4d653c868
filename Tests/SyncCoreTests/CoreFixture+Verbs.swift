import CoreTestSupport
import RecordModel
import SyncCore

// What an app does.

extension CoreFixture {
    /// Changes the records in the app's store and says so to the engine.
    @discardableResult
    mutating func edit(_ ids: Record.ID...) -> [EngineEffect] { edit(ids) }

    @discardableResult
    mutating func edit(_ ids: [Record.ID]) -> [EngineEffect] {
        for id in ids {
            var record = records[id] ?? Record(recordType: "Note", recordID: id)
            let version: Int = record["version"] ?? 0
            record["version"] = version + 1
            records[id] = record
        }
        return handle(.recordZoneChangesAdded(ids.map { .saveRecord($0) }))
    }

    /// Makes a record below another one.
    @discardableResult
    mutating func edit(_ id: Record.ID, under parentID: Record.ID) -> [EngineEffect] {
        var record = records[id] ?? Record(recordType: "Note", recordID: id)
        record.setParent(parentID)
        records[id] = record
        return edit(id)
    }

    /// Deletes the records from the app's store and says so to the engine.
    @discardableResult
    mutating func delete(_ ids: Record.ID...) -> [EngineEffect] {
        for id in ids { records[id] = nil }
        return handle(.recordZoneChangesAdded(ids.map { .deleteRecord($0) }))
    }

    @discardableResult
    mutating func callSend(_ scope: SendChangesOptions.Scope = .all) -> CallID {
        let call = makeCall()
        handle(.sendCalled(call, SendChangesOptions(scope: scope)))
        return call
    }

    @discardableResult
    mutating func callFetch(_ options: FetchChangesOptions = FetchChangesOptions()) -> CallID {
        let call = makeCall()
        handle(.fetchCalled(call, options))
        return call
    }

    /// Calls `sendChanges` and lets app and server answer until nothing moves.
    @discardableResult
    mutating func send(_ scope: SendChangesOptions.Scope = .all) -> CallOutcome? {
        let call = callSend(scope)
        run()
        return ended[call]
    }

    /// Calls `fetchChanges` and lets app and server answer until nothing moves.
    @discardableResult
    mutating func fetch(_ options: FetchChangesOptions = FetchChangesOptions()) -> CallOutcome? {
        let call = callFetch(options)
        run()
        return ended[call]
    }

    var pending: [PendingRecordZoneChange] { core.pendingRecordZoneChanges }
}

// What the delegate does.

extension CoreFixture {
    /// The delegate returns from the event in its hands, or throws.
    @discardableResult
    mutating func handleEvent(throwing: Bool = false) -> [EngineEffect] {
        guard case .event(let id, let event) = hand else { return [] }
        hand = .empty
        if !throwing {
            events.append(event)
            store(event)
        }
        return handle(.eventHandled(id, didThrow: throwing))
    }

    /// Handles events until the delegate has something else in hand, or nothing.
    mutating func handleEvents() {
        while case .event = hand { handleEvent() }
    }

    /// The delegate answers with the engine's own walk over the queue.
    @discardableResult
    mutating func provideBatch() -> [EngineEffect] {
        guard case .batch(_, let context) = hand else { return [] }
        guard !isSilent else { return provideBatch(nil) }
        let walk = Walk(core, now: now)
        var builder = BatchBuilder(source: walk, scope: context.options.scope)
        while case let question = builder.nextQuestion(), !question.isEmpty {
            asked += question
            var given: [Record.ID: RecordProviderAnswer] = [:]
            for id in question { given[id] = answer(for: id) }
            builder.take(given)
        }
        var batch = builder.finish()
        batch?.atomicByZone = isAtomic
        core = walk.core
        for effect in walk.effects { take(effect) }
        return provideBatch(batch)
    }

    /// The delegate answers with a batch of its own, or with none.
    @discardableResult
    mutating func provideBatch(_ batch: RecordZoneChangeBatch?) -> [EngineEffect] {
        guard case .batch(let id, _) = hand else { return [] }
        hand = .empty
        return handle(.batchProvided(id, batch))
    }

    /// The delegate throws instead of answering.
    @discardableResult
    mutating func throwInQuestion() -> [EngineEffect] {
        switch hand {
        case .batch(let id, _):
            hand = .empty
            return handle(.batchFailed(id))
        case .fetchOptions(let id, _):
            hand = .empty
            return handle(.fetchOptionsFailed(id))
        case .empty, .event:
            return []
        }
    }

    private func answer(for id: Record.ID) -> RecordProviderAnswer {
        answers[id] ?? records[id].map { .record($0) } ?? .gone
    }
}

// What server and clock do.

extension CoreFixture {
    /// Goes on until the delegate is asked for a batch.
    mutating func runUntilAsked() {
        run { device in
            if case .batch = device.hand { true } else { false }
        }
    }

    /// Goes on until a batch has been sent and waits for its answer.
    mutating func runUntilSent() { run { $0.sentBatch != nil } }

    /// The batch that waits for its answer.
    var sentBatch: ModifyRecordsRequest? {
        for case .modifyRecords(_, let request, _) in requests { return request }
        return nil
    }

    /// The server answers the oldest request as it does.
    @discardableResult
    mutating func reply() -> [EngineEffect] {
        guard !requests.isEmpty else { return [] }
        return handle(server.answer(requests.removeFirst()))
    }

    /// The batch that was sent fails as a whole, without an effect on the server.
    @discardableResult
    mutating func reply(failing error: SyncError) -> [EngineEffect] {
        server.requestErrors = [error]
        return reply()
    }

    /// The server answers the batch, with these errors for some of its records.
    @discardableResult
    mutating func reply(failing errors: [Record.ID: SyncError]) -> [EngineEffect] {
        server.recordErrors = errors
        defer { server.recordErrors = [:] }
        return reply()
    }

    mutating func advance(by duration: Duration) { now = now.advanced(by: duration) }

    /// Lets the core's next deadline come, if there is one.
    @discardableResult
    mutating func wake() -> [EngineEffect] {
        guard let deadline = core.nextDeadline else { return [] }
        now = max(now, deadline)
        return handle(.woke)
    }

    /// Lets app and server answer until nothing moves, or until something holds.
    mutating func run(until isDone: (CoreFixture) -> Bool = { _ in false }) {
        for _ in 0..<100_000 {
            if isDone(self) { return }
            switch hand {
            case .event(_, let event):
                let throwing = onEvent(&self, event)
                handleEvent(throwing: throwing)
            case .batch: provideBatch()
            case .fetchOptions(let id, let context):
                hand = .empty
                handle(.fetchOptionsProvided(id, context.options))
            case .empty:
                guard !requests.isEmpty else { return }
                reply()
            }
        }
        faults.append("it goes on for ever")
    }
}
