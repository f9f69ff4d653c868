/// A Swift type that a record's field can hold.
public protocol RecordValueConvertible: Sendable {
    /// The value as a field holds it.
    var recordValue: RecordValue { get }

    /// Makes the Swift value, or nil where the field holds another type.
    init?(recordValue: RecordValue)
}

extension RecordValue: RecordValueConvertible {
    /// The value itself.
    public var recordValue: RecordValue { self }

    /// Takes every value.
    public init?(recordValue: RecordValue) { self = recordValue }
}

extension String: RecordValueConvertible {
    /// The text as a field holds it.
    public var recordValue: RecordValue { .string(self) }

    /// Takes text only.
    public init?(recordValue: RecordValue) {
        guard case .string(let string) = recordValue else { return nil }
        self = string
    }
}

extension Int64: RecordValueConvertible {
    /// The number as a field holds it.
    public var recordValue: RecordValue { .int64(self) }

    /// Takes whole numbers only.
    public init?(recordValue: RecordValue) {
        guard case .int64(let number) = recordValue else { return nil }
        self = number
    }
}

extension Int: RecordValueConvertible {
    /// The number as a field holds it.
    public var recordValue: RecordValue { .int64(Int64(self)) }

    /// Takes whole numbers that fit.
    public init?(recordValue: RecordValue) {
        guard case .int64(let number) = recordValue else { return nil }
        self.init(exactly: number)
    }
}

extension Bool: RecordValueConvertible {
    /// Stored as 0 or 1: fields know no truth values.
    public var recordValue: RecordValue { .int64(self ? 1 : 0) }

    /// Takes whole numbers; all but 0 are true.
    public init?(recordValue: RecordValue) {
        guard case .int64(let number) = recordValue else { return nil }
        self = number != 0
    }
}

extension Double: RecordValueConvertible {
    /// The number as a field holds it.
    public var recordValue: RecordValue { .double(self) }

    /// Takes floating-point and whole numbers.
    public init?(recordValue: RecordValue) {
        switch recordValue {
        case .double(let number): self = number
        case .int64(let number): self = Double(number)
        case .string, .date, .bytes, .asset, .location, .reference, .strings, .int64s, .doubles,
            .dates, .bytesList, .assets, .locations, .references:
            return nil
        }
    }
}

extension Timestamp: RecordValueConvertible {
    /// The instant as a field holds it.
    public var recordValue: RecordValue { .date(self) }

    /// Takes instants only.
    public init?(recordValue: RecordValue) {
        guard case .date(let timestamp) = recordValue else { return nil }
        self = timestamp
    }
}

extension Asset: RecordValueConvertible {
    /// The file as a field holds it.
    public var recordValue: RecordValue { .asset(self) }

    /// Takes files only.
    public init?(recordValue: RecordValue) {
        guard case .asset(let asset) = recordValue else { return nil }
        self = asset
    }
}

extension Location: RecordValueConvertible {
    /// The place as a field holds it.
    public var recordValue: RecordValue { .location(self) }

    /// Takes places only.
    public init?(recordValue: RecordValue) {
        guard case .location(let location) = recordValue else { return nil }
        self = location
    }
}

extension Record.Reference: RecordValueConvertible {
    /// The link as a field holds it.
    public var recordValue: RecordValue { .reference(self) }

    /// Takes links only.
    public init?(recordValue: RecordValue) {
        guard case .reference(let reference) = recordValue else { return nil }
        self = reference
    }
}

/// A Swift type of which a record's field can hold several.
public protocol RecordListElement: RecordValueConvertible {
    /// The list as a field holds it.
    static func listValue(_ elements: [Self]) -> RecordValue

    /// The list that the value holds, or nil where it holds another type.
    static func elements(of value: RecordValue) -> [Self]?
}

extension Array: RecordValueConvertible where Element: RecordListElement {
    /// The list as a field holds it.
    public var recordValue: RecordValue { Element.listValue(self) }

    /// Takes lists of this type only.
    public init?(recordValue: RecordValue) {
        guard let elements = Element.elements(of: recordValue) else { return nil }
        self = elements
    }
}

extension String: RecordListElement {
    /// The list as a field holds it.
    public static func listValue(_ elements: [String]) -> RecordValue { .strings(elements) }

    /// The list that the value holds, or nil where it holds another type.
    public static func elements(of value: RecordValue) -> [String]? {
        guard case .strings(let elements) = value else { return nil }
        return elements
    }
}

extension Int64: RecordListElement {
    /// The list as a field holds it.
    public static func listValue(_ elements: [Int64]) -> RecordValue { .int64s(elements) }

    /// The list that the value holds, or nil where it holds another type.
    public static func elements(of value: RecordValue) -> [Int64]? {
        guard case .int64s(let elements) = value else { return nil }
        return elements
    }
}

extension Double: RecordListElement {
    /// The list as a field holds it.
    public static func listValue(_ elements: [Double]) -> RecordValue { .doubles(elements) }

    /// The list that the value holds, or nil where it holds another type.
    public static func elements(of value: RecordValue) -> [Double]? {
        guard case .doubles(let elements) = value else { return nil }
        return elements
    }
}

extension Timestamp: RecordListElement {
    /// The list as a field holds it.
    public static func listValue(_ elements: [Timestamp]) -> RecordValue { .dates(elements) }

    /// The list that the value holds, or nil where it holds another type.
    public static func elements(of value: RecordValue) -> [Timestamp]? {
        guard case .dates(let elements) = value else { return nil }
        return elements
    }
}

extension Asset: RecordListElement {
    /// The list as a field holds it.
    public static func listValue(_ elements: [Asset]) -> RecordValue { .assets(elements) }

    /// The list that the value holds, or nil where it holds another type.
    public static func elements(of value: RecordValue) -> [Asset]? {
        guard case .assets(let elements) = value else { return nil }
        return elements
    }
}

extension Location: RecordListElement {
    /// The list as a field holds it.
    public static func listValue(_ elements: [Location]) -> RecordValue { .locations(elements) }

    /// The list that the value holds, or nil where it holds another type.
    public static func elements(of value: RecordValue) -> [Location]? {
        guard case .locations(let elements) = value else { return nil }
        return elements
    }
}

extension Record.Reference: RecordListElement {
    /// The list as a field holds it.
    public static func listValue(_ elements: [Record.Reference]) -> RecordValue {
        .references(elements)
    }

    /// The list that the value holds, or nil where it holds another type.
    public static func elements(of value: RecordValue) -> [Record.Reference]? {
        guard case .references(let elements) = value else { return nil }
        return elements
    }
}
