internal import RecordModel

/// What stands in an item of a message beside the members of a record.
struct ItemMembers {
    var isDeleted = false
    var origin: IdempotencyKey?
    /// True where the server left out the fields because they are those that were sent.
    var hasFieldsAsSent = false
    var error = ErrorMembers()
}

/// What stands in an error.
struct ErrorMembers {
    var serverErrorCode: String?
    var reason = ""
    var retryAfterSeconds: Double?
    var code: Int?
    var isAfterReset = false
    var serverRecord: Record?
    var ancestorRecord: Record?
}

/// An item of a message.
enum ParsedItem {
    case record(Record, origin: IdempotencyKey?, hasFieldsAsSent: Bool)
    case deletion(Record.ID?, recordType: String?, origin: IdempotencyKey?)
    case failure(SyncError, Record.ID?)
}

extension RecordParser {
    /// A member of an item that no record has.
    mutating func itemMember(_ key: String) throws(WireError) {
        switch key {
        case "origin": item.origin = try MessageParser.key(&scanner)
        case "fieldsAsSent": item.hasFieldsAsSent = try scanner.bool(of: "\"fieldsAsSent\"")
        default: try item.error.take(key, &scanner, zoneID: zoneID)
        }
    }

    /// What was read, if it was an item.
    func parsedItem() throws(WireError) -> ParsedItem {
        let recordID = recordName.map { Record.ID(recordName: $0, zoneID: zoneID) }
        if let error = item.error.error { return .failure(error, recordID) }
        if item.isDeleted {
            return .deletion(recordID, recordType: recordType, origin: item.origin)
        }
        return .record(
            try assembled(),
            origin: item.origin,
            hasFieldsAsSent: item.hasFieldsAsSent
        )
    }
}

extension ErrorMembers {
    /// Takes a member of an object that may be an error; passes over what is none of it.
    mutating func take(
        _ key: String,
        _ scanner: inout JSONScanner,
        zoneID: RecordZone.ID
    ) throws(WireError) {
        switch key {
        case "serverErrorCode":
            serverErrorCode = try scanner.string(of: "\"serverErrorCode\"")
        case "reason": reason = try scanner.string(of: "\"reason\"")
        case "retryAfter": retryAfterSeconds = try seconds(&scanner)
        case "code":
            try scanner.expect(.number, of: "\"code\"")
            code = scanner.int64(try scanner.number()).flatMap { Int(exactly: $0) }
        case "afterReset": isAfterReset = try scanner.bool(of: "\"afterReset\"")
        case "serverRecord": serverRecord = try MessageParser.record(&scanner, in: zoneID)
        case "ancestorRecord": ancestorRecord = try MessageParser.record(&scanner, in: zoneID)
        default: try scanner.skipValue()
        }
    }

    private func seconds(_ scanner: inout JSONScanner) throws(WireError) -> Double? {
        try scanner.expect(.number, of: "\"retryAfter\"")
        // A server that asks for a wait of years is mistaken, not obeyed.
        let waitMax = 24 * 60 * 60.0
        return scanner.double(try scanner.number()).map { min(max(0, $0), waitMax) }
    }

    /// The error; nil where none was given.
    var error: SyncError? {
        guard let serverErrorCode else { return nil }
        let known = code.flatMap { SyncError.Code(rawValue: $0) }
        let (code, message) = ErrorTable.code(of: serverErrorCode, known: known, reason: reason)
        if isAfterReset { return .zoneNotFoundAfterEncryptedDataReset(message) }
        if code == .serverRecordChanged {
            return .serverRecordChanged(
                client: nil,
                server: serverRecord,
                ancestor: ancestorRecord,
                message
            )
        }
        return SyncError(code, message, retryAfterSeconds: retryAfterSeconds)
    }
}
