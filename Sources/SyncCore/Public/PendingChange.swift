public import RecordModel

/// An intent to save or delete a record that the server has not confirmed.
///
/// It names the record and holds none of it: the newest version is taken when a batch is built.
public enum PendingRecordZoneChange: Hashable, Sendable, CustomStringConvertible {
    /// The record is to be saved.
    case saveRecord(Record.ID)
    /// The record is to be deleted.
    case deleteRecord(Record.ID)

    /// The record that is to be saved or deleted.
    public var recordID: Record.ID {
        switch self {
        case .saveRecord(let id), .deleteRecord(let id): id
        }
    }

    package var isSave: Bool {
        switch self {
        case .saveRecord: true
        case .deleteRecord: false
        }
    }

    /// The intent and the record's name.
    public var description: String {
        switch self {
        case .saveRecord(let id): "save \(id)"
        case .deleteRecord(let id): "delete \(id)"
        }
    }
}

/// An intent to save or delete a zone that the server has not confirmed.
public enum PendingDatabaseChange: Hashable, Sendable, CustomStringConvertible {
    /// The zone is to be saved.
    case saveZone(RecordZone)
    /// The zone is to be deleted with all its records.
    case deleteZone(RecordZone.ID)

    /// The zone that is to be saved or deleted.
    public var zoneID: RecordZone.ID {
        switch self {
        case .saveZone(let zone): zone.zoneID
        case .deleteZone(let id): id
        }
    }

    /// The intent and the zone's name.
    public var description: String {
        switch self {
        case .saveZone(let zone): "save zone \(zone)"
        case .deleteZone(let id): "delete zone \(id)"
        }
    }
}
