import RecordModel

/// Watches over the pages of one listing: a server that says "more" for ever must not be followed
/// for ever, and one that has a lot must be followed to its end.
///
/// Three ways to go nowhere are seen: the same token again and again, tokens that go round in a
/// circle of any length, and an absurd number of pages without news under ever new tokens.
struct PageGuard: Sendable {
    private var stalledPageCount = 0
    private var emptyPageCount = 0
    /// A token of this listing; it is replaced after one, two, four, eight … pages, so that in the
    /// end it lies within the circle, and the circle fits between two replacements.
    private var landmark: ServerChangeToken?
    private var pageCountToLandmark = 1
    private var pageCount = 0

    /// The token of the last page that was handled.
    private var last: ServerChangeToken?

    init(since token: ServerChangeToken?) {
        landmark = token
        last = token
    }

    /// Takes in a page that is not the last; gives what is wrong with it.
    mutating func stall(
        at token: ServerChangeToken,
        after previous: ServerChangeToken?,
        isEmpty: Bool
    ) -> SyncError? {
        stalledPageCount = token == previous ? stalledPageCount + 1 : 0
        emptyPageCount = isEmpty ? emptyPageCount + 1 : 0
        if stalledPageCount >= EngineConfiguration.stalledPageCountMax {
            return SyncError(
                .internalError,
                "the server says that more is coming but gives the same token "
                    + "\(stalledPageCount) times"
            )
        }
        if emptyPageCount >= EngineConfiguration.emptyPageCountMax {
            return SyncError(
                .internalError,
                "the server says that more is coming but gave \(emptyPageCount) pages without news"
            )
        }
        return nil
    }

    /// Takes in the token of a page that was handled and is not the last; true if it was there
    /// before.
    mutating func closesCircle(_ token: ServerChangeToken) -> Bool {
        // The same one twice in a row is a stall, and counted as such.
        guard token != last else { return false }
        last = token
        if token == landmark { return true }
        pageCount += 1
        guard pageCount == pageCountToLandmark else { return false }
        landmark = token
        pageCount = 0
        pageCountToLandmark *= 2
        return false
    }
}

extension EngineCore {
    /// What is wrong with a page of zones that says "more".
    mutating func stall(
        of reply: DatabaseChangesReply,
        since token: ServerChangeToken?
    ) -> SyncError? {
        guard reply.moreComing else { return nil }
        let isEmpty = reply.modifications.isEmpty && reply.deletions.isEmpty
        return session.fetch.current?.pages
            .stall(at: reply.changeToken, after: token, isEmpty: isEmpty)
    }

    /// What is wrong with a page of a zone that says "more".
    mutating func stall(
        of reply: ZoneChangesReply,
        since token: ServerChangeToken?
    ) -> SyncError? {
        guard reply.moreComing else { return nil }
        let isEmpty = reply.modifications.isEmpty && reply.deletions.isEmpty
        return session.fetch.current?.pages
            .stall(at: reply.changeToken, after: token, isEmpty: isEmpty)
    }

    /// What is wrong with the token of a page that was handled, and behind which more is coming.
    mutating func cycle(at token: ServerChangeToken) -> SyncError? {
        guard session.fetch.current?.pages.closesCircle(token) == true else { return nil }
        return SyncError(
            .internalError,
            "the server says that more is coming but its tokens go round in a circle"
        )
    }
}
