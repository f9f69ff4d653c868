import RecordModel
import SyncCore

// Events for others than the delegate: they see what it has handled, and hold nothing up.

/// An event that the delegate returned from.
struct HandledEvent: Sendable {
    let event: SyncEvent
    let number: UInt64
    var delegateError: (any Error)?
}

/// Who observes an engine's events.
struct EventObservers {
    typealias Target = AsyncStream<SyncEngine.ObservedEvents.Numbered>.Continuation

    /// In the order of their coming.
    var targets: [(id: UInt64, target: Target)] = []
    var nextID: UInt64 = 1
    /// The number of the newest event that was to be shown.
    var shownNumber: UInt64 = 0
}

extension EngineShell {
    /// Makes an observer of all events that the delegate handles from now on.
    func observeEvents() -> SyncEngine.ObservedEvents {
        let (stream, target) = AsyncStream.makeStream(
            of: SyncEngine.ObservedEvents.Numbered.self,
            bufferingPolicy: .bufferingNewest(SyncEngine.ObservedEvents.bufferedEventCountMax)
        )
        let (id, start) = protected.withLock { protected in
            let id = protected.observers.nextID
            protected.observers.nextID += 1
            protected.observers.targets.append((id, target))
            return (id, protected.observers.shownNumber)
        }
        target.onTermination = { [weak self] _ in self?.removeObserver(id) }
        return SyncEngine.ObservedEvents(stream: stream, start: start)
    }

    private func removeObserver(_ id: UInt64) {
        let removed = protected.withLock { protected in
            let removed = protected.observers.targets.filter { $0.id == id }
            protected.observers.targets.removeAll { $0.id == id }
            return removed
        }
        // Let go of it outside of the lock.
        _ = removed
    }

    /// Gives every observer an event; one that does not take it in time has it dropped.
    func show(_ event: SyncEngine.ObservedEvents.Numbered) {
        let targets = protected.withLock { $0.observers.targets }
        for (_, target) in targets { target.yield(event) }
    }

    func endObservation() {
        let targets = protected.withLock { $0.observers.targets }
        for (_, target) in targets { target.finish() }
    }
}

extension EngineShell.Protected {
    /// Puts an event that was handled before what follows from it, if anybody observes.
    mutating func show(_ handled: HandledEvent, at now: EngineInstant) {
        guard !observers.targets.isEmpty else { return }
        observers.shownNumber += 1
        let event = SyncEngine.ObservedEvent(
            event: handled.event,
            id: .init(writer: core.configuration.writer, number: handled.number),
            instant: now.wall,
            delegateError: handled.delegateError,
            progress: core.progress
        )
        outbox.append(.show(.init(number: observers.shownNumber, event: event)))
    }
}
