import RecordModel

/// Writes a state as magic, version, body and checksum.
///
/// `Docs/StateFormat.md` has the grammar.
package struct StateEncoder {
    package static let magic = Array("RSst".utf8)
    package static let version = 1

    private var writer = BinaryWriter()
    private var zones = Interned<RecordZone.ID>()
    private var writers = Interned<UInt16>()

    private init() {}

    package static func encode(_ state: EngineState) -> [UInt8] {
        var encoder = StateEncoder()
        encoder.write(state)
        var body = BinaryWriter(capacity: encoder.writer.bytes.count + 256)
        body.write(raw: magic)
        body.write(version)
        body.write(list: encoder.zones.values) { $0.write($1) }
        body.write(list: encoder.writers.values) { writer, number in
            let coverage = state.writers[Int(number)]
            writer.write(coverage.writer)
            writer.write(coverage.covered)
        }
        body.write(raw: encoder.writer.bytes)
        body.write(raw: checksumBytes(body.bytes))
        return body.bytes
    }

    private mutating func write(_ state: EngineState) {
        let pending = state.records.slots.all()
        keepWriters(of: state, pending)
        writeAccount(state.account)
        writer.write(state.databaseName) { $0.write($1) }
        writer.write(state.databaseToken) { $0.write($1.bytes) }
        writer.write(state.historyID) { $0.write($1) }
        writer.write(state.zoneListing) { $0.write($1.rawValue) }
        writer.write(state.firstFetchReason.rawValue)
        writer.write(state.nextFullFetchID)
        writer.write(state.hasPendingUntrackedChanges)
        writer.write(state.retryDelay) { writer, delay in
            writer.write(delay.until.wall)
            writer.write(signed: delay.length.milliseconds)
        }
        writeZones(state.zones)
        writeZoneEntries(state.databaseChanges.entries)
        writeOpenZoneSends(state.openZoneSends)
        writeRecentSaves(state.recentSaves)
        writeOpenSends(state)
        writeRecords(pending, nextSequence: state.records.nextSequence)
    }

    /// Numbers the launches that are covered, or that a change names, by age: of two changes the
    /// older one stays known.
    private mutating func keepWriters(
        of state: EngineState,
        _ pending: [(change: PendingRecordZoneChange, slot: SlotTree.Slot)]
    ) {
        var isNamed = state.writers.map { !$0.covered.isEmpty }
        for (_, slot) in pending { isNamed[Int(slot.origin.writer)] = true }
        let zoneEntries = state.databaseChanges.entries + state.openZoneSends.flatMap(\.entries)
        for entry in zoneEntries { isNamed[Int(entry.origin.writer)] = true }
        for case .oldPlace(let taken) in state.openSends.flatMap(\.returns) {
            isNamed[Int(taken.origin.writer)] = true
        }
        for number in isNamed.indices where isNamed[number] {
            _ = writers.index(of: UInt16(number))
        }
    }

    private mutating func writeAccount(_ account: EngineState.AccountState) {
        switch account {
        case .unidentified: writer.write(UInt8(0))
        case .signedIn(let name):
            writer.write(UInt8(1))
            writer.write(name)
        case .signedOut(let name):
            writer.write(UInt8(2))
            writer.write(name)
        }
    }

    private mutating func writeZones(_ table: OrderedTable<RecordZone.ID, EngineState.ZoneState>) {
        writer.write(table.count)
        for (zoneID, zone) in table.pairs {
            writer.write(zones.index(of: zoneID))
            writer.write(zone.token) { $0.write($1.bytes) }
            writer.write(zone.hasUnfetchedChanges)
            writer.write(zone.firstOwnChangeTag) { $0.write($1) }
            writer.write(zone.fullFetch) { writer, fetch in
                writer.write(fetch.id)
                writer.write(fetch.reason.rawValue)
            }
        }
    }

    private mutating func writeOpenZoneSends(_ sends: [EngineState.OpenZoneSend]) {
        writer.write(sends.count)
        for send in sends {
            writer.write(send.key.writer)
            writer.write(send.key.number)
            writeZoneEntries(send.entries)
        }
    }

    private mutating func writeZoneEntries(_ entries: [PendingZoneChanges.Entry]) {
        writer.write(entries.count)
        for entry in entries {
            switch entry.change {
            case .saveZone(let zone):
                writer.write(UInt8(0))
                writer.write(zone.capabilities.rawValue)
            case .deleteZone:
                writer.write(UInt8(1))
            }
            writer.write(zones.index(of: entry.change.zoneID))
            write(entry.origin)
        }
    }

    private mutating func writeRecentSaves(_ recent: RecentSaves) {
        writer.write(recent.saves.count)
        for save in recent.saves {
            write(save.recordID)
            writer.write(save.changeTag)
        }
    }

    private mutating func writeOpenSends(_ state: EngineState) {
        writer.write(state.openSends.count)
        for send in state.openSends {
            writer.write(send.key.writer)
            writer.write(send.key.number)
            writer.write(send.changes.count)
            for (open, place) in zip(send.changes, send.returns) {
                writer.write(UInt8(open.change == .saveRecord(open.change.recordID) ? 0 : 1))
                write(open.change.recordID)
                writer.write(open.recordType)
                write(place)
            }
        }
    }

    private mutating func write(_ place: EngineState.Return) {
        switch place {
        case .end:
            writer.write(UInt8(0))
        case .oldPlace(let taken):
            writer.write(UInt8(1))
            writer.write(taken.sequence)
            write(taken.origin)
        case .nowhere:
            writer.write(UInt8(2))
        }
    }

    private mutating func writeRecords(
        _ pending: [(change: PendingRecordZoneChange, slot: SlotTree.Slot)],
        nextSequence: UInt64
    ) {
        writer.write(nextSequence)
        writer.write(pending.count)
        var last: UInt64 = 0
        for (change, slot) in pending {
            writer.write(slot.sequence - last)
            last = slot.sequence
            writer.write(slot.status.stored)
            write(change.recordID)
            write(slot.origin)
        }
    }

    private mutating func write(_ recordID: Record.ID) {
        writer.write(zones.index(of: recordID.zoneID))
        writer.write(recordID.recordName)
    }

    private mutating func write(_ origin: EntryOrigin) {
        writer.write(writers.index(of: origin.writer))
        writer.write(origin.number)
    }
}

extension SlotTree.Status {
    /// As the format has it; a save that waits for its parent is stored as any other save.
    fileprivate var stored: UInt8 {
        switch self {
        case .save, .blockedSave: 0
        case .delete: 1
        case .parkedSave: 2
        case .parkedDelete: 3
        case .quarantinedSave: 4
        case .quarantinedDelete: 5
        case .dead: preconditionFailure("a dead slot is not stored")
        }
    }
}
