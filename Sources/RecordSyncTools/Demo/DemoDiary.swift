internal import RecordModel
internal import SyncCore

/// What happened on one device, in all its launches.
struct DemoDiary: Sendable {
    var eventCounts: [DemoEventKind: Int] = [:]
    /// What the app itself did in its store.
    var importedCount = 0
    var createdCount = 0
    var editedCount = 0
    var removedCount = 0
    var fetchedRecordCount = 0
    var fetchedDeletionCount = 0
    var sentRecordCount = 0
    var sentDeletionCount = 0
    var conflicts: [DemoConflict] = []
    var refusals: [DemoRefusal] = []
    /// The number of pending changes at each relaunch.
    var relaunches: [Int] = []

    var eventCount: Int { eventCounts.values.reduce(0, +) }
}

/// A change that the server did not take, and that the app gave up.
struct DemoRefusal: Hashable, Sendable {
    let recordID: Record.ID
    let error: SyncError
}

/// The kinds of events that an engine has.
enum DemoEventKind: String, CaseIterable, Sendable {
    case stateUpdate
    case accountChange
    case fetchedDatabaseChanges
    case fetchedRecordZoneChanges
    case sentDatabaseChanges
    case sentRecordZoneChanges
    case willFetchChanges
    case willFetchRecordZoneChanges
    case didFetchRecordZoneChanges
    case didFetchChanges
    case willSendChanges
    case didSendChanges
    case abandonedChanges

    init(_ event: SyncEvent) {
        switch event {
        case .stateUpdate: self = .stateUpdate
        case .accountChange: self = .accountChange
        case .fetchedDatabaseChanges: self = .fetchedDatabaseChanges
        case .fetchedRecordZoneChanges: self = .fetchedRecordZoneChanges
        case .sentDatabaseChanges: self = .sentDatabaseChanges
        case .sentRecordZoneChanges: self = .sentRecordZoneChanges
        case .willFetchChanges: self = .willFetchChanges
        case .willFetchRecordZoneChanges: self = .willFetchRecordZoneChanges
        case .didFetchRecordZoneChanges: self = .didFetchRecordZoneChanges
        case .didFetchChanges: self = .didFetchChanges
        case .willSendChanges: self = .willSendChanges
        case .didSendChanges: self = .didSendChanges
        case .abandonedChanges: self = .abandonedChanges
        }
    }
}
