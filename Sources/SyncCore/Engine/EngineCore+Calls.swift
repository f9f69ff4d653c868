import RecordModel

// Calls of the app: how operations begin, join, wait, and are cancelled.

extension EngineCore {
    mutating func callSend(_ call: CallID, _ options: SendChangesOptions) {
        session.scheduler.situation.cancellation = nil
        session.send.waiting.append(
            SendOperation(calls: [call], reason: .manual, options: options)
        )
    }

    /// A fetch of the same zones that is already under way serves this call too.
    mutating func callFetch(_ call: CallID, _ options: FetchChangesOptions) {
        session.scheduler.situation.cancellation = nil
        if let current = session.fetch.current, !current.ending.mustStop,
            !session.fetch.isConcluding, current.calledOptions.scope == options.scope
        {
            session.fetch.current?.calls.append(call)
            return
        }
        session.fetch.waiting.append(
            FetchOperation(calls: [call], reason: .manual, options: options)
        )
    }

    mutating func startNextSend() {
        guard case .idle = session.send.phase, !session.send.waiting.isEmpty else { return }
        let operation = session.send.waiting.removeFirst()
        session.send.current = operation
        session.progress.beginSend()
        if let error = retryDelayError() { return stopSend(error) }
        forgetAccountVerification()
        redeliverThrownEvents()
        session.send.phase = .awaitingAccount
        if isAccountReady() { settleThenSend() }
    }

    mutating func startNextFetch() {
        guard case .idle = session.fetch.phase, !session.fetch.waiting.isEmpty else { return }
        let operation = session.fetch.waiting.removeFirst()
        session.fetch.current = operation
        session.progress.beginFetch(of: operation.calledOptions.scope)
        noteFetchBegan(operation)
        if let error = retryDelayError() { return stopFetch(error) }
        forgetAccountVerification()
        redeliverThrownEvents()
        session.fetch.phase = .awaitingAccount
        if isAccountReady() { settleThenFetch() }
    }

    /// A manual engine hears nothing between its calls, so each one asks again who is signed in.
    private mutating func forgetAccountVerification() {
        guard !configuration.isAutomatic else { return }
        if session.send.current == nil || session.fetch.current == nil {
            session.isAccountVerified = false
        }
    }

    /// Cancels everything: what waits ends at once, what runs ends with its `did…`.
    mutating func cancelOperations() {
        let error = SyncError(.operationCancelled, "cancelOperations was called")
        for operation in session.send.waiting { end(operation.calls, .failed(error)) }
        for operation in session.fetch.waiting { end(operation.calls, .failed(error)) }
        session.send.waiting = []
        session.fetch.waiting = []
        restAfterCancellation()
        cancelCurrentSend()
        cancelCurrentFetch()
    }

    /// The call's task was cancelled: its wait ends; the operation too, if nobody else waits.
    mutating func abandonCall(_ call: CallID) {
        end([call], .failed(SyncError(.operationCancelled, "the task that waited was cancelled")))
        session.send.waiting.removeAll { $0.calls == [call] }
        session.fetch.waiting.removeAll { $0.calls == [call] }
        if session.send.current?.calls.contains(call) == true {
            session.send.current?.calls.removeAll { $0 == call }
            // Nobody waits for its deadline any more, so nobody is woken for it.
            session.send.current?.flushDeadline = nil
            cancelCurrentSend()
        }
        if let current = session.fetch.current, current.calls.contains(call) {
            session.fetch.current?.calls.removeAll { $0 == call }
            // A fetch that the engine began by itself goes on without those who joined it.
            if current.calls.count == 1, current.reason == .manual { cancelCurrentFetch() }
        }
    }

    mutating func end(_ calls: [CallID], _ outcome: CallOutcome) {
        for call in calls {
            if let deadline = session.flushDeadlines.removeValue(forKey: call) {
                let report = flushReport(deadline: deadline)
                perform(.endCall(call, .flushed(report, ending: outcome)))
            } else {
                perform(.endCall(call, outcome))
                #if PLANTED_BUGS
                    if makes(.callEndsTwice) { perform(.endCall(call, outcome)) }
                #endif
            }
        }
    }

    private mutating func cancelCurrentSend() {
        guard session.send.current != nil else { return }
        session.send.current?.ending.isCancelled = true
        switch session.send.phase {
        case .idle, .awaitingDelegate, .storingZonesMark, .sendingZones, .askingZonesOutcome,
            .sendingBatch, .askingOutcome, .storingMark:
            // A request under way is finished, so that its outcome is known.
            return
        case .awaitingAccount, .awaitingSettlement, .askingForBatch, .preparingAssets:
            concludeSend()
        }
    }

    private mutating func cancelCurrentFetch() {
        guard session.fetch.current != nil else { return }
        session.fetch.current?.ending.isCancelled = true
        switch session.fetch.phase {
        case .idle, .awaitingDelegate:
            return
        case .fetchingDatabase(let id), .fetchingZone(let id, _):
            perform(.cancelRequest(id))
            concludeFetch()
        case .awaitingAccount, .awaitingSettlement, .askingOptions, .downloadingAssets,
            .holdingBack:
            concludeFetch()
        }
    }
}

// The server's wish to be left alone.

extension EngineCore {
    /// No request within a retry delay: a call is refused at once, with the seconds that remain.
    func retryDelayError() -> SyncError? {
        #if PLANTED_BUGS
            if makes(.retryDelayIgnored) { return nil }
        #endif
        guard let delay = state.retryDelay, delay.until > session.now else { return nil }
        let rest = (delay.until.monotonic - session.now.monotonic).inSeconds
        return SyncError(
            .requestRateLimited,
            "the server asked not to be called yet",
            retryAfterSeconds: rest
        )
    }

    /// Remembers how long the server wants to be left alone, or a zone of it.
    mutating func noteRetryDelay(of error: SyncError, zoneID: RecordZone.ID? = nil) {
        guard let seconds = error.retryAfterSeconds, seconds > 0 else { return }
        // A hostile number must not overflow.
        let length = Duration.seconds(min(seconds, EngineConfiguration.retryDelayMax.inSeconds))
        let until = session.now.advanced(by: length)
        switch error.code {
        case .requestRateLimited, .serviceUnavailable:
            if let present = state.retryDelay, present.until >= until { return }
            record(.retryDelaySet(.init(until: until, length: length)))
        case .zoneBusy:
            guard let zoneID else { return }
            session.zoneDelays.extend(zoneID, until: until, at: session.now)
        case _:
            return
        }
    }

    /// What remained when the state was stored, or what the wall clock leaves, if that is less.
    mutating func restoreRetryDelay() {
        guard let delay = state.retryDelay else { return }
        let millisecondsLeft =
            delay.until.wall.millisecondsSince1970 - session.now.wall.millisecondsSince1970
        let left = min(
            delay.length,
            .milliseconds(millisecondsLeft),
            EngineConfiguration.retryDelayMax
        )
        state.retryDelay =
            left > .zero
            ? .init(until: session.now.advanced(by: left), length: delay.length) : nil
    }
}
