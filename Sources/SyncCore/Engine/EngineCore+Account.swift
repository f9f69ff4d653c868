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
            reconcile(with: userRecordName)
        case .success(.noAccount):
            signOut()
            failLanesAwaitingAccount(SyncError(.notAuthenticated, "no account is signed in"))
        case .success(.restricted):
            failLanesAwaitingAccount(
                SyncError(.managedAccountRestricted, "the account may not use this service")
            )
        case .success(.temporarilyUnavailable):
            failLanesAwaitingAccount(
                SyncError(
                    .accountTemporarilyUnavailable,
                    "the account cannot be used now: keep its data and wait"
                )
            )
        case .success(.couldNotDetermine):
            failLanesAwaitingAccount(
                SyncError(.notAuthenticated, "it is not known whether an account is signed in")
            )
        case .failure(let error):
            noteRetryDelay(of: error)
            failLanesAwaitingAccount(error)
        }
    }

    private mutating func reconcile(with userRecordName: String) {
        let current = Record.ID(recordName: userRecordName)
        switch state.account {
        case .signedIn(userRecordName):
            accountIsVerified()
        case .unidentified, .signedOut(userRecordName):
            // The state names the account only after the app heard of it: a crash in between
            // repeats the event.
            session.delegateQueue.items.insert(
                .event(
                    .accountChange(.init(changeType: .signIn(currentUser: current))),
                    .accountAnnounced(userRecordName: userRecordName)
                ),
                at: 0
            )
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
        let records = pendingRecordZoneChanges
        let zones = pendingDatabaseChanges
        stopOperationsOfFormerAccount()
        session.children = [:]
        session.ensuredZones = []
        // Before the event: what its handler adds belongs to the new account.
        record(.accountReplaced(userRecordName: userRecordName))
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
        session.delegateQueue.items.insert(contentsOf: news, at: 0)
    }

    private mutating func signOut() {
        guard case .signedIn(let previous) = state.account else { return }
        stopOperationsOfFormerAccount()
        record(.accountSignedOut)
        let change = SyncEvent.AccountChange.ChangeType.signOut(
            previousUser: Record.ID(recordName: previous)
        )
        session.delegateQueue.items.insert(
            .event(.accountChange(.init(changeType: change)), .nothing),
            at: 0
        )
    }

    mutating func accountIsVerified() {
        session.isAccountVerified = true
        if case .awaitingAccount = session.send.phase { settleThenSend() }
        if case .awaitingAccount = session.fetch.phase { settleThenFetch() }
        sendSoon()
    }

    private mutating func failLanesAwaitingAccount(_ error: SyncError) {
        if case .awaitingAccount = session.send.phase { stopSend(error) }
        if case .awaitingAccount = session.fetch.phase { stopFetch(error) }
    }

    /// What is under way for the former account ends; its late answers change nothing.
    private mutating func stopOperationsOfFormerAccount() {
        session.delegateQueue.thrown = []
        session.settling = nil
        session.delegateQueue.dropNewsOfRequests()
        let error = SyncError(.notAuthenticated, "the account changed")
        if session.send.current?.isAnnounced == true { stopSend(error) }
        if session.fetch.current?.isAnnounced == true { stopFetch(error) }
    }
}
