import RecordModel
import SyncCore

/// What an app writes at once: a change of its rows, with the changes it asks the engine for.
struct Part {
    var changes: [PendingRecordZoneChange] = []
    var zoneChanges: [PendingDatabaseChange] = []
    var write: (inout Disk) -> Void = { _ in }
}
