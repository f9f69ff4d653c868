import RecordModel

// A fetch: one changed zone after the other, page by page.

extension EngineCore {
    /// Asks which zones come first, if any is left to fetch.
    mutating func nextZone() {
        guard let operation = session.fetch.current else { return }
        if operation.ending.mustStop { return concludeFetch() }
        passOverBusyZones(of: remainingZones(operation))
        guard session.fetch.current.map({ remainingZones($0).isEmpty }) == false else {
            return concludeFetch()
        }
        let id = QuestionID(makeID())
        session.fetch.phase = .askingOptions(id)
        let context = FetchChangesContext(reason: operation.reason, options: operation.options)
        session.delegateQueue.items.append(.fetchOptionsQuestion(id, context))
    }

    private func remainingZones(_ operation: FetchOperation) -> [RecordZone.ID] {
        let zones = zoneIDsWithUnfetchedChanges.filter {
            operation.calledOptions.scope.contains($0) && operation.options.scope.contains($0)
                && !operation.visitedZones.contains($0)
        }
        let prioritized = operation.options.prioritizedZoneIDs.filter(zones.contains)
        return prioritized + zones.filter { !prioritized.contains($0) }
    }

    mutating func fetchOptionsFailed(_ id: QuestionID) {
        guard case .question(id) = session.delegateQueue.hand else { return }
        session.delegateQueue.hand = .empty
        guard case .askingOptions(id) = session.fetch.phase else { return }
        breakFetch(.delegateThrewAnswering(id))
    }

    mutating func fetchOptionsProvided(_ id: QuestionID, _ options: FetchChangesOptions) {
        guard case .question(id) = session.delegateQueue.hand else { return }
        session.delegateQueue.hand = .empty
        guard case .askingOptions(id) = session.fetch.phase else { return }
        session.fetch.current?.options = options
        guard let operation = session.fetch.current,
            let zoneID = remainingZones(operation).first
        else { return concludeFetch() }
        announceZone(zoneID)
    }

    private mutating func announceZone(_ zoneID: RecordZone.ID) {
        let zone = state.zones[zoneID]
        if zone?.token == nil, zone?.fullFetch == nil {
            record(.fullFetchBegun(zoneID, state.firstFetchReason))
        } else if let full = zone?.fullFetch, zone?.token == nil, full.id < session.firstFullFetchID
        {
            // An earlier launch may have begun it, and the app may have stamped rows with its id.
            // No page of it is stored, so the listing begins anew, and so must the stamps.
            record(.fullFetchBegun(zoneID, full.reason))
        }
        let kind = fetchKind(zoneID)
        session.fetch.current?.pages = PageGuard(since: state.zones[zoneID]?.token)
        session.fetch.current?.openZone = (zoneID, kind)
        #if PLANTED_BUGS
            if makes(.zoneNotAnnounced) { return fetchZonePage(zoneID) }
        #endif
        session.fetch.phase = .awaitingDelegate(.zoneAnnouncement(zoneID))
        session.delegateQueue.add(
            .willFetchRecordZoneChanges(.init(zoneID: zoneID, kind: kind)),
            .zoneAnnounced(zoneID)
        )
    }

    private func fetchKind(_ zoneID: RecordZone.ID) -> SyncEvent.FetchKind {
        guard let full = state.zones[zoneID]?.fullFetch else { return .incremental }
        return .full(id: full.id, reason: full.reason)
    }

    mutating func fetchZonePage(_ zoneID: RecordZone.ID) {
        guard let ending = session.fetch.current?.ending else { return }
        if ending.mustStop { return concludeZone(zoneID, error: ending.reasonToStop) }
        if let error = retryDelayError() {
            session.fetch.current?.ending.error = error
            return concludeZone(zoneID, error: error)
        }
        if let error = zoneBusyError(zoneID) { return concludeZone(zoneID, error: error) }
        let id = RequestID(makeID())
        session.fetch.confirmed = []
        session.fetch.phase = .fetchingZone(id, zoneID)
        let zone = state.zones[zoneID]
        let isFirst = zone?.fullFetch.map { $0.reason == .firstFetch } == true
        let request = ZoneChangesRequest(
            zoneID: zoneID,
            since: zone?.token,
            includesDeletions: zone?.hasOwnRecords == true
                || zone?.fullFetch.map { $0.reason != .firstFetch } == true,
            // Only here nothing else tells that the zone was deleted and made again meanwhile.
            ownChangeTag: isFirst && zone?.token == nil ? zone?.firstOwnChangeTag : nil
        )
        perform(.fetchZoneChanges(id, request, account: requestAccount))
    }

    mutating func zoneChangesFetched(
        _ id: RequestID,
        _ result: Result<ZoneChangesReply, SyncError>
    ) {
        guard case .fetchingZone(id, let zoneID) = session.fetch.phase else { return }
        switch result {
        case .success(let reply):
            let token = state.zones[zoneID]?.token
            if let error = reply.fault(of: zoneID) ?? stall(of: reply, since: token) {
                return concludeZone(zoneID, error: error)
            }
            if let error = uselessPage(reply, zoneID) {
                return concludeZone(zoneID, error: error)
            }
            takeInZonePage(FetchedPage(reply), zoneID)
        case .failure(let error):
            noteRetryDelay(of: error, zoneID: zoneID)
            zoneFetchFailed(zoneID, error)
        }
    }

    /// Why a page cannot be taken: the zone's tokens were reset, or the server was restored, since
    /// it was asked for.
    private func uselessPage(_ reply: ZoneChangesReply, _ zoneID: RecordZone.ID) -> SyncError? {
        if let kind = session.fetch.current?.openZone?.kind, kind != fetchKind(zoneID) {
            return SyncError(.operationCancelled, "the tokens of the zone were reset meanwhile")
        }
        if let known = state.historyID, let historyID = reply.historyID, historyID != known {
            return SyncError(.changeTokenExpired, "the server was restored meanwhile: fetch again")
        }
        return nil
    }

    private mutating func zoneFetchFailed(_ zoneID: RecordZone.ID, _ error: SyncError) {
        switch RequestOutcome(error.code) {
        case .restartWithoutToken
        where session.fetch.current?.restartedZones.contains(zoneID) == false:
            session.fetch.current?.restartedZones.insert(zoneID)
            restartZone(zoneID, error)
        case .askAccount:
            session.isAccountVerified = false
            session.fetch.current?.ending.error = error
            concludeZone(zoneID, error: error)
        case .endOperation, .askOutcome:
            session.fetch.current?.ending.error = error
            concludeZone(zoneID, error: error)
        case .restartWithoutToken, .split, .failItems:
            concludeZone(zoneID, error: error)
        }
    }

    /// The token expired: that ends the zone's fetch, and a full one of it begins.
    private mutating func restartZone(_ zoneID: RecordZone.ID, _ error: SyncError) {
        if let open = session.fetch.current?.openZone {
            session.delegateQueue.add(
                .didFetchRecordZoneChanges(
                    .init(zoneID: zoneID, error: error, kind: open.kind)
                )
            )
        }
        record(.fullFetchBegun(zoneID, .tokenExpired))
        announceZone(zoneID)
    }

    /// A page that holds records in flight waits for their answer, with its token.
    mutating func takeInZonePage(_ page: FetchedPage, _ zoneID: RecordZone.ID) {
        let reply = page.reply
        if reply.contains(anyOf: session.fetch.confirmed) { return fetchPageAgain(zoneID) }
        let sends = state.openSends.filter { reply.contains(anyOf: $0.recordIDs) }
        guard !sends.isEmpty else { return reportZonePage(page, zoneID) }
        guard sends.allSatisfy(isBeingSettled) else {
            let error = SyncError(
                .serverResponseLost,
                "a send of records of this page is not settled: fetch again"
            )
            return concludeZone(zoneID, error: error)
        }
        session.fetch.phase = .holdingBack(page, zoneID)
    }

    /// A send confirmed records of the page after the page was asked for: nobody can tell from
    /// here which is newer, so the page is asked for once more.
    mutating func fetchPageAgain(_ zoneID: RecordZone.ID) {
        let count = (session.fetch.current?.repeatedPageCount ?? 0) + 1
        session.fetch.current?.repeatedPageCount = count
        guard count <= EngineConfiguration.repeatedPageCountMax else {
            let error = SyncError(
                .zoneBusy,
                "records of this page were sent again and again while it was fetched"
            )
            return concludeZone(zoneID, error: error)
        }
        fetchZonePage(zoneID)
    }

    mutating func releaseHeldPage() {
        guard case .holdingBack(let page, let zoneID) = session.fetch.phase else { return }
        releasePage(page, zoneID)
    }

    mutating func releasePage(_ page: FetchedPage, _ zoneID: RecordZone.ID) {
        // The tokens may have been reset while it was held back.
        if let error = uselessPage(page.reply, zoneID) {
            return concludeZone(zoneID, error: error)
        }
        takeInZonePage(page, zoneID)
    }

    private mutating func reportZonePage(_ page: FetchedPage, _ zoneID: RecordZone.ID) {
        var page = page
        page.reply = withoutEchoes(page.reply, zoneID)
        if fetchAssets(of: page, zoneID) { return }
        var news = page.reply
        #if PLANTED_BUGS
            if makes(.deletionsNotTold) { news.deletions = [] }
            if makes(.pagesSkipped) { news.moreComing = false }
        #endif
        let followUp = FollowUp.zonePageReported(
            zoneID,
            token: news.changeToken,
            moreComing: news.moreComing,
            kind: fetchKind(zoneID),
            folder: page.folder
        )
        session.fetch.phase = .awaitingDelegate(.zonePage(zoneID))
        guard !news.modifications.isEmpty || !news.deletions.isEmpty else {
            return follow(followUp)
        }
        let event = SyncEvent.FetchedRecordZoneChanges(
            modifications: news.modifications,
            deletions: news.deletions,
            kind: fetchKind(zoneID),
            failedAssets: page.failedAssets
        )
        #if PLANTED_BUGS
            if makes(.tokenBeforeNews) {
                record(.zonePageHandled(zoneID, token: news.changeToken, moreComing: false))
                session.delegateQueue.addStateUpdate(.nothing)
            }
        #endif
        session.delegateQueue.add(.fetchedRecordZoneChanges(event), followUp)
    }

    /// Leaves out what this engine did itself: its saves and deletions that come back.
    private func withoutEchoes(_ reply: ZoneChangesReply, _ zoneID: RecordZone.ID)
        -> ZoneChangesReply
    {
        // But for a first fetch a listing must be whole: the app reconciles with what it names.
        if let full = state.zones[zoneID]?.fullFetch, full.reason != .firstFetch { return reply }
        var news = reply
        let ownTags = state.recentSaves.changeTags
        news.modifications.removeAll { modification in
            isOwn(modification.origin)
                || modification.record.recordChangeTag.map(ownTags.contains) == true
        }
        news.deletions.removeAll { isOwn($0.origin) }
        return news
    }

    /// True for a send of this launch and of the present account's time that did not fail.
    ///
    /// An app that removed its data when the account left must get back what it sent before.
    private func isOwn(_ origin: IdempotencyKey?) -> Bool {
        guard let origin else { return false }
        #if PLANTED_BUGS
            if makes(.failedSendHidden) { return origin.writer == configuration.writer }
        #endif
        return origin.writer == configuration.writer
            && origin.number >= session.firstEntryOfAccount
            && !session.failedSends.contains(origin)
    }

    mutating func takeZonePage(
        _ zoneID: RecordZone.ID,
        _ token: ServerChangeToken,
        moreComing: Bool,
        kind: SyncEvent.FetchKind
    ) {
        // A page of before a reset must not bring back its token.
        let isUseful = kind == fetchKind(zoneID)
        if state.zones[zoneID] != nil, isUseful {
            // What a page tells of that was offered again may be old: the list of zones may have
            // told of something newer meanwhile.
            let isPresent = session.fetch.phase.awaitsPage(of: zoneID)
            record(.zonePageHandled(zoneID, token: token, moreComing: moreComing || !isPresent))
        }
        guard case .awaitingDelegate(.zonePage(zoneID)) = session.fetch.phase else { return }
        if !isUseful {
            let error = SyncError(.operationCancelled, "the zone's tokens were reset meanwhile")
            concludeZone(zoneID, error: error)
        } else if moreComing, let error = cycle(at: token) {
            concludeZone(zoneID, error: error)
        } else if moreComing {
            fetchZonePage(zoneID)
        } else {
            concludeZone(zoneID, error: nil)
        }
    }
}

extension FetchPhase {
    /// True while the delegate has, or gets next, a page of this zone that this fetch asked for.
    fileprivate func awaitsPage(of zoneID: RecordZone.ID) -> Bool {
        if case .awaitingDelegate(.zonePage(zoneID)) = self { true } else { false }
    }
}

extension EngineState.OpenSend {
    var recordIDs: Set<Record.ID> { Set(changes.map(\.change.recordID)) }
}

extension ZoneChangesReply {
    fileprivate func contains(anyOf recordIDs: Set<Record.ID>) -> Bool {
        guard !recordIDs.isEmpty else { return false }
        return modifications.contains { recordIDs.contains($0.record.recordID) }
            || deletions.contains { recordIDs.contains($0.recordID) }
    }
}
