/// A zone: the part of a database that is fetched by itself and can be saved atomically.
public struct RecordZone: Hashable, Sendable, Codable, CustomStringConvertible {
    /// The zone's name and owner.
    public let zoneID: ID
    /// What the zone can do.
    public var capabilities: Capabilities

    /// Makes a zone of the current user.
    public init(zoneName: String) {
        self.init(zoneID: ID(zoneName: zoneName))
    }

    /// Makes a zone with the given identity.
    public init(zoneID: ID, capabilities: Capabilities = [.fetchChanges, .atomic]) {
        self.zoneID = zoneID
        self.capabilities = capabilities
    }

    /// The zone that every database has.
    ///
    /// It syncs like any other zone, unlike the one of CloudKit's private database.
    public static func `default`() -> RecordZone { RecordZone(zoneID: .default) }

    /// The zone's identity, for a log.
    public var description: String { zoneID.description }

    /// Identifies a zone in a database.
    public struct ID: Hashable, Sendable, Codable, CustomStringConvertible {
        /// The name of the zone that every database has.
        public static let defaultZoneName = "_defaultZone"
        /// Stands for the account that asks.
        public static let currentUserName = "__defaultOwner__"
        /// The zone that every database has, of the account that asks.
        public static let `default` = ID()

        /// ASCII, 1 to 255 characters.
        public let zoneName: String
        /// The owner's user record name; `currentUserName` stands for the account that asks.
        public let ownerName: String

        /// Makes an identity; names are checked when the zone is first used.
        public init(
            zoneName: String = ID.defaultZoneName,
            ownerName: String = ID.currentUserName
        ) {
            self.zoneName = zoneName
            self.ownerName = ownerName
        }

        /// The zone's name, with the owner's where that is not the account itself.
        public var description: String {
            ownerName == ID.currentUserName ? zoneName : "\(zoneName)/\(ownerName)"
        }
    }

    /// What a zone can do.
    public struct Capabilities: OptionSet, Hashable, Sendable, Codable {
        /// The bits as stored.
        public let rawValue: Int

        /// Makes a set from its bits.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// Its changes can be fetched since a token.
        public static let fetchChanges = Capabilities(rawValue: 1 << 0)
        /// Its records can be saved all or none.
        public static let atomic = Capabilities(rawValue: 1 << 1)
        /// Single records of it can be shared.
        public static let sharing = Capabilities(rawValue: 1 << 2)
        /// It can be shared as a whole.
        public static let zoneWideSharing = Capabilities(rawValue: 1 << 3)
    }
}

extension RecordZone.ID: Comparable {
    /// Orders by owner, then by zone name.
    public static func < (left: RecordZone.ID, right: RecordZone.ID) -> Bool {
        (left.ownerName, left.zoneName) < (right.ownerName, right.zoneName)
    }
}
