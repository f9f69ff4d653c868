internal import RecordModel

/// Which value is read, for an error that says so.
struct ValuePart {
    let type: RecordValue.ValueType
    /// False for an encrypted field, whose value must not reach a log.
    let isShown: Bool
    /// Which element of a list, counted from 1; nil for the value itself.
    var element: Int?
}

extension RecordParser {
    mutating func string(_ part: ValuePart) throws(WireError) -> String {
        try expect(.string, part, "text in quotes")
        return try scanner.string()
    }

    mutating func int64(_ part: ValuePart) throws(WireError) -> Int64 {
        try wholeNumber(part, Expected.wholeNumber)
    }

    mutating func date(_ part: ValuePart) throws(WireError) -> Timestamp {
        Timestamp(millisecondsSince1970: try wholeNumber(part, Expected.timestamp))
    }

    mutating func double(_ part: ValuePart) throws(WireError) -> Double {
        let start = scanner.position
        let kind = try scanner.kind()
        if kind == .string, let special = notFinite(try scanner.string()) { return special }
        if kind == .number {
            if let number = scanner.double(try scanner.number()) { return number }
            scanner.position = start
            throw try refusal(part, expecting: "a number that fits into 64 bits")
        }
        scanner.position = start
        throw try refusal(part, expecting: "a number")
    }

    mutating func bytes(_ part: ValuePart) throws(WireError) -> [UInt8] {
        try expect(.string, part, Expected.base64)
        let start = scanner.position
        if let bytes = Base64.decode(scanner.utf8(of: try scanner.text())) { return bytes }
        scanner.position = start
        throw try refusal(part, expecting: Expected.base64)
    }

    mutating func asset(_ part: ValuePart) throws(WireError) -> Asset {
        try expect(.object, part, "an object with \"fileChecksum\" and \"size\"")
        var asset = Asset()
        try scanner.beginObject(of: "the value")
        while let key = try scanner.nextKey() {
            switch key {
            case "fileChecksum": asset.checksum = try checksum()
            case "size": asset.byteCount = try fileSize()
            default: try scanner.skipValue()
            }
        }
        return asset
    }

    mutating func location(_ part: ValuePart) throws(WireError) -> Location {
        try expect(.object, part, "an object with \"latitude\" and \"longitude\"")
        var latitude: Double?
        var longitude: Double?
        var location = Location(latitude: 0, longitude: 0)
        try scanner.beginObject(of: "the value")
        while let key = try scanner.nextKey() {
            switch key {
            case "latitude": latitude = try figure(key)
            case "longitude": longitude = try figure(key)
            case "horizontalAccuracy": location.horizontalAccuracy = try figure(key)
            case "verticalAccuracy": location.verticalAccuracy = try figure(key)
            case "altitude": location.altitude = try figure(key)
            case "speed": location.speed = try figure(key)
            case "course": location.course = try figure(key)
            case "timestamp": location.timestamp = try instant(of: "\"timestamp\"")
            default: try scanner.skipValue()
            }
        }
        guard let latitude else { throw missing("latitude", expecting: "degrees north") }
        guard let longitude else { throw missing("longitude", expecting: "degrees east") }
        location.latitude = latitude
        location.longitude = longitude
        return location
    }

    mutating func reference(_ part: ValuePart) throws(WireError) -> Record.Reference {
        try expect(.object, part, "an object with \"recordName\" and \"action\"")
        let link = try link(of: "the value")
        guard let action = link.action else {
            throw missing("action", expecting: "\"NONE\" or \"DELETE_SELF\"")
        }
        return Record.Reference(recordID: link.recordID, action: action)
    }

    mutating func parentLink() throws(WireError) -> Record.Reference {
        Record.Reference(recordID: try link(of: "\"parent\"").recordID, action: .none)
    }

    /// An instant beside other members of an object.
    mutating func instant(of part: String) throws(WireError) -> Timestamp {
        try scanner.expect(.number, of: part)
        let start = scanner.position
        guard let milliseconds = scanner.int64(try scanner.number()) else {
            throw scanner.error(
                "\(part) is not a TIMESTAMP; expected \(Expected.timestamp)",
                at: start
            )
        }
        return Timestamp(millisecondsSince1970: milliseconds)
    }

    // MARK: Refusing

    /// Goes to the value and refuses one of another kind.
    mutating func expect(
        _ kind: JSONScanner.Kind,
        _ part: ValuePart,
        _ expected: String
    ) throws(WireError) {
        guard try scanner.kind() == kind else { throw try refusal(part, expecting: expected) }
    }

    /// The error about the value at the position, which is not what its type says.
    private mutating func refusal(
        _ part: ValuePart,
        expecting expected: String
    ) throws(WireError) -> WireError {
        _ = try scanner.kind()
        let start = scanner.position
        try scanner.skipValue()
        let lengthMax = 40
        let value = scanner.bytes[start..<scanner.position]
        var shown = String(decoding: value.prefix(lengthMax), as: UTF8.self)
        if value.count > lengthMax { shown += "…" }
        let name = part.element.map { "element \($0) of the list" } ?? "the value"
        let type = part.type.rawValue
        let article = "AEIOU".contains(type.prefix(1)) ? "an" : "a"
        let subject = part.isShown ? "\(name) \(shown)" : name
        return scanner.error(
            "\(subject) is not \(article) \(type); expected \(expected)",
            at: start
        )
    }

    private mutating func wholeNumber(
        _ part: ValuePart,
        _ expected: String
    ) throws(WireError) -> Int64 {
        try expect(.number, part, expected)
        let start = scanner.position
        let number = try scanner.number()
        if let whole = scanner.int64(number) { return whole }
        scanner.position = start
        throw try refusal(part, expecting: number.isWhole ? Expected.int64Range : expected)
    }

    // MARK: Parts of values

    private mutating func figure(_ key: String) throws(WireError) -> Double {
        let part = "\"\(key)\""
        _ = try scanner.kind()
        let start = scanner.position
        if try scanner.kind() == .string, let special = notFinite(try scanner.string()) {
            return special
        }
        scanner.position = start
        try scanner.expect(.number, of: part)
        guard let figure = scanner.double(try scanner.number()) else {
            throw scanner.error("\(part) is too large; expected a number of 64 bits", at: start)
        }
        return figure
    }

    mutating func checksum() throws(WireError) -> [UInt8] {
        try scanner.expect(.string, of: "\"fileChecksum\"")
        let start = scanner.position
        let byteCount = 32
        guard let checksum = Base64.decode(scanner.utf8(of: try scanner.text())),
            checksum.count == byteCount
        else {
            throw scanner.error(
                "\"fileChecksum\" is not a SHA-256; expected \(byteCount) bytes in base64",
                at: start
            )
        }
        return checksum
    }

    private mutating func fileSize() throws(WireError) -> Int64 {
        try scanner.expect(.number, of: "\"size\"")
        let start = scanner.position
        guard let size = scanner.int64(try scanner.number()), size >= 0 else {
            throw scanner.error(
                "\"size\" is not a length; expected a whole number of bytes, 0 or more",
                at: start
            )
        }
        return size
    }

    private mutating func link(
        of part: String
    ) throws(WireError) -> (recordID: Record.ID, action: Record.Reference.Action?) {
        var recordName: String?
        var zoneID: RecordZone.ID?
        var action: Record.Reference.Action?
        try scanner.beginObject(of: part)
        while let key = try scanner.nextKey() {
            switch key {
            case "recordName": recordName = try scanner.string(of: "\"recordName\"")
            case "zoneID": zoneID = try zone(of: "\"zoneID\"")
            case "action": action = try linkAction()
            default: try passOver(key, expecting: "recordName, zoneID or action")
            }
        }
        guard let recordName else {
            throw missing("recordName", of: part, expecting: "the name of the record linked to")
        }
        return (Record.ID(recordName: recordName, zoneID: zoneID ?? ownZone()), action)
    }

    private mutating func linkAction() throws(WireError) -> Record.Reference.Action {
        try scanner.expect(.string, of: "\"action\"")
        let start = scanner.position
        switch try scanner.string() {
        case "NONE": return .none
        case "DELETE_SELF": return .deleteSelf
        case let other:
            throw scanner.error(
                "unknown action \(quoted(other)); expected \"NONE\" or \"DELETE_SELF\"",
                at: start
            )
        }
    }
}

/// The number that JSON has no digits for.
private func notFinite(_ text: String) -> Double? {
    switch text {
    case "NaN": .nan
    case "Infinity": .infinity
    case "-Infinity": -.infinity
    default: nil
    }
}
