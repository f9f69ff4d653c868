internal import RecordModel

/// A value that a list of a field holds.
protocol ListElement {
    /// Reads the value that comes next.
    static func read(_ part: ValuePart, by parser: inout RecordParser) throws(WireError) -> Self
}

extension String: ListElement {
    static func read(
        _ part: ValuePart,
        by parser: inout RecordParser
    ) throws(WireError) -> String {
        try parser.string(part)
    }
}

extension Int64: ListElement {
    static func read(
        _ part: ValuePart,
        by parser: inout RecordParser
    ) throws(WireError) -> Int64 {
        try parser.int64(part)
    }
}

extension Double: ListElement {
    static func read(
        _ part: ValuePart,
        by parser: inout RecordParser
    ) throws(WireError) -> Double {
        try parser.double(part)
    }
}

extension Timestamp: ListElement {
    static func read(
        _ part: ValuePart,
        by parser: inout RecordParser
    ) throws(WireError) -> Timestamp {
        try parser.date(part)
    }
}

extension Asset: ListElement {
    static func read(
        _ part: ValuePart,
        by parser: inout RecordParser
    ) throws(WireError) -> Asset {
        try parser.asset(part)
    }
}

extension Location: ListElement {
    static func read(
        _ part: ValuePart,
        by parser: inout RecordParser
    ) throws(WireError) -> Location {
        try parser.location(part)
    }
}

extension Record.Reference: ListElement {
    static func read(
        _ part: ValuePart,
        by parser: inout RecordParser
    ) throws(WireError) -> Record.Reference {
        try parser.reference(part)
    }
}

extension Array: ListElement where Element == UInt8 {
    static func read(
        _ part: ValuePart,
        by parser: inout RecordParser
    ) throws(WireError) -> [UInt8] {
        try parser.bytes(part)
    }
}
