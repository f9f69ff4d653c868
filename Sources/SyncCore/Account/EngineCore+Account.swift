import RecordModel

// Whose data this is: nothing of one account is sent under another.

extension EngineCore {
    /// The account that the state belongs to and that the server confirmed in this launch.
    var verifiedAccount: String? {
        guard session.isAccountVerified, case .signedIn(let name) = state.account else {
            return nil
        }
        return name
    }

    /// Whose data the state is, if that account is signed in.
    package var signedInAccount: String? {
        guard case .signedIn(let name) = state.account else { return nil }
        return name
    }

    /// The account for a request; an operation never gets here without one.
    var requestAccount: String {
        guard case .signedIn(let name) = state.account else {
            preconditionFailure("asked the server before the account was known")
        }
        return name
    }

    /// True if the account is known; else the server is asked, and the lanes go on later.
    mutating func isAccountReady() -> Bool {
        if verifiedAccount != nil { return true }
        if session.accountRequest == nil {
            let id = RequestID(makeID())
            session.accountRequest = id
            perform(.askAccount(id))
        }
        return false
    }

    mutating func accountMayHaveChanged() {
        session.isAccountVerified = false
        session.accountRequest = nil
        _ = isAccountReady()
    }

    mutating func accountStatusReceived(
        _ id: RequestID,
        _ result: Result<AccountStatus, SyncError>
    ) {
        guard id == session.accountRequest else { return }
        session.accountRequest = nil
        switch result {
        case .success(.available(let userRecordName)):
            accountSeen(.account(userRecordName: userRecordName))
        case .success(.noAccount):
            accountSeen(.nobody)
        case .success(.restricted):
            fallAsleep(
                SyncError(.managedAccountRestricted, "the account may not use this service")
            )
        case .success(.temporarilyUnavailable):
            fallAsleep(
                SyncError(
                    .accountTemporarilyUnavailable,
                    "the account cannot be used now: keep its data and wait"
                )
            )
        case .success(.couldNotDetermine):
            fallAsleep(
                SyncError(.notAuthenticated, "it is not known whether an account is signed in")
            )
        case .failure(let error):
            noteRetryDelay(of: error)
            failLanesAwaitingAccount(error)
        }
    }

    /// Takes the server's word, unless the delegate is being told of another account: then after.
    private mutating func accountSeen(_ sighting: AccountSighting) {
        if let announced = session.announcedAccount {
            let isSame = sighting == .account(userRecordName: announced)
            session.laterSighting = nil
            if isSame { return }
            if session.delegateQueue.isAnnouncementInHand {
                session.laterSighting = sighting
                return
            }
            session.announcedAccount = nil
            session.delegateQueue.withdrawAnnouncement()
        }
        switch sighting {
        case .account(let userRecordName):
            reconcile(with: userRecordName)
        case .nobody:
            signOut()
            fallAsleep(SyncError(.notAuthenticated, "no account is signed in"))
        }
    }

    /// The delegate was told of an account: the state is its, unless another came meanwhile.
    mutating func accountAnnounced(_ userRecordName: String) {
        session.announcedAccount = nil
        record(.accountIdentified(userRecordName: userRecordName))
        guard let sighting = session.laterSighting else { return accountIsVerified() }
        session.laterSighting = nil
        accountSeen(sighting)
    }

    private mutating func reconcile(with userRecordName: String) {
        let current = Record.ID(recordName: userRecordName)
        #if PLANTED_BUGS
            if makes(.accountChangeMissed), case .signedIn = state.account {
                record(.accountIdentified(userRecordName: userRecordName))
                return accountIsVerified()
            }
        #endif
        switch state.account {
        case .signedIn(userRecordName):
            accountIsVerified()
        case .unidentified, .signedOut(userRecordName):
            // The state names the account only after the app heard of it: a crash in between
            // repeats the event.
            session.announcedAccount = userRecordName
            announceAccount([
                .event(
                    .accountChange(.init(changeType: .signIn(currentUser: current))),
                    .accountAnnounced(userRecordName: userRecordName)
                )
            ])
        case .signedIn(let previous):
            replaceAccount(
                previous,
                by: userRecordName,
                .switchAccounts(
                    previousUser: Record.ID(recordName: previous),
                    currentUser: current
                )
            )
        case .signedOut(let previous):
            replaceAccount(previous, by: userRecordName, .signIn(currentUser: current))
        }
    }

    /// Another account took over: what belongs to the former one goes, and the app is told.
    private mutating func replaceAccount(
        _ previous: String,
        by userRecordName: String,
        _ changeType: SyncEvent.AccountChange.ChangeType
    ) {
        stopOperationsOfFormerAccount()
        // Now that nobody deals with them, what was in flight is among them.
        let records = pendingRecordZoneChanges
        let zones = pendingDatabaseChanges
        session.children = [:]
        // Before the event: what its handler adds belongs to the new account.
        record(.accountReplaced(userRecordName: userRecordName, ended: state.writers))
        var news = [
            DelegateQueue.Item.event(
                .accountChange(.init(changeType: changeType)),
                .accountChangeAnnounced
            )
        ]
        if !records.isEmpty || !zones.isEmpty {
            let abandoned = SyncEvent.AbandonedChanges(
                recordZoneChanges: records,
                databaseChanges: zones,
                reason: .accountChanged(previousUser: Record.ID(recordName: previous))
            )
            news.append(.event(.abandonedChanges(abandoned), .nothing))
        }
        announceAccount(news)
    }

    /// Puts news of accounts before everything else, but behind older news of accounts.
    private mutating func announceAccount(_ news: [DelegateQueue.Item]) {
        redeliverThrownEvents()
        session.delegateQueue.insertAccountNews(news)
    }

    private mutating func signOut() {
        guard case .signedIn(let previous) = state.account else { return }
        stopOperationsOfFormerAccount()
        record(.accountSignedOut)
        let change = SyncEvent.AccountChange.ChangeType.signOut(
            previousUser: Record.ID(recordName: previous)
        )
        announceAccount([.event(.accountChange(.init(changeType: change)), .nothing)])
    }

    mutating func accountIsVerified() {
        // Where another answer is on its way, or came already, that one decides.
        guard session.accountRequest == nil, case .signedIn = state.account else { return }
        session.isAccountVerified = true
        if case .awaitingAccount = session.send.phase { settleThenSend() }
        if case .awaitingAccount = session.fetch.phase { settleThenFetch() }
        wakeUp()
    }

    /// There is nobody to sync for; the account's arrival ends that.
    private mutating func fallAsleep(_ error: SyncError) {
        noteAccountMissing(error)
        failLanesAwaitingAccount(error)
    }

    private mutating func failLanesAwaitingAccount(_ error: SyncError) {
        if case .awaitingAccount = session.send.phase { stopSend(error) }
        if case .awaitingAccount = session.fetch.phase { stopFetch(error) }
    }

    /// What is under way for the former account ends; its late answers change nothing.
    ///
    /// An operation that the delegate has not heard of begins anew with the next account.
    private mutating func stopOperationsOfFormerAccount() {
        session.settling = nil
        session.progress.beginAnew()
        session.ensuredZones = []
        session.deletedZones = []
        session.zoneDelays = ZoneDelays()
        session.failureCounts = FailureCounts()
        session.outcomeRefusalCounts = [:]
        forgetSchedule()
        // What the former account sent is news to whoever signs in, itself included.
        session.firstEntryOfAccount = session.nextEntry
        for followUp in session.delegateQueue.dropNewsOfRequests() {
            if case .sendAnnounced = followUp { session.send.current?.isAnnounced = false }
            if case .fetchAnnounced = followUp { session.fetch.current?.isAnnounced = false }
            if case .zoneAnnounced = followUp { session.fetch.current?.openZone = nil }
        }
        let error = SyncError(.notAuthenticated, "the account changed")
        if session.send.current?.isAnnounced == true {
            stopSend(error)
        } else if !session.send.isConcluding, session.send.current != nil {
            session.send.phase = .awaitingAccount
        }
        if session.fetch.current?.isAnnounced == true {
            stopFetch(error)
        } else if !session.fetch.isConcluding, session.fetch.current != nil {
            session.fetch.phase = .awaitingAccount
        }
    }
}
