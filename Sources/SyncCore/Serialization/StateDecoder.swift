import RecordModel

/// Reads what a `StateEncoder` wrote, and nothing else.
package struct StateDecoder {
    private var reader: BinaryReader
    private var zones: [RecordZone.ID] = []
    private var state = EngineState()

    private typealias Failure = BinaryReader.Failure

    package static func decode(_ bytes: [UInt8]) throws(StateSerializationError) -> EngineState {
        let body = try checkedBody(bytes)
        do {
            var decoder = StateDecoder(reader: BinaryReader(body))
            return try decoder.readState()
        } catch {
            throw .damaged(
                bytes: bytes,
                reason: "at byte \(error.position) stands no \(error.expected)"
            )
        }
    }

    private init(reader: BinaryReader) { self.reader = reader }

    /// The bytes between version and checksum.
    private static func checkedBody(
        _ bytes: [UInt8]
    ) throws(StateSerializationError) -> ArraySlice<UInt8> {
        let magic = StateEncoder.magic
        guard bytes.count >= magic.count + 5, bytes.starts(with: magic) else {
            throw .damaged(bytes: bytes, reason: "it does not begin as a state does")
        }
        // One byte while versions are below 128; a newer version may have another checksum.
        let version = Int(bytes[magic.count])
        guard version <= StateEncoder.version else {
            throw .newerFormat(bytes: bytes, version: version)
        }
        let end = bytes.count - 4
        let stored = bytes[end...].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        guard version > 0, checksum(bytes[..<end]) == stored else {
            throw .damaged(bytes: bytes, reason: "its checksum does not fit")
        }
        return bytes[(magic.count + 1)..<end]
    }

    private mutating func readState() throws(Failure) -> EngineState {
        zones = try reader.readList { reader throws(Failure) in try reader.readZoneID() }
        state.writers = try reader.readList { reader throws(Failure) in
            let writer = try reader.readWriterID()
            return .init(writer: writer, covered: try reader.readCoveredNumbers())
        }
        guard state.writers.count < UInt16.max else { throw reader.failure("number of launches") }
        state.account = try readAccount()
        state.databaseName = try reader.readOptional { r throws(Failure) in try r.readString() }
        state.databaseToken = try readToken()
        state.historyID = try reader.readOptional { r throws(Failure) in try r.readString() }
        state.zoneListing = try reader.readOptional { r throws(Failure) in
            try r.readFullFetchReason()
        }
        state.firstFetchReason = try reader.readFullFetchReason()
        state.nextFullFetchID = try reader.readCounter()
        state.hasPendingUntrackedChanges = try reader.readFlag()
        state.retryDelay = try reader.readOptional { reader throws(Failure) in
            try reader.readRetryDelay()
        }
        try readZones()
        state.databaseChanges = PendingZoneChanges(entries: try readZoneEntries())
        try readOpenZoneSends()
        state.recentSaves = RecentSaves(saves: try readRecentSaves())
        try readRecords(opened: try readOpenSends())
        guard reader.isAtEnd else { throw reader.failure("end") }
        return state
    }

    private mutating func readAccount() throws(Failure) -> EngineState.AccountState {
        switch try reader.readByte() {
        case 0: return .unidentified
        case 1: return .signedIn(userRecordName: try reader.readString())
        case 2: return .signedOut(userRecordName: try reader.readString())
        case _: throw reader.failure("account")
        }
    }

    private mutating func readToken() throws(Failure) -> ServerChangeToken? {
        try reader.readOptional { reader throws(Failure) in
            ServerChangeToken(bytes: try reader.readBytes())
        }
    }

    private mutating func readZones() throws(Failure) {
        for _ in 0..<(try reader.readCount()) {
            let zoneID = try readZoneIndex()
            var zone = EngineState.ZoneState()
            zone.token = try readToken()
            zone.hasUnfetchedChanges = try reader.readFlag()
            zone.firstOwnChangeTag = try reader.readOptional { r throws(Failure) in
                try r.readString()
            }
            zone.fullFetch = try reader.readOptional { reader throws(Failure) in
                let id = try reader.readCounter()
                return .init(id: id, reason: try reader.readFullFetchReason())
            }
            state.zones[zoneID] = zone
        }
    }

    private mutating func readOpenZoneSends() throws(Failure) {
        for _ in 0..<(try reader.readCount()) {
            let key = try readKey()
            state.openZoneSends.append(.init(key: key, entries: try readZoneEntries()))
        }
    }

    private mutating func readKey() throws(Failure) -> IdempotencyKey {
        let writer = WriterID(high: try reader.readFixed(), low: try reader.readFixed())
        return IdempotencyKey(writer: writer, number: try reader.readNumber())
    }

    private mutating func readZoneEntries() throws(Failure) -> [PendingZoneChanges.Entry] {
        var entries: [PendingZoneChanges.Entry] = []
        for _ in 0..<(try reader.readCount()) {
            let isSave = try reader.readByte() == 0
            let capabilities = isSave ? Int(try reader.readCounter()) : 0
            let zoneID = try readZoneIndex()
            let zone = RecordZone(zoneID: zoneID, capabilities: .init(rawValue: capabilities))
            entries.append(
                .init(
                    change: isSave ? .saveZone(zone) : .deleteZone(zoneID),
                    origin: try readOrigin()
                )
            )
        }
        return entries
    }

    private mutating func readRecentSaves() throws(Failure) -> [RecentSaves.Save] {
        var saves: [RecentSaves.Save] = []
        for _ in 0..<(try reader.readCount()) {
            saves.append(
                .init(recordID: try readRecordID(), changeTag: try reader.readString())
            )
        }
        return saves
    }

    /// A change in flight, before it has its place in the queue again.
    private struct Opened {
        var send: Int
        var change: Int
        var sequence: UInt64
        var origin: EntryOrigin
    }

    private mutating func readOpenSends() throws(Failure) -> [Opened] {
        var opened: [Opened] = []
        for _ in 0..<(try reader.readCount()) {
            var send = EngineState.OpenSend(key: try readKey())
            for _ in 0..<(try reader.readCount()) {
                let isSave = try reader.readByte() == 0
                let id = try readRecordID()
                let change: PendingRecordZoneChange = isSave ? .saveRecord(id) : .deleteRecord(id)
                let recordType = try reader.readString()
                var place = EngineState.Return.end
                switch try reader.readByte() {
                case 0: break
                case 1:
                    opened.append(
                        .init(
                            send: state.openSends.count,
                            change: send.changes.count,
                            sequence: try reader.readCounter(),
                            origin: try readOrigin()
                        )
                    )
                case 2: place = .nowhere
                case _: throw reader.failure("place in the queue")
                }
                send.append(.init(change: change, recordType: recordType, entry: nil), place)
            }
            state.openSends.append(send)
        }
        return opened.sorted { $0.sequence < $1.sequence }
    }

    /// Reads the queue, and keeps for each change in flight the place it came from.
    private mutating func readRecords(opened: [Opened]) throws(Failure) {
        let nextSequence = try reader.readCounter()
        guard nextSequence > 0 else { throw reader.failure("sequence number") }
        var waiting = opened[...]
        var sequence: UInt64 = 0
        for _ in 0..<(try reader.readCount()) {
            let (sum, overflow) = sequence.addingReportingOverflow(try reader.readNumber())
            guard !overflow, sum < nextSequence else { throw reader.failure("sequence number") }
            sequence = sum
            while let next = waiting.first, next.sequence < sequence {
                restore(next)
                waiting.removeFirst()
            }
            guard let status = SlotTree.Status(stored: try reader.readByte()) else {
                throw reader.failure("kind of change")
            }
            let id = try readRecordID()
            guard state.records.status(of: id) == nil else {
                throw reader.failure("record that is not pending twice")
            }
            _ = state.records.restore(
                status.isSave ? .saveRecord(id) : .deleteRecord(id),
                sequence: sequence,
                origin: try readOrigin(),
                status: status
            )
        }
        for next in waiting { restore(next) }
        state.records.raiseSequence(to: nextSequence)
    }

    private mutating func restore(_ opened: Opened) {
        let taken = state.records.restore(
            state.openSends[opened.send].changes[opened.change].change,
            sequence: opened.sequence,
            origin: opened.origin,
            status: .dead
        )
        state.openSends[opened.send].setReturn(of: opened.change, to: .oldPlace(taken))
    }

    private mutating func readRecordID() throws(Failure) -> Record.ID {
        let zoneID = try readZoneIndex()
        return Record.ID(recordName: try reader.readString(), zoneID: zoneID)
    }

    private mutating func readZoneIndex() throws(Failure) -> RecordZone.ID {
        let index = try reader.readNumber()
        guard index < UInt64(zones.count) else { throw reader.failure("number of a zone") }
        return zones[Int(index)]
    }

    private mutating func readOrigin() throws(Failure) -> EntryOrigin {
        let writer = try reader.readNumber()
        let number = try reader.readNumber()
        guard writer < UInt64(state.writers.count), number < 1 << 48 else {
            throw reader.failure("journal entry")
        }
        return EntryOrigin(writer: UInt16(writer), number: number)
    }
}

extension SlotTree.Status {
    fileprivate init?(stored: UInt8) {
        switch stored {
        case 0: self = .save
        case 1: self = .delete
        case 2: self = .parkedSave
        case 3: self = .parkedDelete
        case 4: self = .quarantinedSave
        case 5: self = .quarantinedDelete
        case _: return nil
        }
    }
}
