package import RecordModel

/// A zone's part of the reply to `changes/zone`: a page, or why there is none.
package struct ZoneChangesItem: Sendable {
    package let zoneID: RecordZone.ID
    package let result: Result<ZoneChangesReply, SyncError>

    package init(zoneID: RecordZone.ID, result: Result<ZoneChangesReply, SyncError>) {
        self.zoneID = zoneID
        self.result = result
    }
}

// Which zones changed.

extension WireCodec {
    package static func body(of request: DatabaseChangesRequest) -> [UInt8] {
        var writer = RecordWriter()
        writer.raw("{")
        writer.write(since: request.since, resultsLimit: request.resultsLimit)
        if !request.knownZoneIDs.isEmpty {
            if request.since != nil || request.resultsLimit != nil { writer.raw(",") }
            writer.list("\"knownZoneIDs\":", request.knownZoneIDs) { $0.write($1) }
        }
        writer.raw("}")
        return writer.bytes
    }

    package static func databaseChanges(
        in body: [UInt8]
    ) throws(WireError) -> DatabaseChangesRequest {
        try MessageParser.parse(body, into: DatabaseChangesRequest(since: nil)) {
            request,
            parser,
            key throws(WireError) in
            switch key {
            case "syncToken": request.since = try parser.token(key)
            case "resultsLimit": request.resultsLimit = try parser.resultsLimit(key)
            case "knownZoneIDs":
                request.knownZoneIDs = try parser.list(of: "\"knownZoneIDs\"") {
                    parser throws(WireError) in try parser.zoneID("element of knownZoneIDs")
                }
            default: return false
            }
            return true
        }
    }

    package static func body(
        of reply: DatabaseChangesReply,
        withExtensions: Bool
    ) -> [UInt8] {
        var writer = RecordWriter()
        writer.raw("{\"zones\":[")
        var isFirst = true
        for change in reply.modifications {
            writer.raw(isFirst ? "{\"zoneID\":" : ",{\"zoneID\":")
            isFirst = false
            writer.write(change.zoneID)
            writer.raw("}")
        }
        for change in reply.deletions {
            writer.raw(isFirst ? "{\"zoneID\":" : ",{\"zoneID\":")
            isFirst = false
            writer.write(change.zoneID)
            writer.raw(",\"deleted\":true")
            if withExtensions { writer.write(change.reason) }
            writer.raw("}")
        }
        writer.raw("]")
        writer.writeEnd(reply.changeToken, reply.moreComing)
        if withExtensions { writer.write(historyID: reply.historyID) }
        writer.raw("}")
        return writer.bytes
    }

    package static func databaseChangesReply(
        in body: [UInt8]
    ) throws(WireError) -> DatabaseChangesReply {
        var end = ParsedEnd()
        let zones = try MessageParser.parse(body, into: [ParsedZone]()) {
            zones,
            parser,
            key throws(WireError) in
            guard key == "zones" else { return try end.take(key, &parser) }
            zones = try parser.list(of: "\"zones\"") { parser throws(WireError) in
                try ParsedZone(&parser)
            }
            return true
        }
        var reply = DatabaseChangesReply(
            modifications: [],
            deletions: [],
            changeToken: try end.requiredToken(),
            moreComing: end.moreComing,
            historyID: end.historyID
        )
        for zone in zones {
            if zone.isDeleted {
                reply.deletions.append(.init(zoneID: zone.zoneID, reason: zone.reason))
            } else {
                reply.modifications.append(.init(zoneID: zone.zoneID))
            }
        }
        return reply
    }
}

// Which records of a zone changed.

extension WireCodec {
    package static func body(of request: ZoneChangesRequest) -> [UInt8] {
        var writer = RecordWriter()
        writer.raw("{\"zones\":[{")
        writer.write(since: request.since, resultsLimit: request.resultsLimit)
        if request.since != nil || request.resultsLimit != nil { writer.raw(",") }
        writer.raw("\"zoneID\":")
        writer.write(request.zoneID)
        if let keys = request.desiredKeys {
            writer.list(",\"desiredKeys\":", keys) { $0.write($1) }
        }
        if request.includesDeletions { writer.raw(",\"includesDeletions\":true") }
        if let changeTag = request.ownChangeTag {
            writer.raw(",\"ownChangeTag\":")
            writer.write(changeTag)
        }
        writer.raw("}]}")
        return writer.bytes
    }

    package static func zoneChanges(
        in body: [UInt8]
    ) throws(WireError) -> [ZoneChangesRequest] {
        var defaults = ZoneChangesRequest(zoneID: .default, since: nil)
        var requests: [ParsedZoneRequest] = []
        _ = try MessageParser.parse(body, into: ()) { _, parser, key throws(WireError) in
            guard key == "zones" else { return try defaults.take(key, &parser) }
            requests = try parser.list(
                of: "\"zones\"",
                countMax: WireLimits.zoneCountMax
            ) { parser throws(WireError) in try ParsedZoneRequest(&parser) }
            return true
        }
        return requests.map { $0.request(defaults) }
    }

    package static func body(
        of items: [ZoneChangesItem],
        withExtensions: Bool
    ) -> [UInt8] {
        var writer = RecordWriter()
        writer.list("{\"zones\":", items) { writer, item in
            writer.raw("{\"zoneID\":")
            writer.write(item.zoneID)
            switch item.result {
            case .success(let page): writer.write(page, withExtensions: withExtensions)
            case .failure(let error):
                writer.raw(",")
                writer.writeMembers(of: error, withExtensions: withExtensions)
            }
            writer.raw("}")
        }
        writer.raw("}")
        return writer.bytes
    }

    /// The reply's pages, in the order of the zones of the request.
    package static func zoneChangesReply(
        in body: [UInt8]
    ) throws(WireError) -> [Result<ZoneChangesReply, SyncError>] {
        try MessageParser.parse(body, into: [Result<ZoneChangesReply, SyncError>]()) {
            pages,
            parser,
            key throws(WireError) in
            guard key == "zones" else { return false }
            pages = try parser.list(of: "\"zones\"") { parser throws(WireError) in
                try parser.zonePage()
            }
            return true
        }
    }
}

extension MessageParser {
    fileprivate mutating func resultsLimit(_ key: String) throws(WireError) -> Int {
        try number(key, in: 1...Int64(Int32.max))
    }

    fileprivate mutating func zonePage() throws(WireError) -> Result<ZoneChangesReply, SyncError> {
        var end = ParsedEnd()
        var error = ErrorMembers()
        var items: [ParsedItem] = []
        try object(of: "the zone") { parser, key throws(WireError) in
            if key == "records" {
                items = try parser.list(of: "\"records\"") { parser throws(WireError) in
                    try parser.item(in: .default)
                }
                return true
            }
            if try end.take(key, &parser) { return true }
            try error.take(key, &parser.scanner, zoneID: .default)
            return true
        }
        if let error = error.error { return .failure(error) }
        var page = ZoneChangesReply(
            modifications: [],
            deletions: [],
            changeToken: try end.requiredToken(),
            moreComing: end.moreComing,
            historyID: end.historyID
        )
        for item in items { try page.take(item) }
        return .success(page)
    }
}

extension ZoneChangesReply {
    fileprivate mutating func take(_ item: ParsedItem) throws(WireError) {
        switch item {
        case .record(let record, let origin, _):
            modifications.append(.init(record: record, origin: origin))
        case .deletion(let recordID?, let recordType, let origin):
            // Servers of others often leave the type out.
            let type = recordType ?? ""
            deletions.append(.init(recordID: recordID, recordType: type, origin: origin))
        case .deletion(nil, _, _), .failure:
            throw WireError(column: 1, message: "a change of no record; expected one of a record")
        }
    }
}

/// What a zone is asked with, as far as it says so itself.
private struct ParsedZoneRequest {
    private var request = ZoneChangesRequest(zoneID: .default, since: nil)
    private var isGiven: Set<String> = []

    init(_ parser: inout MessageParser) throws(WireError) {
        var request = ZoneChangesRequest(zoneID: .default, since: nil)
        var isGiven: Set<String> = []
        try parser.object(of: "the zone") { parser, key throws(WireError) in
            guard try request.take(key, &parser) else { return false }
            isGiven.insert(key)
            return true
        }
        self.request = request
        self.isGiven = isGiven
    }

    func request(_ defaults: ZoneChangesRequest) -> ZoneChangesRequest {
        var request = request
        if !isGiven.contains("zoneID") { request.zoneID = defaults.zoneID }
        if !isGiven.contains("desiredKeys") { request.desiredKeys = defaults.desiredKeys }
        if !isGiven.contains("resultsLimit") { request.resultsLimit = defaults.resultsLimit }
        if !isGiven.contains("syncToken") { request.since = defaults.since }
        return request
    }
}

extension ZoneChangesRequest {
    fileprivate mutating func take(
        _ key: String,
        _ parser: inout MessageParser
    ) throws(WireError) -> Bool {
        switch key {
        case "zoneID": zoneID = try parser.zoneID(key)
        case "syncToken": since = try parser.token(key)
        case "desiredKeys": desiredKeys = try parser.keys(key)
        case "resultsLimit": resultsLimit = try parser.resultsLimit(key)
        case "includesDeletions": includesDeletions = try parser.bool(key)
        case "ownChangeTag": ownChangeTag = try parser.string(key)
        default: return false
        }
        return true
    }
}

extension RecordWriter {
    fileprivate mutating func write(since token: ServerChangeToken?, resultsLimit: Int?) {
        if let token {
            raw("\"syncToken\":")
            write(token)
        }
        guard let resultsLimit else { return }
        raw(token == nil ? "\"resultsLimit\":" : ",\"resultsLimit\":")
        write(Int64(resultsLimit))
    }

    fileprivate mutating func write(_ page: ZoneChangesReply, withExtensions: Bool) {
        raw(",\"records\":[")
        var isFirst = true
        for change in page.modifications {
            if !isFirst { raw(",") }
            isFirst = false
            beginRecord(change.record)
            writeFields(of: change.record) { _ in true }
            writeEnd(of: change.origin, withExtensions)
        }
        for change in page.deletions {
            raw(isFirst ? "{\"recordName\":" : ",{\"recordName\":")
            isFirst = false
            write(change.recordID.recordName)
            raw(",\"zoneID\":")
            write(change.recordID.zoneID)
            raw(",\"recordType\":")
            write(change.recordType)
            raw(",\"deleted\":true")
            writeEnd(of: change.origin, withExtensions)
        }
        raw("]")
        writeEnd(page.changeToken, page.moreComing)
        if withExtensions { write(historyID: page.historyID) }
    }

    private mutating func writeEnd(of origin: IdempotencyKey?, _ withExtensions: Bool) {
        if withExtensions, let origin {
            raw(",\"origin\":")
            write(origin)
        }
        raw("}")
    }

    fileprivate mutating func writeEnd(_ token: ServerChangeToken, _ moreComing: Bool) {
        raw(",\"syncToken\":")
        write(token)
        raw(",\"moreComing\":")
        write(moreComing)
    }

    fileprivate mutating func write(historyID: String?) {
        guard let historyID else { return }
        raw(",\"historyID\":")
        write(historyID)
    }

    fileprivate mutating func write(_ reason: Database.DatabaseChange.Deletion.Reason) {
        switch reason {
        case .deleted: raw(",\"deletionReason\":\"deleted\"")
        case .purged: raw(",\"deletionReason\":\"purged\"")
        case .encryptedDataReset: raw(",\"deletionReason\":\"encryptedDataReset\"")
        }
    }
}

/// What stands at the end of a page.
struct ParsedEnd {
    private(set) var token: ServerChangeToken?
    private(set) var moreComing = false
    private(set) var historyID: String?

    mutating func take(
        _ key: String,
        _ parser: inout MessageParser
    ) throws(WireError) -> Bool {
        switch key {
        case "syncToken": token = try parser.token(key)
        case "moreComing": moreComing = try parser.optionalBool(key)
        case "historyID": historyID = try parser.string(key)
        default: return false
        }
        return true
    }

    func requiredToken() throws(WireError) -> ServerChangeToken {
        guard let token else {
            throw WireError(column: 1, message: "no \"syncToken\"; expected the page's end")
        }
        return token
    }
}
