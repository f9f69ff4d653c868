import RecordModel

// Journal entries: each durable change has one, and what the app asks for can have it before the
// change is made.

extension EngineCore {
    /// Makes the entry of a change of the app without making the change.
    ///
    /// Nothing is offered, sent or put in a snapshot of it before it is applied.
    package mutating func prepare(_ change: StateChange) -> JournalEntry {
        let entry = makeEntry(change)
        session.preparedNumbers.insert(entry.id.number)
        return entry
    }

    /// The change that removes pending changes, with the entries that added them.
    package func removal(of changes: [PendingRecordZoneChange]) -> StateChange {
        .recordChangesRemoved(changes.map { .init(change: $0, entry: entry(of: $0)) })
    }

    /// The change that removes pending changes of zones, with the entries that added them.
    package func removal(of changes: [PendingDatabaseChange]) -> StateChange {
        let ended = state.databaseChanges.entries.filter { changes.contains($0.change) }
        return settling(ended)
    }

    private func settling(_ entries: [PendingZoneChanges.Entry]) -> StateChange {
        .databaseChangesSettled(ending(entries))
    }

    func ending(_ entries: [PendingZoneChanges.Entry]) -> [StateChange.EndedZoneChange] {
        entries.map { .init(change: $0.change, entry: state.entry(of: $0.origin)) }
    }

    /// Performs a durable change of the state under a journal entry of its own, and gives its id.
    @discardableResult
    mutating func record(_ change: StateChange) -> IdempotencyKey {
        let entry = makeEntry(change)
        commit(entry, isStored: false)
        return entry.id
    }

    /// Makes the change of an entry of the app; one that was made already is no change.
    ///
    /// `isStored` says that the app keeps the entry itself: no state update need bring it.
    mutating func applyEntry(_ entry: JournalEntry, isStored: Bool) {
        if entry.id.writer == configuration.writer {
            session.preparedNumbers.remove(entry.id.number)
        } else {
            noteForeignEntry(entry.id)
        }
        guard !state.covers(entry.id) else { return }
        let lanes = lanes(before: entry.change)
        commit(entry, isStored: isStored)
        noteRaised(since: lanes)
        followUp(entry.change)
    }

    private mutating func noteForeignEntry(_ id: IdempotencyKey) {
        let known = session.foreignEntries.firstIndex { $0.writer == id.writer }
        let position = known ?? session.foreignEntries.count
        if known == nil { session.foreignEntries.append(.init(writer: id.writer)) }
        session.foreignEntries[position].covered.insert(id.number)
    }

    mutating func discardEntry(_ entry: JournalEntry) {
        guard entry.id.writer == configuration.writer,
            session.preparedNumbers.contains(entry.id.number)
        else { return }
        session.preparedNumbers.remove(entry.id.number)
        state.coverDiscarded(entry.id)
    }

    private mutating func makeEntry(_ change: StateChange) -> JournalEntry {
        defer { session.nextEntry += 1 }
        let id = IdempotencyKey(writer: configuration.writer, number: session.nextEntry)
        var context = EntryContext()
        if session.namesDatabase { context.databaseName = state.databaseName }
        if change.endsIntents {
            context.awaited = session.preparedNumbers
            context.applied = session.foreignEntries
        }
        return JournalEntry(id: id, change: change, context: context)
    }

    private mutating func commit(_ entry: JournalEntry, isStored: Bool) {
        session.stateVersion += 1
        state.apply(entry)
        #if PLANTED_BUGS
            if makes(.entryDropped), entry.id.number.isMultiple(of: 3) { return }
        #endif
        if !isStored { session.newEntries.append(entry) }
        guard session.stateUpdateDue == nil else { return }
        session.stateUpdateDue = session.now.advanced(by: EngineConfiguration.stateUpdateDelay)
    }

    /// What follows from a change that the app asked for.
    private mutating func followUp(_ change: StateChange) {
        switch change {
        case .recordChangesAdded(let changes): followUp(changes, configuration.priority)
        case .prioritizedChangesAdded(let changes, let priority): followUp(changes, priority)
        case .recordChangesRemoved(let ended):
            for end in ended {
                session.failureCounts.forget(end.change.recordID)
                unblockChildren(of: end.change.recordID)
            }
        case .databaseChangesAdded:
            sendSoon()
        case .untrackedChangesSet, .parkedChangesResumed, .sendOpened,
            .sendPartOpened, .sendClosed, .databaseChangesSettled, .zoneSendOpened,
            .zoneSendClosed, .databasePageHandled,
            .zoneListingBegun, .zoneListingPageHandled, .historySeen, .damageSettled,
            .tokensReset,
            .zonePageHandled, .fullFetchBegun, .zoneForgotten, .zoneMissed,
            .zoneChangesAbandoned, .accountIdentified, .accountSignedOut, .accountReplaced,
            .retryDelaySet:
            return
        }
    }
}

extension EngineCore {
    private mutating func followUp(
        _ added: [PendingRecordZoneChange],
        _ priority: SyncPriority
    ) {
        for change in added where !change.isSave { unblockChildren(of: change.recordID) }
        if session.send.isBatchOpen {
            session.send.current?.addedMeanwhile.formUnion(added)
        }
        sendSoon(priority)
    }
}

// What a state update carries of the journal.

extension EngineCore {
    /// The state now, with the entries since the last update that was handled.
    mutating func stateUpdate() -> SyncEvent.StateUpdate {
        let pendingCount = state.records.count
        let isAdvised =
            session.entryCountSinceAdvice + session.newEntries.count
            > EngineConfiguration.compactingEntryCountMin + pendingCount
        return SyncEvent.StateUpdate(
            stateSerialization: serialization,
            entries: session.newEntries,
            isCompactingAdvised: isAdvised
        )
    }

    /// The update with so many entries was handled.
    mutating func stateUpdateHandled(_ update: SyncEvent.StateUpdate) {
        session.namesDatabase = false
        session.newEntries = session.newEntries.dropping(first: update.entries.count)
        session.entryCountSinceAdvice =
            update.isCompactingAdvised
            ? 0 : session.entryCountSinceAdvice + update.entries.count
        guard let replayed = session.replayedWriters else { return }
        // A snapshot of this launch was handled. Whoever keeps entries gave them all at the start:
        // those of a former launch that did not come then will not come again.
        session.replayedWriters = nil
        #if PLANTED_BUGS
            if makes(.writersKept) { return }
        #endif
        state.dropCoverage(but: replayed.union([configuration.writer]))
    }
}
