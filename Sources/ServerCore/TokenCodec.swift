import RecordModel

/// What a token says, once it is known to be this server's own.
struct Bookmark: Hashable, Sendable {
    /// The history of the storage it belongs to.
    var epoch: UInt64
    /// The life of the zone it belongs to; 0 in the feed of a database.
    var generation: UInt64
    /// Everything up to this place was given.
    var position: LogPosition
    /// While a fetch from the beginning goes on, the head when it began; else 0.
    ///
    /// The deletions up to there are none of its business.
    var listedThrough: UInt64 = 0
    /// While a fetch from the beginning lists deletions too, the zone's floor when it began.
    ///
    /// The deletions that were forgotten by then are none of its business.
    var floorAtStart = LogPosition.start

    /// Deletions up to here are known or of no interest.
    var knownDeletions: LogPosition {
        max(position, .end(of: listedThrough), floorAtStart)
    }
}

/// The feed that a token belongs to.
enum Feed: Hashable, Sendable {
    /// The zones of a database.
    case database(DatabaseKey)
    /// The records of a zone.
    case zone(DatabaseKey, zoneName: String)
}

/// Writes and reads tokens.
///
/// A token has 90 bytes: version, kind, epoch, generation, sequence, ordinal, head and floor of the
/// listing, and an HMAC-SHA-256 over these and over the account, the database and the zone that it
/// was made for. It is authenticated before anything of it is read, so a token that was altered,
/// made by somebody else, or made for another account or zone is simply none.
struct TokenCodec: Sendable {
    let key: [UInt8]

    func token(for bookmark: Bookmark, in feed: Feed) -> ServerChangeToken {
        var writer = BinaryWriter(capacity: tokenByteCount)
        writer.write(tokenVersion)
        writer.write(feed.kind)
        writer.write(fixed: bookmark.epoch)
        writer.write(fixed: bookmark.generation)
        writer.write(fixed: bookmark.position.sequence)
        writer.write(fixed: UInt64(bookmark.position.ordinal))
        writer.write(fixed: bookmark.listedThrough)
        writer.write(fixed: bookmark.floorAtStart.sequence)
        writer.write(fixed: UInt64(bookmark.floorAtStart.ordinal))
        let body = writer.bytes
        return ServerChangeToken(bytes: body + seal(body, for: feed))
    }

    /// What the token says; nil unless this server made it for this feed.
    func bookmark(in token: ServerChangeToken, of feed: Feed) -> Bookmark? {
        guard token.bytes.count == tokenByteCount else { return nil }
        let body = Array(token.bytes.prefix(bodyByteCount))
        let seal = token.bytes.suffix(sealByteCount)
        guard isEqualInConstantTime(seal, self.seal(body, for: feed)[...]) else { return nil }
        return try? read(body, of: feed)
    }

    #if PLANTED_BUGS
        func bookmark(
            in token: ServerChangeToken,
            of feed: Feed,
            isSealUnchecked: Bool
        ) -> Bookmark? {
            guard isSealUnchecked, token.bytes.count == tokenByteCount else {
                return bookmark(in: token, of: feed)
            }
            return try? read(Array(token.bytes.prefix(bodyByteCount)), of: feed)
        }
    #endif

    private func read(
        _ body: [UInt8],
        of feed: Feed
    ) throws(BinaryReader.Failure) -> Bookmark? {
        var reader = BinaryReader(body)
        guard try reader.readByte() == tokenVersion, try reader.readByte() == feed.kind else {
            return nil
        }
        let epoch = try reader.readFixed()
        let generation = try reader.readFixed()
        let position = try readPosition(&reader)
        let listedThrough = try reader.readFixed()
        guard let position, let floorAtStart = try readPosition(&reader) else { return nil }
        return Bookmark(
            epoch: epoch,
            generation: generation,
            position: position,
            listedThrough: listedThrough,
            floorAtStart: floorAtStart
        )
    }

    private func readPosition(
        _ reader: inout BinaryReader
    ) throws(BinaryReader.Failure) -> LogPosition? {
        let sequence = try reader.readFixed()
        return UInt32(exactly: try reader.readFixed()).map {
            LogPosition(sequence: sequence, ordinal: $0)
        }
    }

    private func seal(_ body: [UInt8], for feed: Feed) -> [UInt8] {
        var writer = BinaryWriter(capacity: 2 * tokenByteCount)
        writer.write(body)
        writer.write(feed.database.account)
        writer.write(UInt8(feed.database.scope.rawValue))
        writer.write(feed.zoneName) { $0.write($1) }
        return SHA256.authenticate(writer.bytes, key: key)
    }
}

extension Feed {
    fileprivate var kind: UInt8 { zoneName == nil ? 1 : 2 }

    fileprivate var database: DatabaseKey {
        switch self {
        case .database(let key), .zone(let key, _): key
        }
    }

    fileprivate var zoneName: String? {
        switch self {
        case .database: nil
        case .zone(_, let zoneName): zoneName
        }
    }
}

/// Compares without telling by its duration where the first difference is.
func isEqualInConstantTime(_ left: ArraySlice<UInt8>, _ right: ArraySlice<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    var difference: UInt8 = 0
    for (leftByte, rightByte) in zip(left, right) { difference |= leftByte ^ rightByte }
    return difference == 0
}

private let tokenVersion: UInt8 = 1
private let bodyByteCount = 2 + 7 * 8
private let sealByteCount = 32
private let tokenByteCount = bodyByteCount + sealByteCount
