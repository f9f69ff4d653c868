import RecordModel

/// Reads what a `JournalEntryEncoder` wrote, and nothing else.
struct JournalEntryDecoder {
    private var reader: BinaryReader
    private var zones: [RecordZone.ID] = []
    private var writers: [WriterID] = []

    private typealias Failure = BinaryReader.Failure

    static func decode(_ bytes: [UInt8]) throws(StateSerializationError) -> JournalEntry {
        guard let version = bytes.first, bytes.count > 5 else {
            throw .damaged(bytes: bytes, reason: "it is too short for an entry")
        }
        guard version <= JournalEntryEncoder.version else {
            throw .newerFormat(bytes: bytes, version: Int(version))
        }
        let body = bytes.dropLast(4)
        guard version > 0, checksumBytes(body) == Array(bytes.suffix(4)) else {
            throw .damaged(bytes: bytes, reason: "its checksum does not fit")
        }
        do {
            var decoder = JournalEntryDecoder(reader: BinaryReader(body.dropFirst()))
            return try decoder.readEntry()
        } catch {
            throw .damaged(
                bytes: bytes,
                reason: "at byte \(error.position) stands no \(error.expected)"
            )
        }
    }

    private init(reader: BinaryReader) { self.reader = reader }

    private mutating func readEntry() throws(Failure) -> JournalEntry {
        let writer = try reader.readWriterID()
        let id = IdempotencyKey(writer: writer, number: try reader.readEntryNumber())
        zones = try reader.readList { reader throws(Failure) in try reader.readZoneID() }
        writers = try reader.readList { reader throws(Failure) in try reader.readWriterID() }
        var kind = try reader.readByte()
        var context = EntryContext()
        if kind == JournalEntryEncoder.contextMark {
            context = try readContext()
            kind = try reader.readByte()
        }
        let change = try readChange(kind)
        guard reader.isAtEnd else { throw reader.failure("end") }
        return JournalEntry(id: id, change: change, context: context)
    }

    private mutating func readContext() throws(Failure) -> EntryContext {
        var context = EntryContext()
        context.databaseName = try reader.readOptional { r throws(Failure) in try r.readString() }
        context.awaited = try reader.readCoveredNumbers()
        context.applied = try readCoverages()
        // An empty one is not written: one state has one form.
        guard !context.isEmpty else { throw reader.failure("context") }
        return context
    }

    private mutating func readChange(_ kind: UInt8) throws(Failure) -> StateChange {
        guard let tag = StateChange.Tag(rawValue: kind) else {
            throw reader.failure("kind of change")
        }
        switch tag {
        case .recordChangesAdded: return .recordChangesAdded(try readRecordChanges())
        case .prioritizedChangesAdded:
            let priority = try reader.readPriority()
            return .prioritizedChangesAdded(try readRecordChanges(), priority)
        case .recordChangesRemoved: return .recordChangesRemoved(try readEnded())
        case .databaseChangesAdded: return .databaseChangesAdded(try readZoneChanges())
        case .untrackedChangesSet: return .untrackedChangesSet(try reader.readFlag())
        case .parkedChangesResumed: return .parkedChangesResumed
        case .sendOpened: return .sendOpened(try readOpened())
        case .sendPartOpened: return try readPartOpened()
        case .sendClosed: return try readClosed()
        case .databaseChangesSettled: return .databaseChangesSettled(try readEndedZones())
        case .zoneSendOpened: return .zoneSendOpened(try readEndedZones())
        case .zoneSendClosed:
            let key = try readEntryID()
            return .zoneSendClosed(key, try readEndedZones())
        case .databasePageHandled: return try readDatabasePage()
        case .zoneListingBegun: return .zoneListingBegun(try readReason())
        case .zoneListingPageHandled:
            return .zoneListingPageHandled(modified: try readZoneIDs())
        case .historySeen: return .historySeen(try reader.readString())
        case .damageSettled: return .damageSettled
        case .tokensReset:
            return .tokensReset(try reader.readFlag() ? try readZoneIDs() : nil)
        case .zonePageHandled: return try readZonePage()
        case .fullFetchBegun: return try readFullFetch()
        case .zoneForgotten: return .zoneForgotten(try readZoneID())
        case .zoneMissed: return .zoneMissed(try readZoneID())
        case .zoneChangesAbandoned: return .zoneChangesAbandoned(try readEnded())
        case .accountIdentified:
            return .accountIdentified(userRecordName: try reader.readString())
        case .accountSignedOut: return .accountSignedOut
        case .accountReplaced: return try readReplaced()
        case .retryDelaySet: return .retryDelaySet(try readRetryDelay())
        }
    }
}

// The parts of changes.

extension JournalEntryDecoder {
    private mutating func readRecordChanges() throws(Failure) -> [PendingRecordZoneChange] {
        var changes: [PendingRecordZoneChange] = []
        for _ in 0..<(try reader.readCount()) { changes.append(try readRecordChange()) }
        return changes
    }

    private mutating func readEnded() throws(Failure) -> [StateChange.EndedChange] {
        var ended: [StateChange.EndedChange] = []
        for _ in 0..<(try reader.readCount()) {
            let change = try readRecordChange()
            ended.append(.init(change: change, entry: try readOptionalEntry()))
        }
        return ended
    }

    private mutating func readZoneChanges() throws(Failure) -> [PendingDatabaseChange] {
        var changes: [PendingDatabaseChange] = []
        for _ in 0..<(try reader.readCount()) { changes.append(try readZoneChange()) }
        return changes
    }

    private mutating func readEndedZones() throws(Failure) -> [StateChange.EndedZoneChange] {
        var ended: [StateChange.EndedZoneChange] = []
        for _ in 0..<(try reader.readCount()) {
            let change = try readZoneChange()
            ended.append(.init(change: change, entry: try readEntryID()))
        }
        return ended
    }

    private mutating func readOpened() throws(Failure) -> [StateChange.OpenedChange] {
        var opened: [StateChange.OpenedChange] = []
        for _ in 0..<(try reader.readCount()) {
            let change = try readRecordChange()
            let recordType = try reader.readString()
            let entry = try readOptionalEntry()
            opened.append(.init(change: change, recordType: recordType, entry: entry))
        }
        return opened
    }

    private mutating func readPartOpened() throws(Failure) -> StateChange {
        let key = try readEntryID()
        var recordIDs: [Record.ID] = []
        for _ in 0..<(try reader.readCount()) { recordIDs.append(try readRecordID()) }
        return .sendPartOpened(of: key, recordIDs)
    }

    private mutating func readClosed() throws(Failure) -> StateChange {
        let key = try readEntryID()
        let dispositions = try reader.readList { reader throws(Failure) in
            try reader.readDisposition()
        }
        return .sendClosed(key, dispositions)
    }

    private mutating func readDatabasePage() throws(Failure) -> StateChange {
        let token = ServerChangeToken(bytes: try reader.readBytes())
        let modified = try readZoneIDs()
        return .databasePageHandled(token: token, modified: modified, deleted: try readZoneIDs())
    }

    private mutating func readZonePage() throws(Failure) -> StateChange {
        let zoneID = try readZoneID()
        let token = ServerChangeToken(bytes: try reader.readBytes())
        return .zonePageHandled(zoneID, token: token, moreComing: try reader.readFlag())
    }

    private mutating func readFullFetch() throws(Failure) -> StateChange {
        let zoneID = try readZoneID()
        return .fullFetchBegun(zoneID, try readReason())
    }

    private mutating func readReason() throws(Failure) -> SyncEvent.FullFetchReason {
        try reader.readFullFetchReason()
    }

    private mutating func readReplaced() throws(Failure) -> StateChange {
        let userRecordName = try reader.readString()
        return .accountReplaced(userRecordName: userRecordName, ended: try readCoverages())
    }

    private mutating func readCoverages() throws(Failure) -> [EngineState.WriterCoverage] {
        var coverages: [EngineState.WriterCoverage] = []
        for _ in 0..<(try reader.readCount()) {
            let writer = try readWriter()
            coverages.append(.init(writer: writer, covered: try reader.readCoveredNumbers()))
        }
        return coverages
    }

    private mutating func readRetryDelay() throws(Failure) -> EngineState.RetryDelay? {
        try reader.readOptional { reader throws(Failure) in try reader.readRetryDelay() }
    }

    private mutating func readRecordChange() throws(Failure) -> PendingRecordZoneChange {
        let isSave = try reader.readFlag()
        let recordID = try readRecordID()
        return isSave ? .saveRecord(recordID) : .deleteRecord(recordID)
    }

    private mutating func readRecordID() throws(Failure) -> Record.ID {
        let zoneID = try readZoneID()
        return Record.ID(recordName: try reader.readString(), zoneID: zoneID)
    }

    private mutating func readZoneChange() throws(Failure) -> PendingDatabaseChange {
        let isSave = try reader.readFlag()
        let zoneID = try readZoneID()
        guard isSave else { return .deleteZone(zoneID) }
        guard let capabilities = Int(exactly: try reader.readNumber()) else {
            throw reader.failure("capabilities of a zone")
        }
        return .saveZone(
            RecordZone(zoneID: zoneID, capabilities: .init(rawValue: capabilities))
        )
    }

    private mutating func readZoneIDs() throws(Failure) -> [RecordZone.ID] {
        var zoneIDs: [RecordZone.ID] = []
        for _ in 0..<(try reader.readCount()) { zoneIDs.append(try readZoneID()) }
        return zoneIDs
    }

    private mutating func readZoneID() throws(Failure) -> RecordZone.ID {
        let index = try reader.readNumber()
        guard index < UInt64(zones.count) else { throw reader.failure("number of a zone") }
        return zones[Int(index)]
    }

    private mutating func readOptionalEntry() throws(Failure) -> IdempotencyKey? {
        try reader.readFlag() ? try readEntryID() : nil
    }

    private mutating func readEntryID() throws(Failure) -> IdempotencyKey {
        let writer = try readWriter()
        return IdempotencyKey(writer: writer, number: try reader.readEntryNumber())
    }

    private mutating func readWriter() throws(Failure) -> WriterID {
        let index = try reader.readNumber()
        guard index < UInt64(writers.count) else { throw reader.failure("number of a writer") }
        return writers[Int(index)]
    }
}

extension BinaryReader {
    /// A launch writes fewer than 2^48 entries, from 1 on.
    fileprivate mutating func readEntryNumber() throws(Failure) -> UInt64 {
        let number = try readNumber()
        guard number > 0, number < 1 << 48 else { throw failure("number of an entry") }
        return number
    }

    fileprivate mutating func readDisposition() throws(Failure) -> StateChange.Disposition {
        switch try readByte() {
        case 0: return .confirmed(changeTag: nil)
        case 1: return .confirmed(changeTag: try readString())
        case 2: return .returned
        case 3: return .parked
        case 4: return .surfaced
        case 5: return .quarantined
        case _: throw failure("outcome of a change")
        }
    }
}
