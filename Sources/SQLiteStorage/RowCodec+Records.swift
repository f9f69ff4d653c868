import RecordModel

// The bytes of a record as this storage keeps it: everything, also what is not stored by a server
// but sent to it, since refused saves are kept as they came.

extension BinaryWriter {
    mutating func write(row record: Record) {
        write(record.recordID)
        write(record.recordType)
        write(record.recordChangeTag) { $0.write($1) }
        write(record.creation) { $0.write($1) }
        write(record.modification) { $0.write($1) }
        write(record.parent) { $0.write($1) }
        write(record.isParentChanged)
        write(list: record.fields.entries) { writer, field in
            writer.write(field.key)
            writer.write(field.isEncrypted)
            writer.write(field.isChanged)
            writer.write(field.value) { $0.write($1) }
        }
    }

    mutating func write(_ stamp: Record.Stamp) {
        write(stamp.timestamp)
        write(stamp.userRecordName)
        write(stamp.deviceID) { $0.write($1) }
    }

    mutating func write(_ key: IdempotencyKey) {
        write(key.writer)
        write(key.number)
    }
}

extension BinaryReader {
    mutating func readZoneID() throws(Failure) -> RecordZone.ID {
        let zoneName = try readString()
        return RecordZone.ID(zoneName: zoneName, ownerName: try readString())
    }

    mutating func readRecordID() throws(Failure) -> Record.ID {
        let zoneID = try readZoneID()
        return Record.ID(recordName: try readString(), zoneID: zoneID)
    }

    mutating func readReference() throws(Failure) -> Record.Reference {
        let recordID = try readRecordID()
        guard let action = Record.Reference.Action(rawValue: UInt(try readByte())) else {
            throw failure("the action of a link")
        }
        return Record.Reference(recordID: recordID, action: action)
    }

    mutating func readTimestamp() throws(Failure) -> Timestamp {
        Timestamp(millisecondsSince1970: try readSigned())
    }

    mutating func readStamp() throws(Failure) -> Record.Stamp {
        let timestamp = try readTimestamp()
        let user = try readString()
        let deviceID = try readOptional { reader throws(Failure) in try reader.readString() }
        return Record.Stamp(timestamp: timestamp, userRecordName: user, deviceID: deviceID)
    }

    mutating func readKey() throws(Failure) -> IdempotencyKey {
        let writer = try readWriterID()
        return IdempotencyKey(writer: writer, number: try readNumber())
    }

    mutating func readRecord() throws(Failure) -> Record {
        let recordID = try readRecordID()
        let recordType = try readString()
        let changeTag = try readOptional { reader throws(Failure) in try reader.readString() }
        let creation = try readOptional { reader throws(Failure) in try reader.readStamp() }
        let modification = try readOptional { reader throws(Failure) in try reader.readStamp() }
        let parent = try readOptional { reader throws(Failure) in try reader.readReference() }
        let isParentChanged = try readFlag()
        // A parent counts as changed once it is set to another one than it was made with.
        let other = Record.Reference(recordID: recordID, action: .deleteSelf)
        var record = Record(
            systemFields: Record.SystemFields(
                recordType: recordType,
                recordID: recordID,
                recordChangeTag: changeTag,
                creation: creation,
                modification: modification,
                parent: isParentChanged ? other : parent
            )
        )
        if isParentChanged { record.parent = parent }
        for _ in 0..<(try readCount()) { try readField(of: &record) }
        return record
    }

    private mutating func readField(of record: inout Record) throws(Failure) {
        let key = try readString()
        let isEncrypted = try readFlag()
        let isChanged = try readFlag()
        let value = try readOptional { reader throws(Failure) in try reader.readValue() }
        record.setField(key, to: value, isEncrypted: isEncrypted, isChanged: isChanged)
    }
}
