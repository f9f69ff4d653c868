import RecordModel

// A fetch: which zones changed.

extension EngineCore {
    /// Asks for the next page of changed zones, or of all where their list begins anew.
    mutating func fetchDatabasePage() {
        guard session.fetch.current?.ending.mustStop == false else { return concludeFetch() }
        // A send of the same time may have heard that the server wants to be left alone.
        if let error = retryDelayError() { return stopFetch(error) }
        if state.databaseToken == nil, state.zoneListing == nil {
            session.fetch.current?.isFirstListing = true
        }
        if session.fetch.current?.isListingReset == true {
            session.fetch.current?.isListingReset = false
            session.fetch.current?.listing = ZoneListing()
            session.fetch.current?.pages = PageGuard(since: nil)
        }
        let id = RequestID(makeID())
        session.fetch.phase = .fetchingDatabase(id)
        let request = DatabaseChangesRequest(
            since: lastDatabaseToken,
            knownZoneIDs: namesKnownZones ? knownZoneIDs : []
        )
        perform(.fetchDatabaseChanges(id, request, account: requestAccount))
    }

    /// True for the first page of a listing in an unbroken history.
    ///
    /// In another one the server's word that a zone is gone may be older than the zone.
    private var namesKnownZones: Bool {
        state.zoneListing?.isAbsenceDeletion == true && lastDatabaseToken == nil
    }

    private var knownZoneIDs: [RecordZone.ID] {
        Array(
            state.zones.keys.filter { $0 != .default }
                .prefix(EngineConfiguration.knownZoneCountMax)
        )
    }

    /// Where the last page ended; that of a listing is not in the state before its end.
    private var lastDatabaseToken: ServerChangeToken? {
        state.zoneListing == nil ? state.databaseToken : session.fetch.current?.listing.token
    }

    mutating func databaseChangesFetched(
        _ id: RequestID,
        _ result: Result<DatabaseChangesReply, SyncError>
    ) {
        guard case .fetchingDatabase(id) = session.fetch.phase else { return }
        switch result {
        case .success(let reply):
            // A page behind the old token lists what changed, not what there is.
            if session.fetch.current?.isListingReset == true {
                #if PLANTED_BUGS
                    if makes(.pageOfBeforeResetTaken) {
                        session.fetch.current?.isListingReset = false
                        return reportDatabasePage(reply)
                    }
                #endif
                return fetchDatabasePage()
            }
            if let error = reply.fault ?? stall(of: reply, since: lastDatabaseToken) {
                return stopFetch(error)
            }
            if entersOtherHistory(reply) { return fetchDatabasePage() }
            if let error = session.fetch.current?.historyError { return stopFetch(error) }
            reportDatabasePage(reply)
        case .failure(let error):
            noteRetryDelay(of: error)
            databaseFetchFailed(error)
        }
    }

    private mutating func databaseFetchFailed(_ error: SyncError) {
        switch RequestOutcome(error.code) {
        case .restartWithoutToken where session.fetch.current?.hasRestartedDatabase == false:
            session.fetch.current?.hasRestartedDatabase = true
            beginZoneListing(.tokenExpired)
            fetchDatabasePage()
        case .askAccount:
            session.isAccountVerified = false
            stopFetch(error)
        case .endOperation, .askOutcome, .restartWithoutToken, .split, .failItems:
            stopFetch(error)
        }
    }

    private mutating func beginZoneListing(_ reason: SyncEvent.FullFetchReason) {
        record(.zoneListingBegun(reason))
        session.fetch.current?.listing = ZoneListing()
        session.fetch.current?.pages = PageGuard(since: nil)
    }

    /// Notes which history the page belongs to; true if what was asked for belongs to another one,
    /// so that the page is of no use.
    private mutating func entersOtherHistory(_ reply: DatabaseChangesReply) -> Bool {
        guard let historyID = reply.historyID, historyID != state.historyID else { return false }
        let isUseless = lastDatabaseToken != nil || namesKnownZones
        let isOther = state.historyID != nil
        record(.historySeen(historyID))
        guard isOther else { return false }
        session.fetch.current?.historyChangeCount += 1
        beginZoneListing(.newHistory)
        return isUseless && session.fetch.current?.historyError == nil
    }

    private mutating func reportDatabasePage(_ reply: DatabaseChangesReply) {
        session.fetch.phase = .awaitingDelegate(.databasePage)
        var reply = reply
        session.fetch.current?.listing.add(reply)
        if let reason = state.zoneListing {
            reply.deletions += zonesThatAreGone(reply, reason)
        }
        let followUp = FollowUp.databasePageReported(
            reply,
            entry: IdempotencyKey(writer: configuration.writer, number: session.nextEntry)
        )
        guard !reply.modifications.isEmpty || !reply.deletions.isEmpty else {
            return follow(followUp)
        }
        let event = SyncEvent.FetchedDatabaseChanges(
            modifications: reply.modifications,
            deletions: reply.deletions
        )
        session.delegateQueue.add(.fetchedDatabaseChanges(event), followUp)
    }

    /// At the end of a listing in an unbroken history: zones that it did not name were deleted, and
    /// the server has forgotten it.
    private func zonesThatAreGone(
        _ reply: DatabaseChangesReply,
        _ reason: SyncEvent.FullFetchReason
    ) -> [Database.DatabaseChange.Deletion] {
        guard !reply.moreComing, reason.isAbsenceDeletion,
            let listed = session.fetch.current?.listing.zoneIDs
        else { return [] }
        return state.zones.keys
            .filter { !listed.contains($0) && $0 != .default }
            .map { .init(zoneID: $0, reason: .deleted) }
    }

    /// The page was handled: its token enters the state, and deleted zones leave it.
    mutating func takeDatabasePage(
        _ reply: DatabaseChangesReply,
        before entry: IdempotencyKey
    ) {
        let isListingReset = session.fetch.current?.isListingReset == true
        if !isListingReset { recordDatabasePage(reply) }
        for modification in reply.modifications {
            session.deletedZones.remove(modification.zoneID)
        }
        for deletion in reply.deletions {
            session.ensuredZones.remove(deletion.zoneID)
            let isEcho = session.deletedZones.remove(deletion.zoneID) != nil
            // What was purged or reset is the app's to decide; a deleted zone takes along what
            // was pending in it, but for what the handler has just added. What was asked for
            // since this engine deleted the zone itself is meant for its next life.
            guard deletion.reason == .deleted, !isEcho else { continue }
            abandonChanges(of: deletion.zoneID, before: entry)
        }
        if !reply.moreComing, state.firstFetchReason != .firstFetch { record(.damageSettled) }
        guard case .awaitingDelegate(.databasePage) = session.fetch.phase else { return }
        if isListingReset {
            fetchDatabasePage()
        } else if reply.moreComing, let error = cycle(at: reply.changeToken) {
            stopFetch(error)
        } else if reply.moreComing {
            fetchDatabasePage()
        } else {
            askForOwnZonesThatAreMissing()
            session.progress.hasZoneList = true
            nextZone()
        }
    }

    /// A zone that this engine saved records in, and that the first listing does not name, is asked
    /// for: whether it is gone, and why, the server says itself.
    private mutating func askForOwnZonesThatAreMissing() {
        guard let operation = session.fetch.current, operation.isFirstListing else { return }
        let missing = state.zones.pairs.filter { zoneID, zone in
            zone.hasOwnRecords && zone.token == nil && !zone.hasUnfetchedChanges
                && !operation.listing.zoneIDs.contains(zoneID)
        }
        guard !missing.isEmpty else { return }
        record(.zoneListingPageHandled(modified: missing.map(\.key)))
    }

    private mutating func recordDatabasePage(_ reply: DatabaseChangesReply) {
        let modified = reply.modifications.map(\.zoneID)
        if state.zoneListing != nil, reply.moreComing {
            session.fetch.current?.listing.token = reply.changeToken
            record(.zoneListingPageHandled(modified: modified))
            for deletion in reply.deletions where state.zones[deletion.zoneID] != nil {
                record(.zoneForgotten(deletion.zoneID))
            }
            return
        }
        let isNews =
            reply.changeToken != state.databaseToken || state.zoneListing != nil
            || !modified.isEmpty || !reply.deletions.isEmpty
        guard isNews else { return }
        let deleted = reply.deletions.map(\.zoneID)
        record(
            .databasePageHandled(token: reply.changeToken, modified: modified, deleted: deleted)
        )
    }
}
