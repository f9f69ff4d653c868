import RecordModel

/// What a fetch found.
enum FetchAnswer<Page> {
    /// A page.
    case page(Page)
    /// The token is this server's own and from this epoch, but lies beyond the head: the storage
    /// went back in time.
    case beyondHead
}

/// Where a fetch goes on.
enum FetchStart {
    /// At the beginning.
    case beginning
    /// Behind a bookmark of this epoch, at or before the head.
    case bookmark(Bookmark)
    /// Nowhere: the token cannot be used.
    case expired
    /// Nowhere: the token lies beyond the head.
    case beyondHead
}

extension Server {
    /// The name of the present epoch, as engines are told it.
    func historyID() throws -> String { String(try storage.epoch(), radix: 36) }

    /// Runs a fetch; a token beyond the head begins a new epoch, and is expired like any of the
    /// epoch before.
    mutating func fetch<Page>(
        at now: Timestamp,
        _ body: (inout Self) throws -> FetchAnswer<Page>
    ) throws(SyncError) -> Page {
        switch try read(body) {
        case .page(let page):
            return page
        case .beyondHead:
            try startNewEpoch(at: now)
            throw expiredToken()
        }
    }

    /// Reads a token.
    func start(of token: ServerChangeToken?, in feed: Feed, head: UInt64) throws -> FetchStart {
        guard let token else { return .beginning }
        let codec = TokenCodec(key: configuration.tokenKey)
        #if PLANTED_BUGS
            let decoded = codec.bookmark(
                in: token,
                of: feed,
                isSealUnchecked: makes(.tokenSealUnchecked)
            )
        #else
            let decoded = codec.bookmark(in: token, of: feed)
        #endif
        guard let bookmark = decoded,
            bookmark.epoch == (try storage.epoch())
        else { return .expired }
        // A position that was handed out was durable, so one that is not there any more means
        // that the storage was put back to an older state.
        let isKnown = max(bookmark.position.sequence, bookmark.listedThrough) <= head
        return isKnown ? .bookmark(bookmark) : .beyondHead
    }

    /// The bookmark to go on from; throws unless it is of this life and not behind the floor.
    func bookmark(
        from start: FetchStart,
        generation: UInt64,
        floor: LogPosition,
        head: UInt64
    ) throws -> Bookmark {
        switch start {
        case .beginning:
            return Bookmark(
                epoch: try storage.epoch(),
                generation: generation,
                position: .start,
                listedThrough: head
            )
        case .bookmark(let bookmark)
        where bookmark.generation == generation && bookmark.knownDeletions >= floor:
            return bookmark
        case .bookmark, .expired, .beyondHead:
            throw expiredToken()
        }
    }

    /// The token of the place where a page ends: its last row, or the head if none is behind it.
    func token(
        after last: LogPosition?,
        of bookmark: Bookmark,
        in feed: Feed,
        head: UInt64
    ) -> ServerChangeToken {
        var next = bookmark
        if let last {
            next.position = last
        } else {
            next.position = .end(of: head)
            next.listedThrough = 0
            next.floorAtStart = .start
        }
        return TokenCodec(key: configuration.tokenKey).token(for: next, in: feed)
    }

    /// How many rows a page may have.
    func pageCount(wanted: Int?) -> Int {
        max(1, min(wanted ?? .max, configuration.pageCountMax))
    }
}

/// The one answer to every token that cannot be used, whatever the cause.
func expiredToken() -> SyncError {
    SyncError(.changeTokenExpired, "the token cannot be used any more: fetch from none")
}
