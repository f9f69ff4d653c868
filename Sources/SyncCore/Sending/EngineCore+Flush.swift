import RecordModel

// A flush: a send that begins no batch after its deadline, and returns what is left by then.

/// What a flush gives its caller, beside its error.
package struct FlushReport: Hashable, Sendable {
    /// Zones of which something is left.
    package var zones: [RemainingChanges.Zone]
    /// True while the app has changes that it does not list.
    package var hasUntrackedChanges: Bool
    /// True if the deadline ended the wait.
    package var isDeadlineReached: Bool

    package init(
        zones: [RemainingChanges.Zone],
        hasUntrackedChanges: Bool,
        isDeadlineReached: Bool
    ) {
        self.zones = zones
        self.hasUntrackedChanges = hasUntrackedChanges
        self.isDeadlineReached = isDeadlineReached
    }
}

extension EngineCore {
    /// What a flush would say now.
    package var flushReport: FlushReport { flushReport(deadline: nil) }

    func flushReport(deadline: EngineInstant?) -> FlushReport {
        FlushReport(
            zones: remainingChanges,
            hasUntrackedChanges: state.hasPendingUntrackedChanges,
            isDeadlineReached: deadline.map { $0 <= session.now } ?? false
        )
    }

    mutating func callFlush(_ call: CallID, within duration: Duration) {
        // An unreasonable number must not overflow.
        let duration = min(max(duration, .zero), EngineConfiguration.flushDurationMax)
        let deadline = session.now.advanced(by: duration)
        session.flushDeadlines[call] = deadline
        var operation = SendOperation(calls: [call], reason: .manual, options: .init())
        operation.flushDeadline = deadline
        session.send.waiting.append(operation)
        endDueFlushes()
    }

    /// The earliest deadline of a flush that waits or runs.
    var flushDue: EngineInstant? {
        var due = session.send.current?.flushDeadline
        for deadline in session.send.waiting.compactMap(\.flushDeadline) {
            due = due.map { min($0, deadline) } ?? deadline
        }
        return due
    }

    /// Lets flushes return whose deadline has come; no batch of theirs leaves any more.
    ///
    /// A send that the engine began by itself ends with them: nothing new leaves at the deadline.
    mutating func endDueFlushes() {
        guard !session.flushDeadlines.isEmpty, let flushDue, flushDue <= session.now else {
            return
        }
        let now = session.now
        var calls: [CallID] = []
        if let current = session.send.current, current.isFlushDue(at: now) {
            calls = current.calls
            session.send.current?.calls = []
            session.send.current?.flushDeadline = nil
            cutShortCurrentSend()
        } else if session.send.current?.reason == .scheduled {
            cutShortCurrentSend()
        }
        calls += session.send.waiting.filter { $0.isFlushDue(at: now) }.flatMap(\.calls)
        session.send.waiting.removeAll { $0.isFlushDue(at: now) }
        end(calls, .returned)
    }

    /// Ends the present send before its next batch; a request under way is finished.
    private mutating func cutShortCurrentSend() {
        session.send.current?.ending.isCutShort = true
        switch session.send.phase {
        case .idle, .awaitingDelegate, .sendingZones, .askingZonesOutcome, .sendingBatch,
            .askingOutcome:
            return
        case .storingMark(let flight):
            // It has not left, and does not leave now: it is pending again without a word.
            takeBackUnsent(flight.key)
            concludeSend()
        case .storingZonesMark(let key):
            takeBackUnsentZones(key)
            concludeSend()
        case .awaitingAccount, .awaitingSettlement, .askingForBatch, .preparingAssets:
            concludeSend()
        }
    }
}

extension FlushReport: CustomStringConvertible {
    /// How much is left, for transcripts.
    package var description: String {
        let count = zones.reduce(0) { $0 + $1.remaining.total }
        return "\(count) left" + (isDeadlineReached ? " at the deadline" : "")
    }
}

extension SendOperation {
    fileprivate func isFlushDue(at now: EngineInstant) -> Bool {
        flushDeadline.map { $0 <= now } ?? false
    }
}
