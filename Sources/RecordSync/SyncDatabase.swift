public import RecordModel

/// A connection to one database of one device: what the engine needs of a server.
///
/// Implement it to put any server behind the engine. Every call names the account it is made for;
/// the connection answers `notAuthenticated` rather than act for another one. A call throws for a
/// failure of the whole request; failures of single items stand in the reply.
///
/// A failure after which the server may have taken the request must be `networkFailure` or
/// `serverResponseLost`: the engine then asks what became of it. `networkUnavailable` says that
/// nothing was sent.
public protocol SyncDatabase: Sendable {
    /// Names the container and the database, the same at every launch; a stored state of another
    /// database is refused.
    var name: String { get }
    /// Which of the account's databases this is.
    var scope: Database.Scope { get }
    /// What one request may hold.
    var limits: RequestLimits { get }
    /// The name or address of the server's host; nil if it takes no network to reach it.
    var serverAddress: String? { get }

    /// Says who is signed in.
    func accountStatus() async throws(SyncError) -> AccountStatus

    /// Gives a page of the zones that changed since a token.
    func databaseChanges(
        _ request: DatabaseChangesRequest,
        account: String
    ) async throws(SyncError) -> DatabaseChangesReply

    /// Gives a page of the records of a zone that changed since a token.
    func zoneChanges(
        _ request: ZoneChangesRequest,
        account: String
    ) async throws(SyncError) -> ZoneChangesReply

    /// Saves and deletes zones.
    func modifyZones(
        _ request: ModifyZonesRequest,
        account: String
    ) async throws(SyncError) -> ModifyZonesReply

    /// Saves and deletes records.
    func modifyRecords(
        _ request: ModifyRecordsRequest,
        account: String
    ) async throws(SyncError) -> ModifyRecordsReply

    /// Gives single records.
    func lookUpRecords(
        _ request: LookUpRecordsRequest,
        account: String
    ) async throws(SyncError) -> LookUpRecordsReply

    /// Says what became of a send; one that the server has not taken is closed by the question.
    func outcome(
        of request: SendOutcomeRequest,
        account: String
    ) async throws(SyncError) -> SendOutcome

    /// Says which of some files the server does not have yet for the account, by their checksums.
    ///
    /// Those that it has stay at least until the records that are to hold them were sent.
    func missingAssets(
        _ assets: [Asset],
        account: String
    ) async throws(SyncError) -> [Asset]

    /// Gives the server a file, which it checks and keeps for the account.
    ///
    /// Has no effect that another device sees; a file that the server has is given again without
    /// harm. Throws `assetFileModified` for bytes that are not those of the checksum.
    func upload(_ source: AssetSource, account: String) async throws(SyncError)

    /// Gives a target the bytes of a file of the account's, from `receivedByteCount` on.
    ///
    /// Throws `assetNotAvailable` if the server has no such file of the account's.
    func download(_ target: AssetTarget, account: String) async throws(SyncError)

    /// Gives a hint whenever the database may have something new; a lost one does no harm.
    func notifications() -> AsyncStream<DatabaseNotification>
}

extension SyncDatabase {
    /// CloudKit's figures.
    public var limits: RequestLimits { .standard }

    /// It takes no network.
    public var serverAddress: String? { nil }

    /// Carries no files: records with files to send fail, each alone.
    public func missingAssets(
        _ assets: [Asset],
        account: String
    ) async throws(SyncError) -> [Asset] { throw .noAssets }

    /// Carries no files.
    public func upload(_ source: AssetSource, account: String) async throws(SyncError) {
        throw .noAssets
    }

    /// Carries no files: fetched records are told without them.
    public func download(_ target: AssetTarget, account: String) async throws(SyncError) {
        throw .noAssets
    }
}

extension SyncError {
    fileprivate static let noAssets = SyncError(
        .assetNotAvailable,
        "the connection to this database carries no assets"
    )
}

/// A hint that carries no content: ask to learn more.
public enum DatabaseNotification: Hashable, Sendable {
    /// The database may have changes.
    case databaseChanged
    /// Another account may be signed in.
    case accountChanged
}
