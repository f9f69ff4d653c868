internal import RecordModel

/// Writes records as JSON; the same record always gives the same bytes.
struct RecordWriter {
    private(set) var bytes: [UInt8] = []

    mutating func write(_ record: Record) {
        beginRecord(record)
        writeFields(of: record) { _ in true }
        raw("}")
    }

    /// Writes everything but the fields, and leaves the object open.
    mutating func beginRecord(_ record: Record) {
        beginIdentity(record)
        if let parent = record.parent { writeParent(parent, of: record) }
        writeTag(of: record)
        write(record.creation, key: ",\"created\":")
        write(record.modification, key: ",\"modified\":")
    }

    mutating func writeFields(
        of record: Record,
        where isMeant: (FieldTable.Field) -> Bool
    ) {
        raw(",\"fields\":{")
        var isFirst = true
        for field in record.fields.entries where isMeant(field) {
            if !isFirst { raw(",") }
            isFirst = false
            write(field, of: record)
        }
        raw("}")
    }

    mutating func beginIdentity(_ record: Record) {
        raw("{\"recordName\":")
        write(record.recordID.recordName)
        raw(",\"recordType\":")
        write(record.recordType)
        raw(",\"zoneID\":")
        write(record.recordID.zoneID)
    }

    mutating func writeParent(_ parent: Record.Reference, of record: Record) {
        raw(",\"parent\":")
        writeLink(parent.recordID, from: record)
        raw("}")
    }

    mutating func writeTag(of record: Record) {
        guard let changeTag = record.recordChangeTag else { return }
        raw(",\"recordChangeTag\":")
        write(changeTag)
    }

    private mutating func write(_ field: FieldTable.Field, of record: Record) {
        write(field.key)
        raw(":{\"value\":")
        if let value = field.value {
            write(value, of: record)
            raw(",\"type\":\"")
            bytes.append(contentsOf: value.type.rawValue.utf8)
            raw("\"")
        } else {
            raw("null")
        }
        raw(field.isEncrypted ? ",\"isEncrypted\":true}" : "}")
    }

    private mutating func write(_ value: RecordValue, of record: Record) {
        switch value {
        case .string(let text): write(text)
        case .int64(let number): write(number)
        case .double(let number): write(number)
        case .date(let timestamp): write(timestamp.millisecondsSince1970)
        case .bytes(let bytes): writeBase64(bytes)
        case .asset(let asset): write(asset)
        case .location(let location): write(location)
        case .reference(let reference): write(reference, from: record)
        case .strings(let list): write(list) { $0.write($1) }
        case .int64s(let list): write(list) { $0.write($1) }
        case .doubles(let list): write(list) { $0.write($1) }
        case .dates(let list): write(list) { $0.write($1.millisecondsSince1970) }
        case .bytesList(let list): write(list) { $0.writeBase64($1) }
        case .assets(let list): write(list) { $0.write($1) }
        case .locations(let list): write(list) { $0.write($1) }
        case .references(let list): write(list) { $0.write($1, from: record) }
        }
    }

    mutating func write<Element>(
        _ list: [Element],
        _ element: (inout RecordWriter, Element) -> Void
    ) {
        raw("[")
        for (position, value) in list.enumerated() {
            if position > 0 { raw(",") }
            element(&self, value)
        }
        raw("]")
    }
}

extension RecordWriter {
    mutating func write(_ zoneID: RecordZone.ID) {
        raw("{\"zoneName\":")
        write(zoneID.zoneName)
        if zoneID.ownerName != RecordZone.ID.currentUserName {
            raw(",\"ownerRecordName\":")
            write(zoneID.ownerName)
        }
        raw("}")
    }

    private mutating func write(_ stamp: Record.Stamp?, key: StaticString) {
        guard let stamp else { return }
        raw(key)
        raw("{\"timestamp\":")
        write(stamp.timestamp.millisecondsSince1970)
        raw(",\"userRecordName\":")
        write(stamp.userRecordName)
        if let deviceID = stamp.deviceID {
            raw(",\"deviceID\":")
            write(deviceID)
        }
        raw("}")
    }

    private mutating func write(_ reference: Record.Reference, from record: Record) {
        writeLink(reference.recordID, from: record)
        switch reference.action {
        case .none: raw(",\"action\":\"NONE\"}")
        case .deleteSelf: raw(",\"action\":\"DELETE_SELF\"}")
        }
    }

    /// Writes an object that names a record, and leaves it open.
    private mutating func writeLink(_ recordID: Record.ID, from record: Record) {
        raw("{\"recordName\":")
        write(recordID.recordName)
        guard recordID.zoneID != record.recordID.zoneID else { return }
        raw(",\"zoneID\":")
        write(recordID.zoneID)
    }

    private mutating func write(_ asset: Asset) {
        raw("{")
        if let checksum = asset.checksum {
            raw("\"fileChecksum\":")
            writeBase64(checksum)
        }
        if let byteCount = asset.byteCount {
            raw(asset.checksum == nil ? "\"size\":" : ",\"size\":")
            write(byteCount)
        }
        raw("}")
    }

    private mutating func write(_ location: Location) {
        raw("{\"latitude\":")
        write(location.latitude)
        raw(",\"longitude\":")
        write(location.longitude)
        write(location.horizontalAccuracy, key: ",\"horizontalAccuracy\":")
        write(location.verticalAccuracy, key: ",\"verticalAccuracy\":")
        write(location.altitude, key: ",\"altitude\":")
        write(location.speed, key: ",\"speed\":")
        write(location.course, key: ",\"course\":")
        if let timestamp = location.timestamp {
            raw(",\"timestamp\":")
            write(timestamp.millisecondsSince1970)
        }
        raw("}")
    }

    private mutating func write(_ figure: Double?, key: StaticString) {
        guard let figure else { return }
        raw(key)
        write(figure)
    }
}

extension RecordWriter {
    mutating func raw(_ text: StaticString) {
        text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    /// Writes text that needs no quotes and no escapes.
    mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

    mutating func write(_ number: Int64) {
        bytes.append(contentsOf: number.description.utf8)
    }

    mutating func write(_ number: Double) {
        if number.isFinite {
            bytes.append(contentsOf: number.description.utf8)
        } else if number.isNaN {
            raw("\"NaN\"")
        } else {
            raw(number > 0 ? "\"Infinity\"" : "\"-Infinity\"")
        }
    }

    mutating func writeBase64(_ run: [UInt8]) {
        raw("\"")
        Base64.append(run, to: &bytes)
        raw("\"")
    }

    mutating func write(_ text: String) {
        var text = text
        bytes.append(UInt8(ascii: "\""))
        text.withUTF8 { run in
            var plainStart = 0
            for (position, byte) in run.enumerated() where needsEscape(byte) {
                bytes.append(contentsOf: run[plainStart..<position])
                writeEscape(of: byte)
                plainStart = position + 1
            }
            bytes.append(contentsOf: run[plainStart...])
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func writeEscape(of byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): raw("\\\"")
        case UInt8(ascii: "\\"): raw("\\\\")
        case 0x08: raw("\\b")
        case 0x0C: raw("\\f")
        case 0x0A: raw("\\n")
        case 0x0D: raw("\\r")
        case 0x09: raw("\\t")
        default:
            raw(byte < 0x10 ? "\\u000" : "\\u001")
            bytes.append(contentsOf: String(byte & 0x0F, radix: 16, uppercase: true).utf8)
        }
    }
}

private func needsEscape(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
}
