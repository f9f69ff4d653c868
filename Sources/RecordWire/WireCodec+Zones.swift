package import RecordModel

/// A request to change zones, with the places of its operations.
package struct ModifyZonesCall: Sendable {
    package var request: ModifyZonesRequest
    /// The operations in the order in which they stood.
    package var places: [ModifyRecordsCall.Place]
}

extension WireCodec {
    package static func body(of request: ModifyZonesRequest) -> [UInt8] {
        var writer = RecordWriter()
        let operations =
            request.zonesToSave.map { (isSave: true, zoneID: $0.zoneID) }
            + request.zoneIDsToDelete.map { (isSave: false, zoneID: $0) }
        writer.list("{\"operations\":", operations) { writer, operation in
            writer.raw(
                operation.isSave
                    ? "{\"operationType\":\"create\",\"zone\":{\"zoneID\":"
                    : "{\"operationType\":\"delete\",\"zone\":{\"zoneID\":"
            )
            writer.write(operation.zoneID)
            writer.raw("}}")
        }
        if let key = request.idempotencyKey {
            writer.raw(",\"idempotencyKey\":")
            writer.write(key)
        }
        writer.raw("}")
        return writer.bytes
    }

    package static func modifyZones(in body: [UInt8]) throws(WireError) -> ModifyZonesCall {
        let call = ModifyZonesCall(request: ModifyZonesRequest(), places: [])
        return try MessageParser.parse(body, into: call) { call, parser, key throws(WireError) in
            switch key {
            case "operations":
                let operations = try parser.list(of: "\"operations\"") {
                    parser throws(WireError) in try parser.zoneOperation()
                }
                for (isSave, zoneID) in operations {
                    if isSave {
                        call.places.append(.save(call.request.zonesToSave.count))
                        call.request.zonesToSave.append(RecordZone(zoneID: zoneID))
                    } else {
                        call.places.append(.deletion(call.request.zoneIDsToDelete.count))
                        call.request.zoneIDsToDelete.append(zoneID)
                    }
                }
            case "idempotencyKey":
                call.request.idempotencyKey = try MessageParser.key(&parser.scanner)
            default: return false
            }
            return true
        }
    }

    package static func body(
        of reply: ModifyZonesReply,
        to call: ModifyZonesCall,
        withExtensions: Bool
    ) -> [UInt8] {
        var writer = RecordWriter()
        writer.list("{\"zones\":", call.places) { writer, place in
            switch place {
            case .save(let number):
                let zoneID = call.request.zonesToSave[number].zoneID
                writer.write(reply.saveResults[number], zoneID, withExtensions)
            case .deletion(let number):
                let zoneID = call.request.zoneIDsToDelete[number]
                if let error = reply.deleteErrors[number] {
                    writer.write(.failure(error), zoneID, withExtensions)
                } else {
                    writer.raw("{\"zoneID\":")
                    writer.write(zoneID)
                    writer.raw(",\"deleted\":true}")
                }
            }
        }
        writer.raw("}")
        return writer.bytes
    }

    /// Reads the reply to a request whose saves stood before its deletions.
    package static func modifyZonesReply(
        in body: [UInt8],
        to request: ModifyZonesRequest
    ) throws(WireError) -> ModifyZonesReply {
        let zones = try zones(in: body)
        let saveCount = request.zonesToSave.count
        guard zones.count == saveCount + request.zoneIDsToDelete.count else {
            throw WireError(column: 1, message: "\(zones.count) results; expected one a change")
        }
        return ModifyZonesReply(
            saveResults: zones.prefix(saveCount).map(\.result),
            deleteErrors: zones.dropFirst(saveCount).map(\.error.error)
        )
    }

    /// The body of a list of zones.
    package static func body(
        of zones: [Result<RecordZone, SyncError>],
        named zoneIDs: [RecordZone.ID],
        withExtensions: Bool
    ) -> [UInt8] {
        var writer = RecordWriter()
        writer.list("{\"zones\":", Array(zip(zones, zoneIDs))) { writer, zone in
            writer.write(zone.0, zone.1, withExtensions)
        }
        writer.raw("}")
        return writer.bytes
    }

    /// The zones that a look-up names.
    package static func zoneIDs(in body: [UInt8]) throws(WireError) -> [RecordZone.ID] {
        try zones(in: body).map(\.zoneID)
    }

    private static func zones(in body: [UInt8]) throws(WireError) -> [ParsedZone] {
        try MessageParser.parse(body, into: [ParsedZone]()) {
            zones,
            parser,
            key throws(WireError) in
            guard key == "zones" else { return false }
            zones = try parser.list(of: "\"zones\"") { parser throws(WireError) in
                try ParsedZone(&parser)
            }
            return true
        }
    }
}

/// A zone in a message: one that is there, one that is gone, or an error.
struct ParsedZone {
    private(set) var zoneID = RecordZone.ID.default
    private(set) var isDeleted = false
    /// What a server says that does not tell why: nothing of which a client may wipe its data.
    private(set) var reason = Database.DatabaseChange.Deletion.Reason.deleted
    private(set) var error = ErrorMembers()

    init(_ parser: inout MessageParser) throws(WireError) {
        var zone = (zoneID: RecordZone.ID?.none, zoneName: String?.none, owner: String?.none)
        var isDeleted = false
        var reason = Database.DatabaseChange.Deletion.Reason.deleted
        var error = ErrorMembers()
        try parser.object(of: "the zone") { parser, key throws(WireError) in
            switch key {
            case "zoneID": zone.zoneID = try parser.zoneID(key)
            case "zoneName": zone.zoneName = try parser.string(key)
            case "ownerRecordName": zone.owner = try parser.string(key)
            case "deleted": isDeleted = try parser.bool(key)
            case "deletionReason": reason = .init(name: try parser.string(key))
            default: try error.take(key, &parser.scanner, zoneID: .default)
            }
            return true
        }
        guard let zoneID = zone.zoneID ?? Self.zoneID(zone.zoneName, zone.owner) else {
            throw parser.missing("zoneID", expecting: "the zone's name and owner")
        }
        self.zoneID = zoneID
        self.isDeleted = isDeleted
        self.reason = reason
        self.error = error
    }

    var result: Result<RecordZone, SyncError> {
        error.error.map { .failure($0) } ?? .success(RecordZone(zoneID: zoneID))
    }

    private static func zoneID(_ name: String?, _ owner: String?) -> RecordZone.ID? {
        name.map {
            RecordZone.ID(zoneName: $0, ownerName: owner ?? RecordZone.ID.currentUserName)
        }
    }
}

extension Database.DatabaseChange.Deletion.Reason {
    fileprivate init(name: String) {
        switch name {
        case "purged": self = .purged
        case "encryptedDataReset": self = .encryptedDataReset
        case _: self = .deleted
        }
    }
}

extension MessageParser {
    fileprivate mutating func zoneOperation() throws(WireError) -> (Bool, RecordZone.ID) {
        var type: String?
        var zone: ParsedZone?
        try object(of: "the operation") { parser, key throws(WireError) in
            switch key {
            case "operationType": type = try parser.string(key)
            case "zone": zone = try ParsedZone(&parser)
            default: return false
            }
            return true
        }
        guard let zone else { throw missing("zone", expecting: "the zone to create or delete") }
        switch type {
        case "create": return (true, zone.zoneID)
        case "delete": return (false, zone.zoneID)
        case _: throw missing("operationType", expecting: "create or delete")
        }
    }
}

extension RecordWriter {
    fileprivate mutating func write(
        _ zone: Result<RecordZone, SyncError>,
        _ zoneID: RecordZone.ID,
        _ withExtensions: Bool
    ) {
        raw("{\"zoneID\":")
        switch zone {
        case .success(let zone):
            write(zone.zoneID)
            raw(",\"atomic\":true}")
        case .failure(let error):
            write(zoneID)
            raw(",")
            writeMembers(of: error, withExtensions: withExtensions)
            raw("}")
        }
    }
}
