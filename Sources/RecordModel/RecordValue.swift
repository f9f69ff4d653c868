/// What a field can hold.
///
/// What is large and rare stands apart in memory, so that the others are small.
public enum RecordValue: Hashable, Sendable {
    /// Text.
    case string(String)
    /// A whole number.
    case int64(Int64)
    /// A floating-point number.
    case double(Double)
    /// An instant, in whole milliseconds.
    case date(Timestamp)
    /// Bytes.
    case bytes([UInt8])
    /// A file kept beside the record.
    indirect case asset(Asset)
    /// A place on Earth.
    indirect case location(Location)
    /// A link to another record of the same zone.
    indirect case reference(Record.Reference)
    /// Several texts.
    case strings([String])
    /// Several whole numbers.
    case int64s([Int64])
    /// Several floating-point numbers.
    case doubles([Double])
    /// Several instants.
    case dates([Timestamp])
    /// Several runs of bytes.
    case bytesList([[UInt8]])
    /// Several files.
    case assets([Asset])
    /// Several places.
    case locations([Location])
    /// Several links.
    case references([Record.Reference])

    /// The kind of value, which the wire names beside each field.
    public var type: ValueType {
        switch self {
        case .string: .string
        case .int64: .int64
        case .double: .double
        case .date: .date
        case .bytes: .bytes
        case .asset: .asset
        case .location: .location
        case .reference: .reference
        case .strings: .strings
        case .int64s: .int64s
        case .doubles: .doubles
        case .dates: .dates
        case .bytesList: .bytesList
        case .assets: .assets
        case .locations: .locations
        case .references: .references
        }
    }

    /// The kinds of value, by the wire's names.
    public enum ValueType: String, CaseIterable, Hashable, Sendable, Codable {
        /// Text.
        case string = "STRING"
        /// A whole number.
        case int64 = "INT64"
        /// A floating-point number.
        case double = "DOUBLE"
        /// An instant.
        case date = "TIMESTAMP"
        /// Bytes.
        case bytes = "BYTES"
        /// A file.
        case asset = "ASSETID"
        /// A place.
        case location = "LOCATION"
        /// A link.
        case reference = "REFERENCE"
        /// Several texts.
        case strings = "STRING_LIST"
        /// Several whole numbers.
        case int64s = "INT64_LIST"
        /// Several floating-point numbers.
        case doubles = "DOUBLE_LIST"
        /// Several instants.
        case dates = "TIMESTAMP_LIST"
        /// Several runs of bytes.
        case bytesList = "BYTES_LIST"
        /// Several files.
        case assets = "ASSETID_LIST"
        /// Several places.
        case locations = "LOCATION_LIST"
        /// Several links.
        case references = "REFERENCE_LIST"
    }

    /// The links the value holds: one, several, or none.
    package var references: [Record.Reference] {
        switch self {
        case .reference(let reference): [reference]
        case .references(let references): references
        case .string, .int64, .double, .date, .bytes, .asset, .location, .strings, .int64s,
            .doubles, .dates, .bytesList, .assets, .locations:
            []
        }
    }
}

/// A place on Earth.
public struct Location: Hashable, Sendable, Codable {
    /// Degrees north, −90 to 90.
    public var latitude: Double
    /// Degrees east, −180 to 180.
    public var longitude: Double
    /// Metres above sea level.
    public var altitude: Double?
    /// Metres.
    public var horizontalAccuracy: Double?
    /// Metres.
    public var verticalAccuracy: Double?
    /// Metres a second.
    public var speed: Double?
    /// Degrees from north.
    public var course: Double?
    /// When it was measured.
    public var timestamp: Timestamp?

    /// Makes a place from its coordinates.
    public init(
        latitude: Double,
        longitude: Double,
        altitude: Double? = nil,
        horizontalAccuracy: Double? = nil,
        verticalAccuracy: Double? = nil,
        speed: Double? = nil,
        course: Double? = nil,
        timestamp: Timestamp? = nil
    ) {
        self.latitude = latitude
        self.longitude = longitude
        self.altitude = altitude
        self.horizontalAccuracy = horizontalAccuracy
        self.verticalAccuracy = verticalAccuracy
        self.speed = speed
        self.course = course
        self.timestamp = timestamp
    }
}

/// A file that belongs to a record and is transferred beside it.
///
/// The record carries the file's length and checksum; its bytes do not count towards the record's
/// size or that of a batch. Give a field a file with `Asset(fileURL:)` or `Asset(filePath:)`: the
/// engine copies it when it takes the record, and fills in the rest. The same path set anew counts
/// as a change, since its bytes may be others; to say that a file with the same bytes was moved,
/// change the path of the asset that the record holds.
public struct Asset: Hashable, Sendable, Codable {
    /// Where the file lies on this device; nil where it was not downloaded.
    public var filePath: String?
    /// The file's length in bytes; nil while it is not known.
    public var byteCount: Int64?
    /// The SHA-256 of the file; nil while it is not known.
    ///
    /// Where it is given beside a path, a file with other bytes is refused.
    public var checksum: [UInt8]?
    /// Tells files apart that were given to a record under one path; 0 before a record has it.
    ///
    /// Two equal assets may differ in it: the bytes under the path may have changed in between.
    package var edition = 0

    private enum CodingKeys: String, CodingKey {
        case filePath, byteCount, checksum
    }

    /// Makes an asset from what is known of its file.
    public init(filePath: String? = nil, byteCount: Int64? = nil, checksum: [UInt8]? = nil) {
        self.filePath = filePath
        self.byteCount = byteCount
        self.checksum = checksum
    }
}

extension Asset {
    /// Compares what is known of two files.
    public static func == (left: Asset, right: Asset) -> Bool {
        left.filePath == right.filePath && left.byteCount == right.byteCount
            && left.checksum == right.checksum
    }

    /// Hashes what is known of the file.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(filePath)
        hasher.combine(byteCount)
        hasher.combine(checksum)
    }
}
