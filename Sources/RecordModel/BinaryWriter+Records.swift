// The canonical bytes of records and requests: equal values give equal bytes on every platform.
// Digests are taken over them, and sizes are their length.

extension BinaryWriter {
    package mutating func write(_ zoneID: RecordZone.ID) {
        write(zoneID.zoneName)
        write(zoneID.ownerName)
    }

    package mutating func write(_ recordID: Record.ID) {
        write(recordID.zoneID)
        write(recordID.recordName)
    }

    package mutating func write(_ reference: Record.Reference) {
        write(reference.recordID)
        write(UInt8(reference.action.rawValue))
    }

    package mutating func write(_ timestamp: Timestamp) {
        write(signed: timestamp.millisecondsSince1970)
    }

    package mutating func write(_ asset: Asset) {
        // The path is this device's affair: the same file has the same bytes anywhere.
        write(asset.byteCount) { $0.write(signed: $1) }
        write(asset.checksum) { $0.write($1) }
    }

    package mutating func write(_ location: Location) {
        write(location.latitude)
        write(location.longitude)
        for figure in [
            location.altitude, location.horizontalAccuracy, location.verticalAccuracy,
            location.speed, location.course,
        ] {
            write(figure) { $0.write($1) }
        }
        write(location.timestamp) { $0.write($1) }
    }

    package mutating func write(_ value: RecordValue) {
        switch value {
        case .string(let text): writeTag(1) { $0.write(text) }
        case .int64(let number): writeTag(2) { $0.write(signed: number) }
        case .double(let number): writeTag(3) { $0.write(number) }
        case .date(let timestamp): writeTag(4) { $0.write(timestamp) }
        case .bytes(let bytes): writeTag(5) { $0.write(bytes) }
        case .asset(let asset): writeTag(6) { $0.write(asset) }
        case .location(let location): writeTag(7) { $0.write(location) }
        case .reference(let reference): writeTag(8) { $0.write(reference) }
        case .strings(let list): writeTag(9) { $0.write(list: list) { $0.write($1) } }
        case .int64s(let list): writeTag(10) { $0.write(list: list) { $0.write(signed: $1) } }
        case .doubles(let list): writeTag(11) { $0.write(list: list) { $0.write($1) } }
        case .dates(let list): writeTag(12) { $0.write(list: list) { $0.write($1) } }
        case .bytesList(let list): writeTag(13) { $0.write(list: list) { $0.write($1) } }
        case .assets(let list): writeTag(14) { $0.write(list: list) { $0.write($1) } }
        case .locations(let list): writeTag(15) { $0.write(list: list) { $0.write($1) } }
        case .references(let list): writeTag(16) { $0.write(list: list) { $0.write($1) } }
        }
    }

    private mutating func writeTag(_ tag: UInt8, _ body: (inout BinaryWriter) -> Void) {
        write(tag)
        body(&self)
    }

    /// Writes what two devices must agree on: identity, type, parent and fields.
    package mutating func write(contentOf record: Record) {
        write(record.recordID)
        write(record.recordType)
        write(record.parent) { $0.write($1) }
        let fields = record.fields.entries.filter { $0.value != nil }
        write(list: fields) { writer, field in
            writer.write(field.key)
            writer.write(field.isEncrypted)
            writer.write(field.value) { $0.write($1) }
        }
    }

    private mutating func write(changesOf record: Record) {
        write(record.recordID)
        write(record.recordType)
        write(record.recordChangeTag) { $0.write($1) }
        write(record.isParentChanged)
        write(record.parent) { $0.write($1) }
        write(list: record.fields.entries) { writer, field in
            writer.write(field.key)
            writer.write(field.isEncrypted)
            writer.write(field.isChanged)
            writer.write(field.value) { $0.write($1) }
        }
    }

    package mutating func write(_ request: ModifyRecordsRequest) {
        write(list: request.recordsToSave) { $0.write(changesOf: $1) }
        write(list: request.recordsToDelete) { writer, deletion in
            writer.write(deletion.recordID)
            writer.write(deletion.expectedChangeTag) { $0.write($1) }
        }
        write(UInt8(request.savePolicy.rawValue))
        write(request.isAtomicByZone)
    }
}

extension Record {
    /// The SHA-256 of what two devices must agree on: identity, type, parent and fields.
    public var contentDigest: [UInt8] {
        var writer = BinaryWriter()
        writer.write(contentOf: self)
        return SHA256.hash(writer.bytes)
    }
}

extension ModifyRecordsRequest {
    /// The SHA-256 of what the request asks for, whatever its key.
    public var digest: [UInt8] {
        var writer = BinaryWriter()
        writer.write(self)
        return SHA256.hash(writer.bytes)
    }

    /// What the request weighs towards the byte limit.
    public var byteCount: Int {
        var writer = BinaryWriter()
        writer.write(self)
        return writer.bytes.count
    }
}

extension BinaryWriter {
    package mutating func write(_ writer: WriterID) {
        write(fixed: writer.high)
        write(fixed: writer.low)
    }
}

extension BinaryReader {
    package mutating func readWriterID() throws(Failure) -> WriterID {
        let high = try readFixed()
        return WriterID(high: high, low: try readFixed())
    }
}
