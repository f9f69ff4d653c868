import RecordModel
import ServerCore

// The bytes of answers and of the history. A value's first byte is its version.

let rowVersion: UInt8 = 1

extension BinaryWriter {
    mutating func write(_ error: SyncError) {
        write(error.code.rawValue)
        write(error.message)
        write(error.retryAfterSeconds) { $0.write($1) }
        write(error.isAfterEncryptedDataReset)
        write(error.clientRecord) { $0.write(row: $1) }
        write(error.serverRecord) { $0.write(row: $1) }
        write(error.ancestorRecord) { $0.write(row: $1) }
    }

    mutating func write(_ outcome: StoredAnswer.Outcome) {
        write(rowVersion)
        switch outcome {
        case .records(let digest, let reply):
            write(UInt8(1))
            write(digest)
            write(list: reply.saveResults) { writer, result in
                writer.write(result) { $0.write(row: $1) }
            }
            write(list: reply.deleteErrors) { $0.write($1) { $0.write($1) } }
        case .zones(let digest, let reply):
            write(UInt8(2))
            write(digest)
            write(list: reply.saveResults) { writer, result in
                writer.write(result) { writer, zone in
                    writer.write(zone.zoneID)
                    writer.write(zone.capabilities.rawValue)
                }
            }
            write(list: reply.deleteErrors) { $0.write($1) { $0.write($1) } }
        case .closed:
            write(UInt8(3))
        }
    }

    private mutating func write<Value>(
        _ result: Result<Value, SyncError>,
        _ body: (inout BinaryWriter, Value) -> Void
    ) {
        switch result {
        case .success(let value):
            write(true)
            body(&self, value)
        case .failure(let error):
            write(false)
            write(error)
        }
    }

    mutating func write(_ entry: HistoryEntry) {
        write(rowVersion)
        write(entry.sequence)
        write(entry.stamp)
        write(entry.key) { $0.write($1) }
        switch entry.action {
        case .saved(let record):
            write(UInt8(1))
            write(row: record)
        case .deleted:
            write(UInt8(2))
        case .deletedWith(let name):
            write(UInt8(3))
            write(name)
        case .refused(let record, let code):
            write(UInt8(4))
            write(code.rawValue)
            write(row: record)
        }
    }
}

extension BinaryReader {
    mutating func readVersion() throws(Failure) {
        guard try readByte() == rowVersion else { throw failure("a version this program knows") }
    }

    mutating func readError() throws(Failure) -> SyncError {
        let code = try readCode()
        let message = try readString()
        let seconds = try readOptional { reader throws(Failure) in try reader.readDouble() }
        let isReset = try readFlag()
        let client = try readOptional { reader throws(Failure) in try reader.readRecord() }
        let server = try readOptional { reader throws(Failure) in try reader.readRecord() }
        let ancestor = try readOptional { reader throws(Failure) in try reader.readRecord() }
        if isReset { return .zoneNotFoundAfterEncryptedDataReset(message) }
        guard client == nil, server == nil, ancestor == nil else {
            return .serverRecordChanged(
                client: client,
                server: server,
                ancestor: ancestor,
                message
            )
        }
        return SyncError(code, message, retryAfterSeconds: seconds)
    }

    private mutating func readCode() throws(Failure) -> SyncError.Code {
        guard let number = Int(exactly: try readNumber()),
            let code = SyncError.Code(rawValue: number)
        else { throw failure("the code of an error") }
        return code
    }

    mutating func readOutcome() throws(Failure) -> StoredAnswer.Outcome {
        try readVersion()
        switch try readByte() {
        case 1:
            let digest = try readBytes()
            let saves = try readList { reader throws(Failure) in
                try reader.readResult { reader throws(Failure) in try reader.readRecord() }
            }
            let errors = try readErrors()
            return .records(
                digest: digest,
                ModifyRecordsReply(saveResults: saves, deleteErrors: errors)
            )
        case 2:
            let digest = try readBytes()
            let saves = try readList { reader throws(Failure) in
                try reader.readResult { reader throws(Failure) in try reader.readZone() }
            }
            let errors = try readErrors()
            return .zones(
                digest: digest,
                ModifyZonesReply(saveResults: saves, deleteErrors: errors)
            )
        case 3: return .closed
        case _: throw failure("what became of a send")
        }
    }

    private mutating func readErrors() throws(Failure) -> [SyncError?] {
        try readList { reader throws(Failure) in
            try reader.readOptional { reader throws(Failure) in try reader.readError() }
        }
    }

    private mutating func readZone() throws(Failure) -> RecordZone {
        let zoneID = try readZoneID()
        let bits = Int(truncatingIfNeeded: try readNumber())
        return RecordZone(zoneID: zoneID, capabilities: .init(rawValue: bits))
    }

    private mutating func readResult<Value>(
        _ read: (inout BinaryReader) throws(Failure) -> Value
    ) throws(Failure) -> Result<Value, SyncError> {
        try readFlag() ? .success(try read(&self)) : .failure(try readError())
    }

    mutating func readHistoryEntry(of recordName: String) throws(Failure) -> HistoryEntry {
        try readVersion()
        let sequence = try readNumber()
        let stamp = try readStamp()
        let key = try readOptional { reader throws(Failure) in try reader.readKey() }
        return HistoryEntry(
            recordName: recordName,
            sequence: sequence,
            stamp: stamp,
            key: key,
            action: try readAction()
        )
    }

    private mutating func readAction() throws(Failure) -> HistoryEntry.Action {
        switch try readByte() {
        case 1: return .saved(try readRecord())
        case 2: return .deleted
        case 3: return .deletedWith(try readString())
        case 4:
            let code = try readCode()
            return .refused(try readRecord(), code)
        case _: throw failure("what happened to a record")
        }
    }
}

/// Reads all of a stored value.
func decode<Value>(
    _ bytes: [UInt8],
    _ what: StaticString,
    _ read: (inout BinaryReader) throws(BinaryReader.Failure) -> Value
) throws(StorageError) -> Value {
    var reader = BinaryReader(bytes)
    do throws(BinaryReader.Failure) {
        let value = try read(&reader)
        guard reader.isAtEnd else { throw reader.failure("nothing more") }
        return value
    } catch {
        throw .damaged("a stored \(what) is damaged at byte \(error.position)")
    }
}
