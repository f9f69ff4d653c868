package import RecordModel

/// Names one life of a zone: deleting a zone and saving it again starts another.
package struct ZoneKey: Hashable, Sendable {
    /// The database the zone is in.
    package let database: DatabaseKey
    /// The zone's name.
    package let zoneName: String
    /// The life: the sequence number of the commit that began it.
    package let generation: UInt64

    package init(database: DatabaseKey, zoneName: String, generation: UInt64) {
        self.database = database
        self.zoneName = zoneName
        self.generation = generation
    }

    /// Leaves the account out: zones are looked up in one database.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(generation)
        hasher.combine(zoneName)
    }
}

/// A zone as a storage keeps it; one that was deleted stays as a row without records.
package struct StoredZone: Hashable, Sendable {
    /// The zone's name; its owner is the account of the database.
    package let zoneName: String
    /// The present life, or the last.
    package var generation: UInt64
    /// The place of the zone's last change in the log of its database.
    package var position: LogPosition
    /// Tokens of the zone from before this place are expired.
    package var floor = LogPosition.start
    /// Why the zone is gone; nil while it is there.
    package var deletion: Database.DatabaseChange.Deletion.Reason?
    /// Who changed the zone itself last, and when.
    package var stamp: Record.Stamp
    /// The bytes of all its records, as quotas count them.
    package var byteCount = 0

    package init(
        zoneName: String,
        generation: UInt64,
        position: LogPosition,
        stamp: Record.Stamp
    ) {
        self.zoneName = zoneName
        self.generation = generation
        self.position = position
        self.stamp = stamp
    }
}
