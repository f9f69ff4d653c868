package import RecordModel

/// The client's decisions: inputs in, effects out, in order, with no clock, chance or I/O.
///
/// Equal states, inputs, instants and seeds give equal effects. An input that belongs to something
/// that is over (an older request, another account) changes nothing.
package struct EngineCore: Sendable {
    package internal(set) var state: EngineState
    var session: EngineSession
    package let configuration: EngineConfiguration

    /// Makes a machine that goes on from a stored state, or begins anew.
    ///
    /// `replayedWriters` are the launches of which entries were replayed onto the stored snapshot.
    package init(
        state: EngineState = EngineState(),
        replayedWriters: Set<WriterID> = [],
        configuration: EngineConfiguration,
        now: EngineInstant
    ) {
        self.state = state
        self.configuration = configuration
        session = EngineSession(configuration: configuration, now: now)
        session.replayedWriters = replayedWriters
        session.firstFullFetchID = state.nextFullFetchID
        // A state of another database keeps its name: who made the engine refuses it.
        if state.databaseName == nil {
            self.state.databaseName = configuration.databaseName
            session.namesDatabase = true
        }
        restoreRetryDelay()
        guard configuration.isAutomatic else { return }
        beginLaunch()
        decide()
    }

    /// Moves the machine by one input.
    package mutating func handle(
        _ input: EngineInput,
        at now: EngineInstant
    ) -> [EngineEffect] {
        session.now = now
        endDueFlushes()
        route(input)
        startOperations()
        fillDelegatesHand()
        discardFolders()
        decide()
        defer { session.effects = [] }
        return session.effects
    }

    mutating func route(_ input: EngineInput) {
        noteAnswer(input)
        switch input {
        case .recordZoneChangesAdded(let changes): addRecordZoneChanges(changes)
        case .recordZoneChangesRemoved(let changes): removeRecordZoneChanges(changes)
        case .databaseChangesAdded(let changes): addDatabaseChanges(changes)
        case .databaseChangesRemoved(let changes): record(removal(of: changes))
        case .entryApplied(let entry, let isStored): applyEntry(entry, isStored: isStored)
        case .entryDiscarded(let entry): discardEntry(entry)
        case .untrackedChangesSet(let flag): setUntrackedChanges(flag)
        case .parkedChangesResumed: resumeParkedChanges()
        case .tokensReset(let scope): resetTokens(scope)
        case .fetchCalled(let call, let options): callFetch(call, options)
        case .sendCalled(let call, let options): callSend(call, options)
        case .flushCalled(let call, let duration): callFlush(call, within: duration)
        case .callAbandoned(let call): abandonCall(call)
        case .operationsCancelled: cancelOperations()
        case .accountStatusReceived(let id, let result): accountStatusReceived(id, result)
        case .accountMayHaveChanged: accountMayHaveChanged()
        case .notificationReceived: notificationReceived()
        case .notificationsEnded: notificationsEnded()
        case .conditionsChanged(let conditions): conditionsChanged(conditions)
        case .syncRequested(let priority): syncRequested(priority)
        case .woke: wake()
        case .databaseChangesFetched(let id, let result): databaseChangesFetched(id, result)
        case .zoneChangesFetched(let id, let result): zoneChangesFetched(id, result)
        case .zonesModified(let id, let result): zonesModified(id, result)
        case .recordsModified(let id, let result): recordsModified(id, result)
        case .outcomeReceived(let id, let result): outcomeReceived(id, result)
        case .assetAnswered(let id, let answer): assetAnswered(id, answer)
        case .eventHandled(let id, let didThrow): eventHandled(id, didThrow: didThrow)
        case .batchProvided(let id, let batch): batchProvided(id, batch)
        case .batchFailed(let id): batchFailed(id)
        case .fetchOptionsProvided(let id, let options): fetchOptionsProvided(id, options)
        case .fetchOptionsFailed(let id): fetchOptionsFailed(id)
        case .changeDropped(let change): dropChange(change)
        case .changesPostponed(let changes): postpone(changes)
        case .childBlocked(let child, let parent): block(child, until: parent)
        }
    }

    mutating func makeID() -> UInt64 {
        defer { session.nextID += 1 }
        return session.nextID
    }

    mutating func perform(_ effect: EngineEffect) {
        noteRequest(effect)
        session.effects.append(effect)
    }
}

#if PLANTED_BUGS
    extension EngineCore {
        /// True if the engine is to make this mistake; nothing else asks.
        func makes(_ bug: PlantedBug) -> Bool { configuration.plantedBugs.contains(bug) }
    }
#endif

extension EngineCore {
    /// When the machine must be woken next; nil while it waits for something else.
    package var nextDeadline: EngineInstant? {
        earlier(nextDeadlineOfWork, session.scheduler.decision?.nextDue)
    }

    /// The same without the poll of an engine that has nothing to do.
    package var nextDeadlineOfWork: EngineInstant? {
        let promised = earlier(earlier(session.stateUpdateDue, flushDue), requestDue)
        return earlier(promised, earlier(delegateDue, session.scheduler.decision?.nextDueOfWork))
    }

    private mutating func wake() {
        if let due = session.stateUpdateDue, due <= session.now {
            session.stateUpdateDue = nil
            if session.stateVersion != session.storedVersion {
                session.delegateQueue.addStateUpdate(.nothing)
            }
        }
        failOverdueRequests()
        startDuePasses()
    }

    private mutating func startOperations() {
        startNextSend()
        startNextFetch()
    }
}

private func earlier(_ left: EngineInstant?, _ right: EngineInstant?) -> EngineInstant? {
    guard let left else { return right }
    guard let right else { return left }
    return min(left, right)
}
