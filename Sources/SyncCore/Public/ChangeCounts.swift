/// Numbers of changes, by what they change.
public struct ChangeCounts: Hashable, Sendable, CustomStringConvertible {
    /// Saves of records.
    public var recordSaves: Int
    /// Deletions of records.
    public var recordDeletions: Int
    /// Saves of zones.
    public var zoneSaves: Int
    /// Deletions of zones.
    public var zoneDeletions: Int

    /// Makes counts; zero, where nothing else is said.
    public init(
        recordSaves: Int = 0,
        recordDeletions: Int = 0,
        zoneSaves: Int = 0,
        zoneDeletions: Int = 0
    ) {
        self.recordSaves = recordSaves
        self.recordDeletions = recordDeletions
        self.zoneSaves = zoneSaves
        self.zoneDeletions = zoneDeletions
    }

    /// All of them.
    public var total: Int { recordSaves + recordDeletions + zoneSaves + zoneDeletions }

    /// The numbers in words.
    public var description: String {
        "\(recordSaves) saves, \(recordDeletions) deletions, \(zoneSaves) saves of zones, "
            + "\(zoneDeletions) deletions of zones"
    }

    /// Adds counts to counts.
    public static func += (left: inout ChangeCounts, right: ChangeCounts) {
        left.recordSaves += right.recordSaves
        left.recordDeletions += right.recordDeletions
        left.zoneSaves += right.zoneSaves
        left.zoneDeletions += right.zoneDeletions
    }
}

extension ChangeCounts {
    mutating func count(_ change: PendingRecordZoneChange) {
        if change.isSave { recordSaves += 1 } else { recordDeletions += 1 }
    }

    mutating func count(_ change: PendingDatabaseChange) {
        switch change {
        case .saveZone: zoneSaves += 1
        case .deleteZone: zoneDeletions += 1
        }
    }
}
