package import RecordModel

/// A request to change records, with the places of its operations.
package struct ModifyRecordsCall: Sendable {
    /// An operation by its place among the saves or among the deletions.
    package enum Place: Hashable, Sendable {
        case save(Int)
        case deletion(Int)
    }

    package var request: ModifyRecordsRequest
    /// The operations in the order in which they stood.
    package var places: [Place]
}

extension WireCodec {
    /// The body of a request: saves, then deletions.
    package static func body(of request: ModifyRecordsRequest) -> [UInt8] {
        var writer = RecordWriter()
        writer.raw("{\"operations\":[")
        var isFirst = true
        for record in request.recordsToSave {
            writer.raw(isFirst ? "{\"operationType\":\"" : ",{\"operationType\":\"")
            isFirst = false
            writer.write(save: record, policy: request.savePolicy)
        }
        for deletion in request.recordsToDelete {
            writer.raw(isFirst ? "{\"operationType\":\"" : ",{\"operationType\":\"")
            isFirst = false
            writer.write(deletion)
        }
        writer.raw("],\"atomic\":")
        writer.write(request.isAtomicByZone)
        if let key = request.idempotencyKey {
            writer.raw(",\"idempotencyKey\":")
            writer.write(key)
        }
        writer.raw("}")
        return writer.bytes
    }

    /// Reads a request.
    package static func modifyRecords(in body: [UInt8]) throws(WireError) -> ModifyRecordsCall {
        let parsed = try MessageParser.parse(body, into: ParsedCall()) {
            call,
            parser,
            key throws(WireError) in
            try call.take(key, &parser)
        }
        // The zone of all operations may stand behind them.
        guard parsed.needsZone, let zoneID = parsed.zoneID else { return try parsed.call() }
        return try MessageParser.parse(body, into: ParsedCall(zoneID: zoneID)) {
            call,
            parser,
            key throws(WireError) in
            try call.take(key, &parser)
        }.call()
    }

    /// The body of the reply to a request.
    package static func body(
        of reply: ModifyRecordsReply,
        to call: ModifyRecordsCall,
        withExtensions: Bool
    ) -> [UInt8] {
        var writer = RecordWriter()
        writer.list("{\"records\":", call.places) { writer, place in
            switch place {
            case .save(let number):
                writer.write(
                    reply.saveResults[number],
                    of: call.request.recordsToSave[number],
                    withExtensions: withExtensions
                )
            case .deletion(let number):
                let recordID = call.request.recordsToDelete[number].recordID
                if let error = reply.deleteErrors[number] {
                    writer.write(error, of: recordID, withExtensions: withExtensions)
                } else {
                    writer.writeDeletion(of: recordID)
                }
            }
        }
        writer.raw("}")
        return writer.bytes
    }

    /// Reads the reply to a request whose saves stood before its deletions.
    package static func modifyRecordsReply(
        in body: [UInt8],
        to request: ModifyRecordsRequest
    ) throws(WireError) -> ModifyRecordsReply {
        let saveCount = request.recordsToSave.count
        let items = try items(in: body, key: "records")
        guard items.count == saveCount + request.recordsToDelete.count else {
            throw WireError(column: 1, message: "\(items.count) results; expected one a change")
        }
        var reply = ModifyRecordsReply(saveResults: [], deleteErrors: [])
        for (item, sent) in zip(items, request.recordsToSave) {
            reply.saveResults.append(try saveResult(item, of: sent))
        }
        for (item, sent) in zip(items.dropFirst(saveCount), request.recordsToDelete) {
            reply.deleteErrors.append(try deleteError(item, of: sent.recordID))
        }
        return reply
    }

    static func items(in body: [UInt8], key: String) throws(WireError) -> [ParsedItem] {
        try MessageParser.parse(body, into: [ParsedItem]()) {
            items,
            parser,
            found throws(WireError) in
            guard found == key else { return false }
            items = try parser.list(of: "\"\(key)\"") { parser throws(WireError) in
                try parser.item(in: .default)
            }
            return true
        }
    }

    private static func saveResult(
        _ item: ParsedItem,
        of sent: Record
    ) throws(WireError) -> Result<Record, SyncError> {
        switch item {
        case .record(let record, _, let hasFieldsAsSent):
            guard isSame(record.recordID, sent.recordID) else { throw mixedUp(sent.recordID) }
            return .success(hasFieldsAsSent ? try sent.stored(as: record) : record)
        case .failure(let error, let recordID):
            guard recordID.map({ isSame($0, sent.recordID) }) ?? true else {
                throw mixedUp(sent.recordID)
            }
            return .failure(error)
        case .deletion:
            throw mixedUp(sent.recordID)
        }
    }

    private static func deleteError(
        _ item: ParsedItem,
        of sent: Record.ID
    ) throws(WireError) -> SyncError? {
        switch item {
        case .deletion: return nil
        case .failure(let error, _): return error
        case .record: throw mixedUp(sent)
        }
    }

    /// True for two identities that may be one: the server spells the owner as it likes.
    private static func isSame(_ left: Record.ID, _ right: Record.ID) -> Bool {
        left.recordName == right.recordName && left.zoneID.zoneName == right.zoneID.zoneName
    }

    private static func mixedUp(_ recordID: Record.ID) -> WireError {
        WireError(column: 1, message: "the result for \(recordID) is another record's")
    }
}

extension Record {
    /// What was sent, as the server says that it stored it.
    fileprivate func stored(as stored: Record) throws(WireError) -> Record {
        guard let tag = stored.recordChangeTag, let creation = stored.creation,
            let modification = stored.modification
        else { throw WireError(column: 1, message: "a saved record has no tag or no stamps") }
        return self.stored(changeTag: tag, creation: creation, modification: modification)
    }

    /// True if a stored record holds what was sent and nothing else.
    fileprivate func isStored(as stored: Record) -> Bool {
        guard stored.parent == parent, stored.recordID == recordID else { return false }
        let sent = fields.entries.filter { $0.value != nil }
        return sent.count == stored.fields.entries.count
            && zip(sent, stored.fields.entries).allSatisfy { sent, kept in
                sent.key == kept.key && sent.isEncrypted == kept.isEncrypted
                    && sent.value == kept.value && sent.isChanged
            }
    }
}

extension RecordWriter {
    fileprivate mutating func write(save record: Record, policy: RecordSavePolicy) {
        var sendsAll = false
        switch policy {
        case .ifServerRecordUnchanged:
            raw(record.recordChangeTag == nil ? "create" : "update")
        case .changedKeys: raw("forceUpdate")
        case .allKeys:
            raw("forceReplace")
            sendsAll = true
        }
        raw("\",\"record\":")
        beginIdentity(record)
        if record.isParentChanged || sendsAll {
            if let parent = record.parent {
                writeParent(parent, of: record)
            } else if record.isParentChanged {
                raw(",\"parent\":null")
            }
        }
        writeTag(of: record)
        writeFields(of: record) { sendsAll ? $0.value != nil : $0.isChanged }
        raw("}}")
    }

    fileprivate mutating func write(_ deletion: RecordDeletion) {
        raw(deletion.expectedChangeTag == nil ? "forceDelete" : "delete")
        raw("\",\"record\":{\"recordName\":")
        write(deletion.recordID.recordName)
        raw(",\"zoneID\":")
        write(deletion.recordID.zoneID)
        if let changeTag = deletion.expectedChangeTag {
            raw(",\"recordChangeTag\":")
            write(changeTag)
        }
        raw("}}")
    }

    /// Writes what became of a save; a record as it was sent needs no fields.
    fileprivate mutating func write(
        _ result: Result<Record, SyncError>,
        of sent: Record,
        withExtensions: Bool
    ) {
        switch result {
        case .success(let stored) where withExtensions && sent.isStored(as: stored):
            beginRecord(stored)
            raw(",\"fieldsAsSent\":true}")
        case .success(let stored):
            write(stored)
        case .failure(let error):
            write(error, of: sent.recordID, withExtensions: withExtensions)
        }
    }

    mutating func writeDeletion(of recordID: Record.ID) {
        raw("{\"recordName\":")
        write(recordID.recordName)
        raw(",\"zoneID\":")
        write(recordID.zoneID)
        raw(",\"deleted\":true}")
    }
}
