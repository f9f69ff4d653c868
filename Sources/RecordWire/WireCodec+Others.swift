package import RecordModel

// Look-ups.

extension WireCodec {
    package static func body(of request: LookUpRecordsRequest) -> [UInt8] {
        var writer = RecordWriter()
        writer.list("{\"records\":", request.recordIDs) { writer, recordID in
            writer.raw("{\"recordName\":")
            writer.write(recordID.recordName)
            writer.raw(",\"zoneID\":")
            writer.write(recordID.zoneID)
            writer.raw("}")
        }
        if let keys = request.desiredKeys {
            writer.list(",\"desiredKeys\":", keys) { $0.write($1) }
        }
        writer.raw("}")
        return writer.bytes
    }

    package static func lookUpRecords(
        in body: [UInt8]
    ) throws(WireError) -> LookUpRecordsRequest {
        var zoneID: RecordZone.ID?
        var keys: [String]?
        let names = try MessageParser.parse(body, into: [(name: String, zone: RecordZone.ID?)]()) {
            names,
            parser,
            key throws(WireError) in
            switch key {
            case "records":
                names = try parser.list(of: "\"records\"") { parser throws(WireError) in
                    try parser.nameAndZone()
                }
            case "zoneID": zoneID = try parser.zoneID(key)
            case "desiredKeys": keys = try parser.keys(key)
            default: return false
            }
            return true
        }
        let recordIDs = names.map { name, zone in
            Record.ID(recordName: name, zoneID: zone ?? zoneID ?? .default)
        }
        return LookUpRecordsRequest(recordIDs: recordIDs, desiredKeys: keys)
    }

    package static func body(
        of reply: LookUpRecordsReply,
        to request: LookUpRecordsRequest,
        withExtensions: Bool
    ) -> [UInt8] {
        var writer = RecordWriter()
        let results = Array(zip(reply.results, request.recordIDs))
        writer.list("{\"records\":", results) { writer, pair in
            switch pair.0 {
            case .success(let record): writer.write(record)
            case .failure(let error):
                writer.write(error, of: pair.1, withExtensions: withExtensions)
            }
        }
        writer.raw("}")
        return writer.bytes
    }

    package static func lookUpRecordsReply(
        in body: [UInt8],
        to request: LookUpRecordsRequest
    ) throws(WireError) -> LookUpRecordsReply {
        let items = try items(in: body, key: "records")
        guard items.count == request.recordIDs.count else {
            throw WireError(column: 1, message: "\(items.count) results; expected one a record")
        }
        var results: [Result<Record, SyncError>] = []
        for item in items {
            switch item {
            case .record(let record, _, _): results.append(.success(record))
            case .failure(let error, _): results.append(.failure(error))
            case .deletion:
                results.append(.failure(SyncError(.unknownItem, "the record was deleted")))
            }
        }
        return LookUpRecordsReply(results: results)
    }
}

extension MessageParser {
    fileprivate mutating func nameAndZone() throws(WireError) -> (String, RecordZone.ID?) {
        var name: String?
        var zone: RecordZone.ID?
        try object(of: "the record") { parser, key throws(WireError) in
            switch key {
            case "recordName": name = try parser.string(key)
            case "zoneID": zone = try parser.zoneID(key)
            default: return false
            }
            return true
        }
        guard let name else { throw missing("recordName", expecting: "the record's name") }
        return (name, zone)
    }
}

// What became of a send.

extension WireCodec {
    package static func body(of request: SendOutcomeRequest) -> [UInt8] {
        var writer = RecordWriter()
        writer.raw("{\"idempotencyKey\":")
        writer.write(request.idempotencyKey)
        writer.raw("}")
        return writer.bytes
    }

    package static func outcome(in body: [UInt8]) throws(WireError) -> SendOutcomeRequest {
        let key = try MessageParser.parse(body, into: IdempotencyKey?.none) {
            found,
            parser,
            key throws(WireError) in
            guard key == "idempotencyKey" else { return false }
            found = try MessageParser.key(&parser.scanner)
            return true
        }
        guard let key else {
            throw WireError(column: 1, message: "no \"idempotencyKey\"; expected the send's")
        }
        return SendOutcomeRequest(idempotencyKey: key)
    }

    package static func body(of outcome: SendOutcome) -> [UInt8] {
        var writer = RecordWriter()
        switch outcome {
        case .closed: writer.raw("{\"outcome\":\"closed\"}")
        case .unsupported: writer.raw("{\"outcome\":\"unsupported\"}")
        case .known(let reply):
            writer.list("{\"outcome\":\"known\",\"saves\":", reply.saveResults) { writer, result in
                switch result {
                case .success(let record): writer.write(record)
                case .failure(let error): writer.write(error, of: nil, withExtensions: true)
                }
            }
            writer.list(",\"deletions\":", reply.deleteErrors) { writer, error in
                if let error {
                    writer.write(error, of: nil, withExtensions: true)
                } else {
                    writer.raw("{\"deleted\":true}")
                }
            }
            writer.raw("}")
        }
        return writer.bytes
    }

    package static func outcomeReply(in body: [UInt8]) throws(WireError) -> SendOutcome {
        var name = ""
        var saves: [ParsedItem] = []
        var deletions: [ParsedItem] = []
        _ = try MessageParser.parse(body, into: ()) { _, parser, key throws(WireError) in
            switch key {
            case "outcome": name = try parser.string(key)
            case "saves": saves = try parser.items(key)
            case "deletions": deletions = try parser.items(key)
            default: return false
            }
            return true
        }
        switch name {
        case "closed": return .closed
        case "unsupported": return .unsupported
        case "known": break
        case _: throw WireError(column: 1, message: "unknown outcome \(quoted(name))")
        }
        var reply = ModifyRecordsReply(saveResults: [], deleteErrors: [])
        for item in saves {
            switch item {
            case .record(let record, _, _): reply.saveResults.append(.success(record))
            case .failure(let error, _): reply.saveResults.append(.failure(error))
            case .deletion: throw WireError(column: 1, message: "a save cannot be a deletion")
            }
        }
        for item in deletions {
            if case .failure(let error, _) = item {
                reply.deleteErrors.append(error)
            } else {
                reply.deleteErrors.append(nil)
            }
        }
        return .known(reply)
    }
}

extension MessageParser {
    fileprivate mutating func items(_ key: String) throws(WireError) -> [ParsedItem] {
        try list(of: "\"\(key)\"") { parser throws(WireError) in try parser.item(in: .default) }
    }
}

// Who asks, what the server can do, and hints.

/// What the server says of itself.
package struct ServerCapabilities: Hashable, Sendable {
    /// The version of the extensions.
    package var version: Int
    /// What one request may hold.
    package var limits: RequestLimits

    package init(version: Int = 1, limits: RequestLimits) {
        self.version = version
        self.limits = limits
    }
}

/// A device of the account, as the server knows it.
package struct DeviceEntry: Hashable, Sendable {
    package let deviceID: String
    /// When it first and last wrote something.
    package let firstSeen: Timestamp
    package let lastSeen: Timestamp
    /// True for the device that asks.
    package let isCaller: Bool

    package init(
        deviceID: String,
        firstSeen: Timestamp,
        lastSeen: Timestamp,
        isCaller: Bool
    ) {
        self.deviceID = deviceID
        self.firstSeen = firstSeen
        self.lastSeen = lastSeen
        self.isCaller = isCaller
    }
}

/// What a poll for changes is answered.
package struct PollReply: Hashable, Sendable {
    /// True if somebody else changed the database since the position of the poll.
    package var isChanged: Bool
    /// From where to poll next.
    package var position: String

    package init(isChanged: Bool, position: String) {
        self.isChanged = isChanged
        self.position = position
    }
}

extension WireCodec {
    /// The body of `users/caller`.
    package static func body(of status: AccountStatus, withExtensions: Bool) -> [UInt8] {
        var writer = RecordWriter()
        writer.raw("{")
        if case .available(let name) = status {
            writer.raw("\"userRecordName\":")
            writer.write(name)
            if withExtensions { writer.raw(",") }
        }
        if withExtensions {
            writer.raw("\"status\":")
            writer.write(status.name)
        }
        writer.raw("}")
        return writer.bytes
    }

    package static func accountStatus(in body: [UInt8]) throws(WireError) -> AccountStatus {
        var name: String?
        var status: String?
        _ = try MessageParser.parse(body, into: ()) { _, parser, key throws(WireError) in
            switch key {
            case "userRecordName": name = try parser.string(key)
            case "status": status = try parser.string(key)
            case "users": name = try parser.firstUserName(key) ?? name
            default: return false
            }
            return true
        }
        switch status ?? "available" {
        case "available":
            return name.map { .available(userRecordName: $0) } ?? .couldNotDetermine
        case "noAccount": return .noAccount
        case "restricted": return .restricted
        case "temporarilyUnavailable": return .temporarilyUnavailable
        case _: return .couldNotDetermine
        }
    }

    package static func body(of capabilities: ServerCapabilities) -> [UInt8] {
        var writer = RecordWriter()
        writer.raw("{\"version\":")
        writer.write(Int64(capabilities.version))
        writer.raw(",\"limits\":{\"operations\":")
        writer.write(Int64(capabilities.limits.batchCountMax))
        writer.raw(",\"requestBytes\":")
        writer.write(Int64(capabilities.limits.batchByteCountMax))
        writer.raw(",\"recordBytes\":")
        writer.write(Int64(capabilities.limits.recordByteCountMax))
        writer.raw("}}")
        return writer.bytes
    }

    package static func capabilities(in body: [UInt8]) throws(WireError) -> ServerCapabilities {
        let capabilities = ServerCapabilities(version: 0, limits: .standard)
        return try MessageParser.parse(body, into: capabilities) {
            capabilities,
            parser,
            key throws(WireError) in
            switch key {
            case "version": capabilities.version = try parser.number(key, in: 1...1_000_000)
            case "limits":
                var limits = RequestLimits.standard
                try parser.object(of: "\"limits\"") { parser, key throws(WireError) in
                    try limits.take(key, &parser)
                }
                capabilities.limits = limits
            default: return false
            }
            return true
        }
    }

    package static func body(of devices: [DeviceEntry]) -> [UInt8] {
        var writer = RecordWriter()
        writer.list("{\"devices\":", devices) { writer, device in
            writer.raw("{\"deviceID\":")
            writer.write(device.deviceID)
            writer.raw(",\"firstSeen\":")
            writer.write(device.firstSeen.millisecondsSince1970)
            writer.raw(",\"lastSeen\":")
            writer.write(device.lastSeen.millisecondsSince1970)
            writer.raw(device.isCaller ? ",\"current\":true}" : "}")
        }
        writer.raw("}")
        return writer.bytes
    }

    package static func body(of reply: PollReply) -> [UInt8] {
        var writer = RecordWriter()
        writer.raw("{\"changed\":")
        writer.write(reply.isChanged)
        writer.raw(",\"position\":")
        writer.write(reply.position)
        writer.raw("}")
        return writer.bytes
    }

    package static func pollReply(in body: [UInt8]) throws(WireError) -> PollReply {
        let reply = PollReply(isChanged: false, position: "")
        return try MessageParser.parse(body, into: reply) { reply, parser, key throws(WireError) in
            switch key {
            case "changed": reply.isChanged = try parser.bool(key)
            case "position": reply.position = try parser.string(key)
            default: return false
            }
            return true
        }
    }
}

extension RequestLimits {
    fileprivate mutating func take(
        _ key: String,
        _ parser: inout MessageParser
    ) throws(WireError) -> Bool {
        switch key {
        case "operations": batchCountMax = try parser.number(key, in: 1...10_000)
        case "requestBytes": batchByteCountMax = try parser.number(key, in: 1...100_000_000)
        case "recordBytes": recordByteCountMax = try parser.number(key, in: 1...100_000_000)
        default: return false
        }
        return true
    }
}

extension MessageParser {
    fileprivate mutating func firstUserName(_ key: String) throws(WireError) -> String? {
        let names = try list(of: "\"\(key)\"") { parser throws(WireError) in
            var name: String?
            try parser.object(of: "the user") { parser, key throws(WireError) in
                guard key == "userRecordName" else { return false }
                name = try parser.string(key)
                return true
            }
            return name
        }
        return names.first ?? nil
    }
}

extension AccountStatus {
    fileprivate var name: String {
        switch self {
        case .available: "available"
        case .noAccount: "noAccount"
        case .restricted: "restricted"
        case .temporarilyUnavailable: "temporarilyUnavailable"
        case .couldNotDetermine: "couldNotDetermine"
        }
    }
}
