import RecordModel

extension BinaryReader {
    /// Reads what `BinaryWriter.write(_: RecordValue)` wrote.
    mutating func readValue() throws(Failure) -> RecordValue {
        let tag = try readByte()
        switch tag {
        case 1: return .string(try readString())
        case 2: return .int64(try readSigned())
        case 3: return .double(try readDouble())
        case 4: return .date(try readTimestamp())
        case 5: return .bytes(try readBytes())
        case 6: return .asset(try readAsset())
        case 7: return .location(try readLocation())
        case 8: return .reference(try readReference())
        case 9...16: return try readListValue(tag)
        case _: throw failure("the tag of a value")
        }
    }

    private mutating func readListValue(_ tag: UInt8) throws(Failure) -> RecordValue {
        switch tag {
        case 9: .strings(try list { reader throws(Failure) in try reader.readString() })
        case 10: .int64s(try list { reader throws(Failure) in try reader.readSigned() })
        case 11: .doubles(try list { reader throws(Failure) in try reader.readDouble() })
        case 12: .dates(try list { reader throws(Failure) in try reader.readTimestamp() })
        case 13: .bytesList(try list { reader throws(Failure) in try reader.readBytes() })
        case 14: .assets(try list { reader throws(Failure) in try reader.readAsset() })
        case 15: .locations(try list { reader throws(Failure) in try reader.readLocation() })
        case _: .references(try list { reader throws(Failure) in try reader.readReference() })
        }
    }

    private mutating func list<Element>(
        _ read: (inout BinaryReader) throws(Failure) -> Element
    ) throws(Failure) -> [Element] {
        try readList(read)
    }

    private mutating func readAsset() throws(Failure) -> Asset {
        let byteCount = try readOptional { reader throws(Failure) in try reader.readSigned() }
        let checksum = try readOptional { reader throws(Failure) in try reader.readBytes() }
        return Asset(byteCount: byteCount, checksum: checksum)
    }

    private mutating func readLocation() throws(Failure) -> Location {
        var location = Location(latitude: try readDouble(), longitude: try readDouble())
        location.altitude = try readFigure()
        location.horizontalAccuracy = try readFigure()
        location.verticalAccuracy = try readFigure()
        location.speed = try readFigure()
        location.course = try readFigure()
        location.timestamp = try readOptional { reader throws(Failure) in
            try reader.readTimestamp()
        }
        return location
    }

    private mutating func readFigure() throws(Failure) -> Double? {
        try readOptional { reader throws(Failure) in try reader.readDouble() }
    }
}
