public import RecordModel
public import RecordSync

/// A server connection whose answers a test writes one by one.
///
///     let database = ScriptedDatabase()
///     database.answerModifyRecords(.failure(SyncError(.zoneBusy)), .reply(reply))
///     database.answerZoneChanges(.computed { request in … })
///
/// Each kind of request has a queue of answers. A request for which none is left fails with
/// `internalError`, which says so; see `unanswered`. Only who is signed in has an answer from the
/// beginning.
public final class ScriptedDatabase: SyncDatabase {
    /// Names the database.
    public let name: String
    /// Which of the account's databases it plays.
    public let scope: Database.Scope
    /// What it says one request may hold.
    public let limits: RequestLimits
    private let protected: Guarded<Protected>

    /// An answer to a request.
    public enum Answer<Request: Sendable, Reply: Sendable>: Sendable {
        /// This.
        case reply(Reply)
        /// The request fails.
        case failure(SyncError)
        /// What a function makes of the request; it may wait.
        case computed(@Sendable (Request) async throws(SyncError) -> Reply)
    }

    /// A request that came.
    public enum Request: Hashable, Sendable {
        /// Who is signed in.
        case accountStatus
        /// Which zones changed.
        case databaseChanges(DatabaseChangesRequest)
        /// Which records of a zone changed.
        case zoneChanges(ZoneChangesRequest)
        /// Save and delete zones.
        case modifyZones(ModifyZonesRequest)
        /// Save and delete records.
        case modifyRecords(ModifyRecordsRequest)
        /// Give single records.
        case lookUpRecords(LookUpRecordsRequest)
        /// What became of a send.
        case outcome(SendOutcomeRequest)
    }

    private struct Protected {
        var accountStatus: AccountStatus
        var requests: [Request] = []
        var accounts: [String] = []
        var unanswered: [Request] = []
        var targets: [AsyncStream<DatabaseNotification>.Continuation] = []
        var accountStatusAnswers = Answers<Void, AccountStatus>()
        var databaseChangesAnswers = Answers<DatabaseChangesRequest, DatabaseChangesReply>()
        var zoneChangesAnswers = Answers<ZoneChangesRequest, ZoneChangesReply>()
        var modifyZonesAnswers = Answers<ModifyZonesRequest, ModifyZonesReply>()
        var modifyRecordsAnswers = Answers<ModifyRecordsRequest, ModifyRecordsReply>()
        var lookUpRecordsAnswers = Answers<LookUpRecordsRequest, LookUpRecordsReply>()
        var outcomeAnswers = Answers<SendOutcomeRequest, SendOutcome>()
    }

    /// The answers to one kind of request.
    private struct Answers<Request: Sendable, Reply: Sendable> {
        var waiting: [Answer<Request, Reply>] = []
        var takenCount = 0

        mutating func take() -> Answer<Request, Reply>? {
            takenCount += 1
            return waiting.isEmpty ? nil : waiting.removeFirst()
        }
    }

    /// Makes a connection on which an account is signed in.
    public init(
        name: String = "scripted/private",
        scope: Database.Scope = .private,
        limits: RequestLimits = .standard,
        accountStatus: AccountStatus = .available(userRecordName: "user")
    ) {
        self.name = name
        self.scope = scope
        self.limits = limits
        protected = Guarded(Protected(accountStatus: accountStatus))
    }

    deinit {
        for target in protected.withLock({ $0.targets }) { target.finish() }
    }

    // MARK: What came

    /// Every request, in the order of their coming.
    public var requests: [Request] { protected.withLock { $0.requests } }

    /// The account of every request that names one, in the order of their coming.
    public var accounts: [String] { protected.withLock { $0.accounts } }

    /// The requests for which no answer was left.
    public var unanswered: [Request] { protected.withLock { $0.unanswered } }

    // MARK: The script

    /// Sets who is signed in, where no answer waits.
    public func setAccountStatus(_ status: AccountStatus) {
        protected.withLock { $0.accountStatus = status }
    }

    /// Gives all listeners a hint.
    public func notify(_ notification: DatabaseNotification) {
        for target in protected.withLock({ $0.targets }) { target.yield(notification) }
    }

    /// Adds answers to the question who is signed in.
    public func answerAccountStatus(_ answers: Answer<Void, AccountStatus>...) {
        protected.withLock { $0.accountStatusAnswers.waiting += answers }
    }

    /// Adds answers to the question which zones changed.
    public func answerDatabaseChanges(
        _ answers: Answer<DatabaseChangesRequest, DatabaseChangesReply>...
    ) {
        protected.withLock { $0.databaseChangesAnswers.waiting += answers }
    }

    /// Adds answers to the question which records of a zone changed.
    public func answerZoneChanges(_ answers: Answer<ZoneChangesRequest, ZoneChangesReply>...) {
        protected.withLock { $0.zoneChangesAnswers.waiting += answers }
    }

    /// Adds answers to changes of zones.
    public func answerModifyZones(_ answers: Answer<ModifyZonesRequest, ModifyZonesReply>...) {
        protected.withLock { $0.modifyZonesAnswers.waiting += answers }
    }

    /// Adds answers to batches of records.
    public func answerModifyRecords(
        _ answers: Answer<ModifyRecordsRequest, ModifyRecordsReply>...
    ) {
        protected.withLock { $0.modifyRecordsAnswers.waiting += answers }
    }

    /// Adds answers to the question for single records.
    public func answerLookUpRecords(
        _ answers: Answer<LookUpRecordsRequest, LookUpRecordsReply>...
    ) {
        protected.withLock { $0.lookUpRecordsAnswers.waiting += answers }
    }

    /// Adds answers to the question what became of a send.
    public func answerOutcome(_ answers: Answer<SendOutcomeRequest, SendOutcome>...) {
        protected.withLock { $0.outcomeAnswers.waiting += answers }
    }
}

// What the engine asks.

extension ScriptedDatabase {
    /// Gives the next scripted answer, or the status that was set.
    public func accountStatus() async throws(SyncError) -> AccountStatus {
        let (answer, status) = protected.withLock { protected in
            protected.requests.append(.accountStatus)
            return (protected.accountStatusAnswers.take(), protected.accountStatus)
        }
        guard let answer else { return status }
        return try await answer.reply(to: ())
    }

    /// Gives the next scripted answer.
    public func databaseChanges(
        _ request: DatabaseChangesRequest,
        account: String
    ) async throws(SyncError) -> DatabaseChangesReply {
        try await answer(.databaseChanges(request), request, account, \.databaseChangesAnswers)
    }

    /// Gives the next scripted answer.
    public func zoneChanges(
        _ request: ZoneChangesRequest,
        account: String
    ) async throws(SyncError) -> ZoneChangesReply {
        try await answer(.zoneChanges(request), request, account, \.zoneChangesAnswers)
    }

    /// Gives the next scripted answer.
    public func modifyZones(
        _ request: ModifyZonesRequest,
        account: String
    ) async throws(SyncError) -> ModifyZonesReply {
        try await answer(.modifyZones(request), request, account, \.modifyZonesAnswers)
    }

    /// Gives the next scripted answer.
    public func modifyRecords(
        _ request: ModifyRecordsRequest,
        account: String
    ) async throws(SyncError) -> ModifyRecordsReply {
        try await answer(.modifyRecords(request), request, account, \.modifyRecordsAnswers)
    }

    /// Gives the next scripted answer.
    public func lookUpRecords(
        _ request: LookUpRecordsRequest,
        account: String
    ) async throws(SyncError) -> LookUpRecordsReply {
        try await answer(.lookUpRecords(request), request, account, \.lookUpRecordsAnswers)
    }

    /// Gives the next scripted answer.
    public func outcome(
        of request: SendOutcomeRequest,
        account: String
    ) async throws(SyncError) -> SendOutcome {
        try await answer(.outcome(request), request, account, \.outcomeAnswers)
    }

    /// Gives the hints of `notify(_:)`.
    public func notifications() -> AsyncStream<DatabaseNotification> {
        let (stream, target) = AsyncStream.makeStream(of: DatabaseNotification.self)
        protected.withLock { $0.targets.append(target) }
        return stream
    }

    private func answer<Asked: Sendable, Reply: Sendable>(
        _ request: Request,
        _ asked: Asked,
        _ account: String,
        _ answers: WritableKeyPath<Protected, Answers<Asked, Reply>>
    ) async throws(SyncError) -> Reply {
        let (answer, number) = protected.withLock { protected in
            protected.requests.append(request)
            protected.accounts.append(account)
            let answer = protected[keyPath: answers].take()
            if answer == nil { protected.unanswered.append(request) }
            return (answer, protected[keyPath: answers].takenCount)
        }
        guard let answer else {
            throw SyncError(
                .internalError,
                "the script has no answer to \(request.kind) number \(number)"
            )
        }
        return try await answer.reply(to: asked)
    }
}

extension ScriptedDatabase.Answer {
    fileprivate func reply(to request: Request) async throws(SyncError) -> Reply {
        switch self {
        case .reply(let reply): reply
        case .failure(let error): throw error
        case .computed(let body): try await body(request)
        }
    }
}

extension ScriptedDatabase.Request {
    /// The kind of the request.
    public var kind: RequestKind {
        switch self {
        case .accountStatus: .accountStatus
        case .databaseChanges: .databaseChanges
        case .zoneChanges: .zoneChanges
        case .modifyZones: .modifyZones
        case .modifyRecords: .modifyRecords
        case .lookUpRecords: .lookUpRecords
        case .outcome: .outcome
        }
    }
}
