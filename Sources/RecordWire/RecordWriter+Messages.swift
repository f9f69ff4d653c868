internal import RecordModel

// The parts of which messages are made.

extension RecordWriter {
    /// Writes an object by its members, each behind a comma but the first.
    mutating func list<Element>(
        _ key: StaticString,
        _ elements: [Element],
        _ element: (inout RecordWriter, Element) -> Void
    ) {
        raw(key)
        write(elements, element)
    }

    mutating func write(_ token: ServerChangeToken) { writeBase64(token.bytes) }

    mutating func write(_ flag: Bool) {
        if flag { raw("true") } else { raw("false") }
    }

    mutating func write(_ key: IdempotencyKey) {
        raw("{\"writer\":\"")
        write(hexadecimal: key.writer.high)
        write(hexadecimal: key.writer.low)
        raw("\",\"number\":")
        write("\(key.number)")
        raw("}")
    }

    private mutating func write(hexadecimal number: UInt64) {
        let digits = String(number, radix: 16)
        append(String(repeating: "0", count: 16 - digits.count) + digits)
    }

    /// Writes the members of an error, without braces and without a comma before them.
    mutating func writeMembers(of error: SyncError, withExtensions: Bool) {
        raw("\"serverErrorCode\":")
        write(ErrorTable.row(of: error.code).name)
        raw(",\"reason\":")
        write(error.message)
        if let seconds = error.retryAfterSeconds {
            raw(",\"retryAfter\":")
            write(seconds)
        }
        guard withExtensions else { return }
        raw(",\"code\":")
        write(Int64(error.code.rawValue))
        if error.isAfterEncryptedDataReset { raw(",\"afterReset\":true") }
        if let record = error.serverRecord {
            raw(",\"serverRecord\":")
            write(record)
        }
        if let record = error.ancestorRecord {
            raw(",\"ancestorRecord\":")
            write(record)
        }
    }

    /// Writes an error about a record.
    mutating func write(
        _ error: SyncError,
        of recordID: Record.ID?,
        withExtensions: Bool
    ) {
        raw("{")
        if let recordID {
            raw("\"recordName\":")
            write(recordID.recordName)
            raw(",\"zoneID\":")
            write(recordID.zoneID)
            raw(",")
        }
        writeMembers(of: error, withExtensions: withExtensions)
        raw("}")
    }
}
