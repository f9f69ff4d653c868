import RecordModel

/// Writes a journal entry as version, writer, number, body and checksum.
///
/// `Docs/StateFormat.md` has the grammar.
struct JournalEntryEncoder {
    static let version: UInt8 = 1
    /// Stands before the kind of a change that has a context.
    static let contextMark: UInt8 = 25

    private var writer = BinaryWriter()
    private var zones = Interned<RecordZone.ID>()
    private var writers = Interned<WriterID>()

    static func encode(_ entry: JournalEntry) -> [UInt8] {
        var encoder = JournalEntryEncoder()
        encoder.write(entry.context)
        encoder.write(entry.change)
        var bytes = BinaryWriter(capacity: encoder.writer.bytes.count + 96)
        bytes.write(version)
        bytes.write(entry.id.writer)
        bytes.write(entry.id.number)
        bytes.write(list: encoder.zones.values) { $0.write($1) }
        bytes.write(list: encoder.writers.values) { $0.write($1) }
        bytes.write(raw: encoder.writer.bytes)
        bytes.write(raw: checksumBytes(bytes.bytes))
        return bytes.bytes
    }

    private mutating func write(_ context: EntryContext) {
        guard !context.isEmpty else { return }
        writer.write(Self.contextMark)
        writer.write(context.databaseName) { $0.write($1) }
        writer.write(context.awaited)
        write(context.applied)
    }

    private mutating func write(_ change: StateChange) {
        writer.write(change.tag.rawValue)
        switch change {
        case .recordChangesAdded(let changes): write(changes)
        case .prioritizedChangesAdded(let changes, let priority):
            writer.write(UInt8(priority.rawValue))
            write(changes)
        case .recordChangesRemoved(let ended), .zoneChangesAbandoned(let ended):
            writer.write(ended.count)
            for end in ended {
                write(end.change)
                write(end.entry)
            }
        case .databaseChangesAdded(let changes):
            writer.write(changes.count)
            for change in changes { write(change) }
        case .untrackedChangesSet(let flag):
            writer.write(flag)
        case .parkedChangesResumed, .accountSignedOut, .damageSettled:
            return
        case .sendOpened(let changes):
            writer.write(changes.count)
            for change in changes { write(change) }
        case .sendPartOpened(let key, let recordIDs):
            write(key)
            writer.write(recordIDs.count)
            for recordID in recordIDs { write(recordID) }
        case .sendClosed(let key, let dispositions):
            write(key)
            writer.write(list: dispositions) { $0.write($1) }
        case .databaseChangesSettled(let ended), .zoneSendOpened(let ended):
            write(ended)
        case .zoneSendClosed(let key, let ended):
            write(key)
            write(ended)
        case .databasePageHandled(let token, let modified, let deleted):
            writer.write(token.bytes)
            write(modified)
            write(deleted)
        case .zoneListingBegun(let reason):
            writer.write(reason.rawValue)
        case .zoneListingPageHandled(let modified):
            write(modified)
        case .historySeen(let historyID):
            writer.write(historyID)
        case .tokensReset(let zoneIDs):
            writer.write(zoneIDs != nil)
            if let zoneIDs { write(zoneIDs) }
        case .zonePageHandled(let zoneID, let token, let moreComing):
            writer.write(zones.index(of: zoneID))
            writer.write(token.bytes)
            writer.write(moreComing)
        case .fullFetchBegun(let zoneID, let reason):
            writer.write(zones.index(of: zoneID))
            writer.write(reason.rawValue)
        case .zoneForgotten(let zoneID), .zoneMissed(let zoneID):
            writer.write(zones.index(of: zoneID))
        case .accountIdentified(let name):
            writer.write(name)
        case .accountReplaced(let name, let ended):
            writer.write(name)
            write(ended)
        case .retryDelaySet(let delay):
            writer.write(delay) { writer, delay in
                writer.write(delay.until.wall)
                writer.write(signed: delay.length.milliseconds)
            }
        }
    }

    private mutating func write(_ ended: [StateChange.EndedZoneChange]) {
        writer.write(ended.count)
        for end in ended {
            write(end.change)
            write(end.entry)
        }
    }

    private mutating func write(_ coverages: [EngineState.WriterCoverage]) {
        writer.write(coverages.count)
        for coverage in coverages {
            writer.write(writers.index(of: coverage.writer))
            writer.write(coverage.covered)
        }
    }

    private mutating func write(_ changes: [PendingRecordZoneChange]) {
        writer.write(changes.count)
        for change in changes { write(change) }
    }

    private mutating func write(_ change: PendingRecordZoneChange) {
        writer.write(change.isSave)
        write(change.recordID)
    }

    private mutating func write(_ recordID: Record.ID) {
        writer.write(zones.index(of: recordID.zoneID))
        writer.write(recordID.recordName)
    }

    private mutating func write(_ change: PendingDatabaseChange) {
        switch change {
        case .saveZone(let zone):
            writer.write(true)
            writer.write(zones.index(of: zone.zoneID))
            writer.write(zone.capabilities.rawValue)
        case .deleteZone(let zoneID):
            writer.write(false)
            writer.write(zones.index(of: zoneID))
        }
    }

    private mutating func write(_ opened: StateChange.OpenedChange) {
        write(opened.change)
        writer.write(opened.recordType)
        write(opened.entry)
    }

    private mutating func write(_ entry: IdempotencyKey?) {
        writer.write(entry != nil)
        if let entry { write(entry) }
    }

    private mutating func write(_ entry: IdempotencyKey) {
        writer.write(writers.index(of: entry.writer))
        writer.write(entry.number)
    }

    private mutating func write(_ zoneIDs: [RecordZone.ID]) {
        writer.write(zoneIDs.count)
        for zoneID in zoneIDs { writer.write(zones.index(of: zoneID)) }
    }
}

extension BinaryWriter {
    fileprivate mutating func write(_ disposition: StateChange.Disposition) {
        switch disposition {
        case .confirmed(nil): write(UInt8(0))
        case .confirmed(let changeTag?):
            write(UInt8(1))
            write(changeTag)
        case .returned: write(UInt8(2))
        case .parked: write(UInt8(3))
        case .surfaced: write(UInt8(4))
        case .quarantined: write(UInt8(5))
        }
    }
}
