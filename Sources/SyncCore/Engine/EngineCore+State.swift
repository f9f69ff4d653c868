package import RecordModel

// The app's intents: what it may do at any moment, from any thread.

extension EngineCore {
    /// Pending changes of records in the queue's order, with those whose send of an earlier launch
    /// is not settled; O(n).
    package var pendingRecordZoneChanges: [PendingRecordZoneChange] {
        let unsettled = unsettledSends.flatMap { send in
            zip(send.changes, send.returns).compactMap { open, place in
                let isWaiting = state.records.status(of: open.change.recordID) != nil
                return isWaiting ? nil : place.sequence.map { (sequence: $0, change: open.change) }
            }
        }
        let waiting = state.records.slots.all()
        guard !unsettled.isEmpty else { return waiting.map(\.change) }
        return (waiting.map { (sequence: $0.slot.sequence, change: $0.change) } + unsettled)
            .sorted { $0.sequence < $1.sequence }
            .map(\.change)
    }

    /// Pending changes of zones in their order.
    package var pendingDatabaseChanges: [PendingDatabaseChange] { state.databaseChanges.changes }

    /// Zones of which the server has changes that were not fetched.
    package var zoneIDsWithUnfetchedChanges: [RecordZone.ID] {
        state.zones.pairs.filter(\.value.hasUnfetchedChanges).map(\.key)
    }

    /// The state as a value to store; costs the same whatever it holds.
    package var serialization: StateSerialization { StateSerialization(snapshotOf: state) }

    mutating func addRecordZoneChanges(_ changes: [PendingRecordZoneChange]) {
        guard !changes.isEmpty else { return }
        applyEntry(prepare(.recordChangesAdded(changes)), isStored: false)
    }

    mutating func removeRecordZoneChanges(_ changes: [PendingRecordZoneChange]) {
        guard !changes.isEmpty else { return }
        applyEntry(prepare(removal(of: changes)), isStored: false)
    }

    /// The journal entry that a pending change comes from; nil if it is not pending.
    func entry(of change: PendingRecordZoneChange) -> IdempotencyKey? {
        state.records.origin(of: change).map(state.entry(of:))
    }

    mutating func addDatabaseChanges(_ changes: [PendingDatabaseChange]) {
        guard !changes.isEmpty else { return }
        applyEntry(prepare(.databaseChangesAdded(changes)), isStored: false)
    }

    mutating func setUntrackedChanges(_ flag: Bool) {
        session.send.current?.isUntrackedFlagNew = flag
        if flag != state.hasPendingUntrackedChanges { record(.untrackedChangesSet(flag)) }
        if flag { sendSoon() }
    }

    /// Makes the next fetch begin anew; what is pending stays.
    mutating func resetTokens(_ scope: FetchChangesOptions.Scope) {
        let zoneIDs = scope == .all ? nil : state.zones.keys.filter(scope.contains)
        record(.tokensReset(zoneIDs))
        if scope == .all { session.fetch.current?.isListingReset = true }
        fetchSoon()
    }

    mutating func resumeParkedChanges() {
        record(.parkedChangesResumed)
        sendSoon()
    }
}

// What the walk of a batch finds out.

extension EngineCore {
    /// What a batch may hold now.
    package var limits: RequestLimits {
        #if PLANTED_BUGS
            if makes(.batchLimitIgnored) { return .standard }
        #endif
        return session.limits
    }

    /// Where the walk of the present send goes on.
    package var walkStart: WalkPosition { session.send.current?.walk ?? WalkPosition() }

    /// The next offerable changes in scope.
    package func nextOfferable(
        after position: WalkPosition,
        in scope: SendChangesOptions.Scope,
        limit: Int
    ) -> WalkPage {
        var page = offerable(after: position, in: scope, limit: limit)
        guard let operation = session.send.current, operation.hasPutOff else { return page }
        var position = position
        while !page.steps.isEmpty {
            for step in page.steps { position[step.lane] = step.slot + 1 }
            page.steps.removeAll { operation.hasPutOff($0.change.recordID) }
            guard page.steps.isEmpty else { break }
            // All were put off: what comes behind them was not.
            page = offerable(after: position, in: scope, limit: limit)
        }
        return page
    }

    /// The more urgent first, then the queue's order, unless more waits than one batch holds: then
    /// a send that nobody called takes from each zone in turn.
    private func offerable(
        after position: WalkPosition,
        in scope: SendChangesOptions.Scope,
        limit: Int
    ) -> WalkPage {
        let isFair =
            session.send.current?.reason == .scheduled
            && state.records.offerableCount > session.limits.batchCountMax
        // What is removed and added again while a batch is made would else stand in it twice.
        let end = session.send.current?.walkEnd ?? .max
        let records = state.records
        let urgency = walkUrgency
        return isFair
            ? records.fairlyOfferable(
                after: position,
                before: end,
                in: scope,
                limit: limit,
                urgency: urgency
            )
            : records.offerable(
                after: position,
                before: end,
                in: scope,
                limit: limit,
                urgency: urgency
            )
    }

    var walkUrgency: WalkUrgency {
        WalkUrgency(
            base: configuration.priority,
            floor: session.send.current?.floor ?? .background
        )
    }

    /// True if a save of the record may be offered in the scope, or along with one that points to
    /// it: what waits for its parent may do so too, else two parents of each other wait for ever.
    package func canOffer(
        saveOf recordID: Record.ID,
        in scope: SendChangesOptions.Scope
    ) -> Bool {
        let status = state.records.status(of: recordID)
        return (status == .save || status == .blockedSave) && scope.contains(recordID)
            && session.send.current?.hasPutOff(recordID) != true
    }

    /// True if a save of the record is pending, offerable or not.
    package func isPendingSave(_ recordID: Record.ID) -> Bool {
        state.records.status(of: recordID)?.isSave == true
    }

    /// The app has no such record any more.
    mutating func dropChange(_ change: PendingRecordZoneChange) {
        // What was asked for since the app said so is there again.
        if session.send.current?.addedMeanwhile.contains(change) == true { return }
        session.send.current?.hasMoved = true
        removeRecordZoneChanges([change])
    }

    mutating func postpone(_ changes: [PendingRecordZoneChange]) {
        session.send.current?.postponed += changes
        for change in changes { session.send.current?.postponedIDs.insert(change.recordID) }
    }

    mutating func block(_ child: Record.ID, until parent: Record.ID) {
        guard isPendingSave(parent) else { return }
        state.records.block(child)
        session.children[parent, default: []].insert(child)
    }

    /// Lets the children of a record be offered: it is on the server now, or will not be.
    ///
    /// Their own children too: they may go along with them, and wait again if they may not.
    mutating func unblockChildren(of parent: Record.ID) {
        guard !session.children.isEmpty else { return }
        var parents = [parent]
        while let parent = parents.popLast() {
            guard let children = session.children.removeValue(forKey: parent) else { continue }
            for child in children.sorted() {
                state.records.unblock(child)
                rewindWalk(to: child)
                parents.append(child)
            }
        }
    }

    /// Makes the walk of the present send come by a record again.
    mutating func rewindWalk(to recordID: Record.ID) {
        guard canOffer(saveOf: recordID, in: .all),
            let step = state.records.step(of: recordID, urgency: walkUrgency)
        else { return }
        guard let walked = session.send.current?.walk[step.lane], walked > step.slot else {
            return
        }
        session.send.current?.walk[step.lane] = step.slot
    }
}

extension SendOperation {
    fileprivate var hasPutOff: Bool {
        !postponedIDs.isEmpty || !unfitIDs.isEmpty || !assetIDs.isEmpty || !raisedIDs.isEmpty
    }

    /// True if a change of the record is not offered again in this send.
    fileprivate func hasPutOff(_ recordID: Record.ID) -> Bool {
        postponedIDs.contains(recordID) || unfitIDs.contains(recordID)
            || assetIDs.contains(recordID) || raisedIDs.contains(recordID)
    }
}
