package import RecordModel

extension EngineState {
    /// Performs the durable change of a journal entry.
    package mutating func apply(_ journalEntry: JournalEntry) {
        let entry = journalEntry.id
        let origin = cover(entry)
        if databaseName == nil { databaseName = journalEntry.context.databaseName }
        switch journalEntry.change {
        case .recordChangesAdded(let changes): add(changes, origin)
        case .recordChangesRemoved(let ended): end(ended, ending(journalEntry, origin))
        case .databaseChangesAdded(let changes): add(changes, origin)
        case .databaseChangesSettled(let ended): end(ended)
        case .untrackedChangesSet(let flag): hasPendingUntrackedChanges = flag
        case .parkedChangesResumed: records.resumeHeldBack()
        case .sendOpened(let changes): openSend(entry, changes, ending(journalEntry, origin))
        case .sendPartOpened(let key, let recordIDs): openPart(of: key, recordIDs, under: entry)
        case .sendClosed(let key, let dispositions): closeSend(key, dispositions, origin: origin)
        case .zoneSendOpened(let changes): openZoneSend(entry, changes)
        case .zoneSendClosed(let key, let ended): closeZoneSend(key, ended)
        case .databasePageHandled(let token, let modified, let deleted):
            handleDatabasePage(token, modified: modified, deleted: deleted)
        case .zoneListingBegun(let reason): beginZoneListing(reason)
        case .zoneListingPageHandled(let modified): noteChanges(of: modified)
        case .historySeen(let historyID): enterHistory(historyID)
        case .damageSettled: settleDamage()
        case .tokensReset(let zoneIDs): resetTokens(zoneIDs)
        case .zonePageHandled(let zoneID, let token, let moreComing):
            handleZonePage(zoneID, token, moreComing: moreComing)
        case .fullFetchBegun(let zoneID, let reason): beginFullFetch(zoneID, reason)
        case .zoneForgotten(let zoneID): forget(zoneID)
        case .zoneMissed(let zoneID): miss(zoneID)
        case .zoneChangesAbandoned(let ended): remove(ended)
        case .accountIdentified(let name): account = .signedIn(userRecordName: name)
        case .accountSignedOut: signOut()
        case .accountReplaced(let name, let ended): replaceAccount(name, ended)
        case .retryDelaySet(let delay): retryDelay = delay
        }
    }

    private mutating func add(_ changes: [PendingRecordZoneChange], _ origin: EntryOrigin) {
        for change in changes { records.add(change, origin: origin) }
    }

    private func ending(_ entry: JournalEntry, _ origin: EntryOrigin) -> Ending {
        Ending(
            origin: origin,
            awaited: entry.context.awaited,
            applied: entry.context.applied.compactMap { coverage in
                writers.lastIndex { $0.writer == coverage.writer }
                    .map { (writer: UInt16($0), covered: coverage.covered) }
            }
        )
    }

    private mutating func end(_ ended: [StateChange.EndedChange], _ ending: Ending) {
        remove(ended) { ending.covers($0, named: $1) }
        withdraw(ended.map(\.change))
    }

    /// Removes changes; those whose names are older than the entry itself end under these alone.
    private mutating func remove(
        _ ended: [StateChange.EndedChange],
        from ends: (EntryOrigin, EntryOrigin) -> Bool = { $0 == $1 }
    ) {
        for end in ended {
            guard let entry = end.entry else { continue }
            let named = origin(of: entry)
            records.remove(end.change) { ends($0, named) }
        }
    }

    private mutating func add(_ changes: [PendingDatabaseChange], _ origin: EntryOrigin) {
        for change in changes { databaseChanges.add(.init(change: change, origin: origin)) }
    }

    private mutating func end(_ ended: [StateChange.EndedZoneChange]) {
        for end in ended {
            databaseChanges.remove(.init(change: end.change, origin: origin(of: end.entry)))
        }
    }

    private mutating func openZoneSend(
        _ key: IdempotencyKey,
        _ changes: [StateChange.EndedZoneChange]
    ) {
        let entries = changes.map {
            PendingZoneChanges.Entry(change: $0.change, origin: knownOrigin(of: $0.entry))
        }
        openZoneSends.append(OpenZoneSend(key: key, entries: entries))
    }

    private mutating func closeZoneSend(
        _ key: IdempotencyKey,
        _ ended: [StateChange.EndedZoneChange]
    ) {
        openZoneSends.removeAll { $0.key == key }
        end(ended)
    }

    private mutating func cover(_ entry: IdempotencyKey) -> EntryOrigin {
        let writer =
            writers.lastIndex { $0.writer == entry.writer } ?? appendWriter(entry.writer)
        writers[writer].covered.insert(entry.number)
        return EntryOrigin(writer: UInt16(writer), number: entry.number)
    }

    private mutating func appendWriter(_ writer: WriterID) -> Int {
        writers.append(.init(writer: writer))
        return writers.count - 1
    }

    /// Counts an entry as done that never will be: it was discarded.
    package mutating func coverDiscarded(_ entry: IdempotencyKey) { _ = cover(entry) }

    /// Forgets which entries of former launches are held: none of them can come again.
    package mutating func dropCoverage(but kept: Set<WriterID>) {
        for writer in writers.indices where !kept.contains(writers[writer].writer) {
            writers[writer].covered = CoveredNumbers()
        }
    }

    /// A journal entry as the changes name it that came from it.
    package func origin(of entry: IdempotencyKey) -> EntryOrigin {
        let writer = writers.lastIndex { $0.writer == entry.writer } ?? writers.count
        return EntryOrigin(writer: UInt16(writer), number: entry.number)
    }

    /// The same for an entry that stays named: its launch is known from now on.
    private mutating func knownOrigin(of entry: IdempotencyKey) -> EntryOrigin {
        let writer =
            writers.lastIndex { $0.writer == entry.writer } ?? appendWriter(entry.writer)
        return EntryOrigin(writer: UInt16(writer), number: entry.number)
    }

    /// The journal entry that a change came from.
    package func entry(of origin: EntryOrigin) -> IdempotencyKey {
        IdempotencyKey(writer: writers[Int(origin.writer)].writer, number: origin.number)
    }

    /// What the app removes does not return from a send, which itself goes on.
    private mutating func withdraw(_ changes: [PendingRecordZoneChange]) {
        guard !openSends.isEmpty else { return }
        let removed = Set(changes)
        for send in openSends.indices {
            for (position, opened) in openSends[send].changes.enumerated()
            where removed.contains(opened.change) {
                openSends[send].setReturn(of: position, to: .nowhere)
            }
        }
    }

    private mutating func openSend(
        _ key: IdempotencyKey,
        _ changes: [StateChange.OpenedChange],
        _ ending: Ending
    ) {
        var guess: QueueIndex.Place?
        let returns = changes.map { opened -> Return in
            guard let entry = opened.entry else { return .end }
            let named = origin(of: entry)
            let taken = records.takeForSend(opened.change, guess: &guess) {
                ending.covers($0, named: named)
            }
            return taken.map(Return.oldPlace) ?? .end
        }
        openSends.append(OpenSend(key: key, changes: changes, returns: returns))
    }

    /// Gives some changes of an open send a send of their own, without a moment in the queue: an
    /// edit made meanwhile stays apart from what was handed over.
    private mutating func openPart(
        of key: IdempotencyKey,
        _ recordIDs: [Record.ID],
        under entry: IdempotencyKey
    ) {
        guard let position = openSends.firstIndex(where: { $0.key == key }) else { return }
        let moving = Set(recordIDs)
        let send = openSends[position]
        openSends[position] = send.filtered(under: key) { !moving.contains($0.recordID) }
        if openSends[position].changes.isEmpty { openSends.remove(at: position) }
        openSends.append(send.filtered(under: entry) { moving.contains($0.recordID) })
    }

    private mutating func closeSend(
        _ key: IdempotencyKey,
        _ dispositions: [StateChange.Disposition],
        origin: EntryOrigin
    ) {
        guard let position = openSends.firstIndex(where: { $0.key == key }) else { return }
        let send = openSends.remove(at: position)
        for (position, disposition) in zip(send.changes.indices, dispositions) {
            switch disposition {
            case .confirmed, .surfaced: continue
            case .returned: putBack(send, position, .offered, origin: origin)
            case .parked: putBack(send, position, .parked, origin: origin)
            case .quarantined: putBack(send, position, .quarantined, origin: origin)
            }
        }
        let saves = RecentSaves.Batch(changes: send.changes, dispositions: dispositions)
        recentSaves.add(saves)
        noteOwnRecords(saves)
    }

    private mutating func noteOwnRecords(_ batch: RecentSaves.Batch) {
        var last: RecordZone.ID?
        for position in batch.changes.indices {
            guard let changeTag = batch.changeTag(of: position),
                batch.changes[position].change.recordID.zoneID != last
            else { continue }
            let zoneID = batch.changes[position].change.recordID.zoneID
            last = zoneID
            guard zones[zoneID]?.hasOwnRecords != true else { continue }
            zones[zoneID, default: ZoneState()].firstOwnChangeTag = changeTag
        }
    }

    /// A change returns to its place; one that had none is listed from now on.
    private mutating func putBack(
        _ send: OpenSend,
        _ position: Int,
        _ standing: PendingQueue.Standing,
        origin: EntryOrigin
    ) {
        let change = send.changes[position].change
        switch send.returns[position] {
        case .oldPlace(let taken): records.putBack(change, taken, standing)
        case .end: records.addReturning(change, standing, origin: origin)
        case .nowhere: return
        }
    }

    private mutating func handleDatabasePage(
        _ token: ServerChangeToken,
        modified: [RecordZone.ID],
        deleted: [RecordZone.ID]
    ) {
        databaseToken = token
        zoneListing = nil
        noteChanges(of: modified)
        for zoneID in deleted { forget(zoneID) }
    }

    private mutating func noteChanges(of zoneIDs: [RecordZone.ID]) {
        for zoneID in zoneIDs {
            zones[zoneID, default: ZoneState()].hasUnfetchedChanges = true
        }
    }

    private mutating func forget(_ zoneID: RecordZone.ID) {
        zones[zoneID] = nil
        recentSaves.removeAll(in: zoneID)
    }

    private mutating func miss(_ zoneID: RecordZone.ID) {
        guard let zone = zones[zoneID] else { return }
        let reason = zone.fullFetch?.reason ?? .tokenExpired
        guard zone.token != nil || zone.hasOwnRecords || reason != .firstFetch else {
            return forget(zoneID)
        }
        beginFullFetch(zoneID, reason == .firstFetch ? .tokenExpired : reason)
        zones[zoneID]?.hasUnfetchedChanges = false
        recentSaves.removeAll(in: zoneID)
    }

    private mutating func beginZoneListing(_ reason: SyncEvent.FullFetchReason) {
        databaseToken = nil
        zoneListing = reason.unlessOverridden(by: zoneListing)
    }

    private mutating func settleDamage() {
        for (zoneID, zone) in zones.pairs where zone.token == nil && zone.fullFetch == nil {
            beginFullFetch(zoneID, firstFetchReason)
        }
        firstFetchReason = .firstFetch
    }

    private mutating func resetTokens(_ zoneIDs: [RecordZone.ID]?) {
        // Without a token there is nothing to reset, and no history whose absences say anything.
        if zoneIDs == nil, databaseToken != nil || zoneListing != nil {
            beginZoneListing(.tokensReset)
        }
        for zoneID in zoneIDs ?? zones.keys {
            guard let zone = zones[zoneID], zone.token != nil || zone.fullFetch != nil else {
                continue
            }
            beginFullFetch(zoneID, .tokensReset)
        }
    }

    private mutating func handleZonePage(
        _ zoneID: RecordZone.ID,
        _ token: ServerChangeToken,
        moreComing: Bool
    ) {
        zones[zoneID, default: ZoneState()].token = token
        zones[zoneID]?.hasUnfetchedChanges = moreComing
        guard !moreComing else { return }
        zones[zoneID]?.fullFetch = nil
        recentSaves.removeAll(in: zoneID)
    }

    /// Enters a history of the server; what is known of another one is of no use, and the absence
    /// of a record or a zone in this one is no deletion.
    private mutating func enterHistory(_ historyID: String) {
        defer { self.historyID = historyID }
        guard let former = self.historyID, former != historyID else { return }
        recentSaves = RecentSaves()
        for zoneID in zones.keys { beginFullFetch(zoneID, .newHistory) }
    }

    private mutating func beginFullFetch(
        _ zoneID: RecordZone.ID,
        _ reason: SyncEvent.FullFetchReason
    ) {
        var zone = zones[zoneID, default: ZoneState()]
        zone.token = nil
        zone.hasUnfetchedChanges = true
        let reason = reason.unlessOverridden(by: zone.fullFetch?.reason)
        zone.fullFetch = FullFetch(id: nextFullFetchID, reason: reason)
        zones[zoneID] = zone
        nextFullFetchID += 1
    }

    private mutating func signOut() {
        guard case .signedIn(let userRecordName) = account else { return }
        account = .signedOut(userRecordName: userRecordName)
        forgetServer()
    }

    private mutating func replaceAccount(
        _ userRecordName: String,
        _ ended: [WriterCoverage]
    ) {
        account = .signedIn(userRecordName: userRecordName)
        forgetServer()
        let writers = writers
        let isKept = { (origin: EntryOrigin) in
            let writer = writers[Int(origin.writer)].writer
            // Of a former launch only the name may be left: then it ends as a whole.
            let isEnded = { (coverage: WriterCoverage) in
                coverage.writer == writer
                    && (coverage.covered.isEmpty || coverage.covered.contains(origin.number))
            }
            return !ended.contains(where: isEnded)
        }
        let kept = records.slots.all().filter { isKept($0.slot.origin) }
        records = PendingQueue()
        for (change, slot) in kept { records.add(change, origin: slot.origin) }
        databaseChanges = PendingZoneChanges(
            entries: databaseChanges.entries.filter { isKept($0.origin) }
        )
        openSends = []
        openZoneSends = []
        hasPendingUntrackedChanges = false
        retryDelay = nil
    }

    private mutating func forgetServer() {
        databaseToken = nil
        historyID = nil
        zoneListing = nil
        firstFetchReason = .firstFetch
        zones = OrderedTable()
        recentSaves = RecentSaves()
    }
}

/// An entry that ends intents: it names each by the entry that it came from last.
private struct Ending {
    let origin: EntryOrigin
    /// Intents of the same launch that came later all the same.
    let awaited: CoveredNumbers
    /// Intents of others that came before.
    let applied: [(writer: UInt16, covered: CoveredNumbers)]

    /// True if what stands under an origin ends with what is named.
    ///
    /// Of several intents for one record a replay may have put another one last than the launch
    /// did. All that the launch knew of ended together.
    func covers(_ other: EntryOrigin, named: EntryOrigin) -> Bool {
        if other == named { return true }
        if other.writer == origin.writer {
            return other < origin && !awaited.contains(other.number)
        }
        return applied.contains {
            $0.writer == other.writer && $0.covered.contains(other.number)
        }
    }
}

extension SyncEvent.FullFetchReason {
    /// The reason of a listing that begins while another one is under way.
    ///
    /// After another history or a damaged state, absence is no deletion until a listing came to its
    /// end, whatever begins it anew.
    fileprivate func unlessOverridden(by present: Self?) -> Self {
        switch present {
        case .newHistory, .stateDamaged: isAbsenceDeletion ? present ?? self : self
        case .firstFetch, .tokenExpired, .tokensReset, nil: self
        }
    }
}
