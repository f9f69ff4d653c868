import RecordModel
import ServerCore

/// A request as it comes to the cloud.
struct CloudRequest: Sendable {
    let kind: RequestKind
    let device: String
    let scope: Database.Scope
    /// The account that it is made for; nil where the question is who that is.
    let account: String?
    /// What it is about, for the log.
    let summary: String
    /// Whether an item stands in it.
    let holds: @Sendable (SyncError.ItemID) -> Bool

    init(
        _ kind: RequestKind,
        from database: InMemoryDatabase,
        account: String?,
        summary: String,
        holds: @escaping @Sendable (SyncError.ItemID) -> Bool = { _ in false }
    ) {
        self.kind = kind
        device = database.device
        scope = database.scope
        self.account = account
        self.summary = summary
        self.holds = holds
    }
}
