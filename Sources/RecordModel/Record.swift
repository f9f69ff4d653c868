/// A record: typed fields under a name, in a zone.
///
/// A value: a copy is independent. It carries the server's change tag of the version it was made
/// from, so that a save built on it is checked against what the server has.
public struct Record: Hashable, Sendable, CustomStringConvertible {
    /// The kind of a record, as the app calls it.
    public typealias RecordType = String
    /// The name of a field.
    public typealias FieldKey = String
    /// Apple's spelling of the action.
    public typealias ReferenceAction = Reference.Action

    /// What the record holds, in a list of one: copied when it is written to while shared, so that
    /// handing a record on costs a count and not its three hundred bytes.
    @usableFromInline var contents: [Contents]

    @usableFromInline struct Contents: Hashable, Sendable {
        @usableFromInline let recordType: RecordType
        @usableFromInline let recordID: ID
        @usableFromInline var recordChangeTag: String?
        @usableFromInline var creation: Stamp?
        @usableFromInline var modification: Stamp?
        @usableFromInline var parent: Reference?
        @usableFromInline var fields = FieldTable()
        @usableFromInline var isParentChanged = false

        init(recordType: RecordType, recordID: ID) {
            self.recordType = recordType
            self.recordID = recordID
        }
    }

    init(contents: Contents) { self.contents = [contents] }

    /// Makes a record that no server has seen.
    public init(recordType: RecordType, recordID: ID) {
        contents = [Contents(recordType: recordType, recordID: recordID)]
    }

    /// The type and the identity, for a log: no field is shown.
    public var description: String { "\(recordType) \(recordID)" }
}

extension Record {
    /// What the record is.
    @inlinable public var recordType: RecordType { contents[0].recordType }

    /// The record's name and zone.
    @inlinable public var recordID: ID { contents[0].recordID }

    /// The server's stamp of this version; nil before the first save.
    @inlinable public var recordChangeTag: String? { contents[0].recordChangeTag }

    /// When, by whom and from which device it was created; set by the server.
    @inlinable public var creation: Stamp? { contents[0].creation }

    /// When, by whom and from which device it was last saved; set by the server.
    @inlinable public var modification: Stamp? { contents[0].modification }

    /// The record above this one in the app's hierarchy; its action is always `.none`.
    ///
    /// The server takes a child only if its parent exists or is saved by the same request.
    public var parent: Reference? {
        get { contents[0].parent }
        set {
            guard newValue != contents[0].parent else { return }
            contents[0].parent = newValue
            contents[0].isParentChanged = true
        }
    }

    @inlinable package var fields: FieldTable { contents[0].fields }
    @inlinable package var isParentChanged: Bool { contents[0].isParentChanged }
}

extension Record {
    /// Identifies a record in a database.
    public struct ID: Hashable, Sendable, Codable, CustomStringConvertible {
        /// ASCII, 1 to 255 characters.
        public let recordName: String
        /// The zone the record lives in.
        public let zoneID: RecordZone.ID

        /// Makes an identity; names are checked when the record is first used.
        public init(recordName: String, zoneID: RecordZone.ID = .default) {
            self.recordName = recordName
            self.zoneID = zoneID
        }

        /// The zone's and the record's name.
        public var description: String { "\(zoneID)/\(recordName)" }
    }

    /// A link to another record of the same zone.
    public struct Reference: Hashable, Sendable, Codable {
        /// The record this one points to.
        public let recordID: ID
        /// What happens to this record when that one is deleted.
        public let action: Action

        /// Makes a link to the record with the given identity.
        public init(recordID: ID, action: Action) {
            self.recordID = recordID
            self.action = action
        }

        /// Makes a link to a record.
        public init(record: Record, action: Action) {
            self.init(recordID: record.recordID, action: action)
        }

        /// What happens to a record when the record it points to is deleted.
        public enum Action: UInt, Hashable, Sendable, Codable {
            /// Nothing: the link dangles.
            case none = 0
            /// It is deleted in the same commit.
            case deleteSelf = 1
        }
    }

    /// Who did something, when, and from which device.
    public struct Stamp: Hashable, Sendable, Codable {
        /// The server's time.
        public var timestamp: Timestamp
        /// The account's user record name.
        public var userRecordName: String
        /// The device, where the server knows it.
        public var deviceID: String?

        /// Makes a stamp.
        public init(timestamp: Timestamp, userRecordName: String, deviceID: String? = nil) {
            self.timestamp = timestamp
            self.userRecordName = userRecordName
            self.deviceID = deviceID
        }
    }
}

extension Record.ID: Comparable {
    /// Orders by zone, then by record name.
    public static func < (left: Record.ID, right: Record.ID) -> Bool {
        left.zoneID == right.zoneID
            ? left.recordName < right.recordName : left.zoneID < right.zoneID
    }
}

extension Record {
    /// The account that created the record; nil before the first save.
    public var creatorUserRecordID: ID? { creation.map { ID(recordName: $0.userRecordName) } }

    /// The account that saved the record last; nil before the first save.
    public var lastModifiedUserRecordID: ID? {
        modification.map { ID(recordName: $0.userRecordName) }
    }

    /// Makes `parent` the record above this one, or none.
    public mutating func setParent(_ parent: Record?) { setParent(parent?.recordID) }

    /// Makes the record with the given identity the one above this one, or none.
    public mutating func setParent(_ parentID: ID?) {
        parent = parentID.map { Reference(recordID: $0, action: .none) }
    }
}

// Most records belong to the account that asks: its placeholder tells nothing apart, so it is not
// hashed. Equal identities still have equal hashes.

extension Record.ID {
    /// Hashes the names.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(recordName)
        hasher.combine(zoneID)
    }
}

extension RecordZone.ID {
    /// Hashes the names.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(zoneName)
        if ownerName != Self.currentUserName { hasher.combine(ownerName) }
    }
}
