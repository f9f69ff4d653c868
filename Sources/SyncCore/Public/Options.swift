public import RecordModel

/// Why a sync happens.
public enum SyncReason: Hashable, Sendable, CustomStringConvertible {
    /// The engine's scheduler decided it.
    case scheduled
    /// The app called.
    case manual

    /// The reason's name.
    public var description: String {
        switch self {
        case .scheduled: "scheduled"
        case .manual: "manual"
        }
    }
}

/// Names calls that belong together: a plain value that comes back in the contexts of events.
public struct OperationGroup: Hashable, Sendable {
    /// What the app calls the group.
    public var name: String?
    /// How many items the app expects.
    public var quantity: Int

    /// Makes a group.
    public init(name: String? = nil, quantity: Int = 0) {
        self.name = name
        self.quantity = quantity
    }
}

/// What to fetch.
public struct FetchChangesOptions: Sendable, CustomStringConvertible {
    /// Which zones to fetch.
    public var scope: Scope
    /// What the app calls the group of calls that this one belongs to.
    public var operationGroup: OperationGroup
    /// Zones to fetch first, in this order; zones without changes are passed over.
    public var prioritizedZoneIDs: [RecordZone.ID] = []

    /// Makes options; without arguments, everything is fetched.
    public init(scope: Scope = .all, operationGroup: OperationGroup? = nil) {
        self.scope = scope
        self.operationGroup = operationGroup ?? OperationGroup()
    }

    /// The scope and the prioritized zones.
    public var description: String {
        prioritizedZoneIDs.isEmpty ? "\(scope)" : "\(scope), first \(prioritizedZoneIDs)"
    }

    /// Which zones to fetch.
    public enum Scope: Hashable, Sendable, CustomStringConvertible {
        /// Every zone.
        case all
        /// Every zone but these.
        case allExcluding([RecordZone.ID])
        /// These zones only.
        case zoneIDs([RecordZone.ID])

        /// True if the zone is to be fetched.
        public func contains(_ zoneID: RecordZone.ID) -> Bool {
            switch self {
            case .all: true
            case .allExcluding(let zoneIDs): !zoneIDs.contains(zoneID)
            case .zoneIDs(let zoneIDs): zoneIDs.contains(zoneID)
            }
        }

        /// The scope in words.
        public var description: String {
            switch self {
            case .all: "all"
            case .allExcluding(let zoneIDs): "all but \(zoneIDs)"
            case .zoneIDs(let zoneIDs): "\(zoneIDs)"
            }
        }
    }
}

/// What to send.
public struct SendChangesOptions: Sendable, CustomStringConvertible {
    /// Which changes to send.
    public var scope: Scope
    /// What the app calls the group of calls that this one belongs to.
    public var operationGroup: OperationGroup

    /// Makes options; without arguments, everything is sent.
    public init(scope: Scope = .all, operationGroup: OperationGroup? = nil) {
        self.scope = scope
        self.operationGroup = operationGroup ?? OperationGroup()
    }

    /// The scope in words.
    public var description: String { scope.description }

    /// Which changes to send.
    public enum Scope: Hashable, Sendable, CustomStringConvertible {
        /// Every change.
        case all
        /// Every change but those of these zones.
        case allExcluding([RecordZone.ID])
        /// The changes of these zones only.
        case zoneIDs([RecordZone.ID])
        /// The changes of these records only.
        case recordIDs([Record.ID])

        /// True if a change of the record may be sent.
        public func contains(_ recordID: Record.ID) -> Bool {
            switch self {
            case .all: true
            case .allExcluding(let zoneIDs): !zoneIDs.contains(recordID.zoneID)
            case .zoneIDs(let zoneIDs): zoneIDs.contains(recordID.zoneID)
            case .recordIDs(let recordIDs): recordIDs.contains(recordID)
            }
        }

        /// True if the change may be sent.
        public func contains(_ pendingChange: PendingRecordZoneChange) -> Bool {
            contains(pendingChange.recordID)
        }

        /// The scope in words.
        public var description: String {
            switch self {
            case .all: "all"
            case .allExcluding(let zoneIDs): "all but \(zoneIDs)"
            case .zoneIDs(let zoneIDs): "\(zoneIDs)"
            case .recordIDs(let recordIDs): "\(recordIDs)"
            }
        }
    }
}

extension SendChangesOptions.Scope {
    /// True if changes of the zone, or of some of its records, may be sent.
    package func containsZone(_ zoneID: RecordZone.ID) -> Bool {
        switch self {
        case .all: true
        case .allExcluding(let zoneIDs): !zoneIDs.contains(zoneID)
        case .zoneIDs(let zoneIDs): zoneIDs.contains(zoneID)
        case .recordIDs(let recordIDs): recordIDs.contains { $0.zoneID == zoneID }
        }
    }

    /// The scope without some zones.
    package func excluding(_ excluded: [RecordZone.ID]) -> Self {
        guard !excluded.isEmpty else { return self }
        switch self {
        case .all: return .allExcluding(excluded)
        case .allExcluding(let zoneIDs): return .allExcluding(zoneIDs + excluded)
        case .zoneIDs(let zoneIDs): return .zoneIDs(zoneIDs.filter { !excluded.contains($0) })
        case .recordIDs(let recordIDs):
            return .recordIDs(recordIDs.filter { !excluded.contains($0.zoneID) })
        }
    }
}
