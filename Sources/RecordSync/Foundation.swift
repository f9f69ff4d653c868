public import FoundationEssentials
public import RecordModel
public import SyncCore

// Every spelling of Foundation's types stands in this file; nothing else of the package's engine
// needs Foundation.

extension Timestamp {
    /// The instant of a date, cut to whole milliseconds.
    public init(_ date: Date) {
        let milliseconds = (date.timeIntervalSince1970 * 1000).rounded(.down)
        self.init(millisecondsSince1970: Int64(exactly: milliseconds) ?? .max)
    }

    /// The instant as a date.
    public var date: Date {
        Date(timeIntervalSince1970: Double(millisecondsSince1970) / 1000)
    }

    package static var now: Timestamp { Timestamp(Date()) }
}

extension Date: RecordListElement {
    /// The date as a field holds it, cut to whole milliseconds.
    public var recordValue: RecordValue { .date(Timestamp(self)) }

    /// Takes instants only.
    public init?(recordValue: RecordValue) {
        guard case .date(let timestamp) = recordValue else { return nil }
        self = timestamp.date
    }

    /// The list as a field holds it.
    public static func listValue(_ elements: [Date]) -> RecordValue {
        .dates(elements.map(Timestamp.init))
    }

    /// The list that the value holds, or nil where it holds another type.
    public static func elements(of value: RecordValue) -> [Date]? {
        guard case .dates(let elements) = value else { return nil }
        return elements.map(\.date)
    }
}

extension Data: RecordListElement {
    /// The bytes as a field holds them.
    public var recordValue: RecordValue { .bytes(Array(self)) }

    /// Takes bytes only.
    public init?(recordValue: RecordValue) {
        guard case .bytes(let bytes) = recordValue else { return nil }
        self.init(bytes)
    }

    /// The list as a field holds it.
    public static func listValue(_ elements: [Data]) -> RecordValue {
        .bytesList(elements.map { Array($0) })
    }

    /// The list that the value holds, or nil where it holds another type.
    public static func elements(of value: RecordValue) -> [Data]? {
        guard case .bytesList(let elements) = value else { return nil }
        return elements.map { Data($0) }
    }
}

extension Record.ID {
    /// Makes an identity with a random name.
    public init(zoneID: RecordZone.ID = .default) {
        self.init(recordName: UUID().uuidString, zoneID: zoneID)
    }
}

extension Record {
    /// Makes a record with a random name in the default zone.
    public init(recordType: RecordType) {
        self.init(recordType: recordType, recordID: ID())
    }

    /// When the record was created, by the server's clock; nil before the first save.
    public var creationDate: Date? { creation?.timestamp.date }

    /// When the record was last saved, by the server's clock; nil before the first save.
    public var modificationDate: Date? { modification?.timestamp.date }
}

extension Asset {
    /// Makes an asset of a file on this device.
    public init(fileURL: URL) { self.init(filePath: fileURL.path) }

    /// Where the file lies on this device; nil where it was not downloaded.
    public var fileURL: URL? { filePath.map { URL(filePath: $0) } }
}

extension StateSerialization {
    /// Takes stored bytes back; throws `StateSerializationError`, as `init(bytes:)` does.
    public init(data: Data) throws(StateSerializationError) { try self.init(bytes: Array(data)) }

    /// The state as bytes: the form to store.
    public var data: Data { Data(bytes) }
}
