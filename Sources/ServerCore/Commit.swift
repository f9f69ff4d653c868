import RecordModel

/// What one request writes: one place in the log, with an ordinal for each item.
struct Commit {
    /// The database written to.
    let database: DatabaseKey
    /// The commit's sequence number: one behind the head.
    let sequence: UInt64
    /// Who writes, from which device, and when.
    let stamp: Record.Stamp
    /// The send.
    let key: IdempotencyKey?
    /// The epoch, as change tags carry it.
    let epoch: UInt64
    /// How the bytes that the account uses change.
    var usedByteCountChange = 0

    /// The change tag of all versions but those that the clock is behind.
    private let usualChangeTag: String
    private var recordCount: UInt32 = 0
    private var zoneCount: UInt32 = 0

    init(
        database: DatabaseKey,
        sequence: UInt64,
        stamp: Record.Stamp,
        key: IdempotencyKey?,
        epoch: UInt64
    ) {
        self.database = database
        self.sequence = sequence
        self.stamp = stamp
        self.key = key
        self.epoch = epoch
        usualChangeTag = ChangeTag(sequence: sequence, time: stamp.timestamp, epoch: epoch).text
    }

    /// True if the commit changed something.
    var wroteZones: Bool { zoneCount > 0 }

    /// The place of the next record in the feeds of zones.
    mutating func nextRecordPosition() -> LogPosition {
        defer { recordCount += 1 }
        return LogPosition(sequence: sequence, ordinal: recordCount)
    }

    /// The place of the next zone in the feed of the database.
    mutating func nextZonePosition() -> LogPosition {
        defer { zoneCount += 1 }
        return LogPosition(sequence: sequence, ordinal: zoneCount)
    }

    /// The stamp of a record's next version: later than the last, whatever the clock does.
    func stamp(after old: StoredRecord?) -> Record.Stamp {
        guard let last = old?.stamp.timestamp, last >= stamp.timestamp else { return stamp }
        var later = stamp
        later.timestamp = Timestamp(millisecondsSince1970: last.millisecondsSince1970 + 1)
        return later
    }

    /// The change tag of a version with the given stamp.
    func changeTag(of stamp: Record.Stamp) -> String {
        stamp.timestamp == self.stamp.timestamp
            ? usualChangeTag
            : ChangeTag(sequence: sequence, time: stamp.timestamp, epoch: epoch).text
    }
}

/// What a change tag says.
///
/// The sequence number tells versions of a record apart; time and epoch keep a tag from being used
/// again after a backup was restored and the counter went back.
struct ChangeTag {
    let sequence: UInt64
    let milliseconds: UInt64
    let epoch: UInt64

    init(sequence: UInt64, time: Timestamp, epoch: UInt64) {
        self.sequence = sequence
        milliseconds = UInt64(bitPattern: time.millisecondsSince1970)
        self.epoch = epoch
    }

    /// Reads a tag; nil for text that is none.
    init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3, let sequence = UInt64(parts[0], radix: 36),
            let milliseconds = UInt64(parts[1], radix: 36), let epoch = UInt64(parts[2], radix: 36)
        else { return nil }
        (self.sequence, self.milliseconds, self.epoch) = (sequence, milliseconds, epoch)
    }

    var text: String {
        [sequence, milliseconds, epoch].map { String($0, radix: 36) }.joined(separator: "-")
    }
}

extension Server {
    /// Begins what a request writes.
    func beginCommit(
        for caller: ServerCaller,
        key: IdempotencyKey? = nil,
        at now: Timestamp
    ) throws -> Commit {
        Commit(
            database: caller.database,
            sequence: try storage.database(caller.database).head + 1,
            stamp: Record.Stamp(
                timestamp: now,
                userRecordName: caller.account,
                deviceID: caller.deviceID
            ),
            key: key,
            epoch: try storage.epoch()
        )
    }

    /// Moves the head of the log to the commit and books the bytes.
    mutating func finish(_ commit: Commit) throws {
        var database = try storage.database(commit.database)
        database.head = commit.sequence
        try storage.put(database, at: commit.database)
        guard commit.usedByteCountChange != 0,
            var account = try storage.account(commit.database.account)
        else { return }
        account.usedByteCount += commit.usedByteCountChange
        try storage.put(account)
    }
}
