internal import RecordModel

/// A field as it was read: no value where it is a removal.
struct ParsedField {
    let key: String
    let value: RecordValue?
    let isEncrypted: Bool
}

/// What stands where a value of a type is expected, in words.
enum Expected {
    static let wholeNumber = "a whole number"
    static let timestamp = "whole milliseconds since 1970"
    static let base64 = "base64 in quotes"
    static let recordKey =
        "recordName, recordType, zoneID, parent, fields, recordChangeTag, created or modified"
    static let int64Range = "a whole number from \(Int64.min) to \(Int64.max)"
}

extension RecordParser {
    mutating func field(_ key: String) throws(WireError) -> ParsedField {
        do {
            return try fieldContent(key)
        } catch {
            throw error.within("field \(quoted(key))")
        }
    }

    private mutating func fieldContent(_ key: String) throws(WireError) -> ParsedField {
        var valueStart: Int?
        var typeName: (text: String, position: Int)?
        var isEncrypted = false
        try scanner.beginObject(of: "it")
        while let key = try scanner.nextKey() {
            switch key {
            case "value":
                _ = try scanner.kind()
                valueStart = scanner.position
                try scanner.skipValue()
            case "type":
                _ = try scanner.kind()
                let position = scanner.position
                typeName = (try scanner.string(of: "\"type\""), position)
            case "isEncrypted": isEncrypted = try scanner.bool(of: "\"isEncrypted\"")
            default: try passOver(key, expecting: "value, type or isEncrypted")
            }
        }
        guard let valueStart else { throw missing("value", expecting: "a value, or null") }
        if typeName?.text == "ENCRYPTED_BYTES" { isEncrypted = true }
        // A type may stand behind its value, so values are read when the field has been seen.
        let fieldEnd = scanner.position
        scanner.position = valueStart
        let type = try type(named: typeName?.text, at: typeName?.position)
        let value = try fieldValue(of: type, isShown: !isEncrypted)
        scanner.position = fieldEnd
        return ParsedField(key: key, value: value, isEncrypted: isEncrypted)
    }

    /// The type of a name, or the type of the next value where there is no name.
    private mutating func type(
        named name: String?,
        at position: Int?
    ) throws(WireError) -> RecordValue.ValueType {
        switch name {
        case "ASSET": return .asset
        case "ENCRYPTED_BYTES": return .bytes
        case .some(let name):
            guard let type = RecordValue.ValueType(rawValue: name) else {
                let names = RecordValue.ValueType.allCases.map(\.rawValue).joined(separator: ", ")
                throw scanner.error(
                    "unknown type \(quoted(name)); expected one of \(names)",
                    at: position
                )
            }
            return type
        case nil: return try inferredType()
        }
    }

    private mutating func inferredType() throws(WireError) -> RecordValue.ValueType {
        let kind = try scanner.kind()
        switch kind {
        // A removed field has no value that could be of a wrong type.
        case .string, .null: return .string
        case .number:
            let valueStart = scanner.position
            defer { scanner.position = valueStart }
            return try scanner.number().isWhole ? .int64 : .double
        case .object, .list, .bool:
            throw scanner.error("no \"type\" beside \(kind.rawValue); expected the value's type")
        }
    }

    private mutating func fieldValue(
        of type: RecordValue.ValueType,
        isShown: Bool
    ) throws(WireError) -> RecordValue? {
        if try scanner.kind() == .null { return nil }
        let part = ValuePart(type: type, isShown: isShown)
        switch type {
        case .string: return .string(try string(part))
        case .int64: return .int64(try int64(part))
        case .double: return .double(try double(part))
        case .date: return .date(try date(part))
        case .bytes: return .bytes(try bytes(part))
        case .asset: return .asset(try asset(part))
        case .location: return .location(try location(part))
        case .reference: return .reference(try reference(part))
        case .strings: return .strings(try list(part))
        case .int64s: return .int64s(try list(part))
        case .doubles: return .doubles(try list(part))
        case .dates: return .dates(try list(part))
        case .bytesList: return .bytesList(try list(part))
        case .assets: return .assets(try list(part))
        case .locations: return .locations(try list(part))
        case .references: return .references(try list(part))
        }
    }

    private mutating func list<Element: ListElement>(
        _ part: ValuePart
    ) throws(WireError) -> [Element] {
        try expect(.list, part, "a list")
        try scanner.beginList(of: "the value")
        var elements: [Element] = []
        var part = part
        while try scanner.nextElement() {
            part.element = elements.count + 1
            elements.append(try Element.read(part, by: &self))
        }
        return elements
    }
}
