internal import RecordModel

/// A request to change records as far as it was read.
struct ParsedCall {
    var zoneID: RecordZone.ID?
    /// True if an operation stood before the zone of all operations.
    private(set) var needsZone = false
    private var isAtomic = true
    private var key: IdempotencyKey?
    private var operations: [Operation] = []

    private enum Operation {
        case save(Record, RecordSavePolicy)
        case deletion(RecordDeletion)
    }

    init(zoneID: RecordZone.ID? = nil) { self.zoneID = zoneID }

    mutating func take(
        _ name: String,
        _ parser: inout MessageParser
    ) throws(WireError) -> Bool {
        switch name {
        case "operations":
            let zone = zoneID ?? .default
            needsZone = zoneID == nil
            operations = try parser.list(of: "\"operations\"") { parser throws(WireError) in
                try Self.operation(&parser, in: zone)
            }
        case "zoneID": zoneID = try parser.zoneID(name)
        case "atomic": isAtomic = try parser.bool(name)
        case "idempotencyKey": key = try MessageParser.key(&parser.scanner)
        default: return false
        }
        return true
    }

    /// The request; one with saves of several policies is refused.
    func call() throws(WireError) -> ModifyRecordsCall {
        var call = ModifyRecordsCall(request: ModifyRecordsRequest(), places: [])
        var policy: RecordSavePolicy?
        for operation in operations {
            switch operation {
            case .save(let record, let own):
                guard policy == nil || policy == own else {
                    throw WireError(
                        column: 1,
                        message: "saves that check the tag and saves that force; "
                            + "expected one kind in a request"
                    )
                }
                policy = own
                call.places.append(.save(call.request.recordsToSave.count))
                call.request.recordsToSave.append(record)
            case .deletion(let deletion):
                call.places.append(.deletion(call.request.recordsToDelete.count))
                call.request.recordsToDelete.append(deletion)
            }
        }
        call.request.savePolicy = policy ?? .ifServerRecordUnchanged
        call.request.isAtomicByZone = isAtomic
        call.request.idempotencyKey = key
        return call
    }

    private static func operation(
        _ parser: inout MessageParser,
        in zoneID: RecordZone.ID
    ) throws(WireError) -> Operation {
        var type: String?
        var record: RecordParser?
        try parser.object(of: "the operation") { parser, key throws(WireError) in
            switch key {
            case "operationType": type = try parser.string(key)
            case "record": record = try parser.operationRecord(in: zoneID)
            default: return false
            }
            return true
        }
        guard let type else { throw parser.missing("operationType", expecting: "what to do") }
        guard let record else { throw parser.missing("record", expecting: "what to do it to") }
        return try operation(type, record, parser)
    }

    private static func operation(
        _ type: String,
        _ record: RecordParser,
        _ parser: MessageParser
    ) throws(WireError) -> Operation {
        switch type {
        case "create":
            return .save(try record.assembled().withoutTag, .ifServerRecordUnchanged)
        case "update":
            guard record.changeTag != nil else {
                throw parser.missing("recordChangeTag", expecting: "the version to update")
            }
            return .save(try record.assembled(), .ifServerRecordUnchanged)
        case "forceUpdate":
            return .save(try record.assembled(), .changedKeys)
        case "forceReplace":
            return .save(try record.assembled(), .allKeys)
        case "delete", "forceDelete":
            guard let name = record.recordName else {
                throw parser.missing("recordName", expecting: "the record to delete")
            }
            return .deletion(
                RecordDeletion(
                    recordID: Record.ID(recordName: name, zoneID: record.zoneID),
                    expectedChangeTag: type == "delete" ? record.changeTag : nil
                )
            )
        case _:
            throw parser.scanner.error(
                "unknown operation \(quoted(type)); expected create, update, forceUpdate, "
                    + "forceReplace, delete or forceDelete"
            )
        }
    }
}

extension MessageParser {
    func missing(_ key: String, expecting expected: String) -> WireError {
        scanner.error("no \"\(key)\"; expected \(expected)")
    }
}

extension Record {
    /// A record that is made anew is no version of anything.
    fileprivate var withoutTag: Record { recordChangeTag == nil ? self : asNew() }
}
