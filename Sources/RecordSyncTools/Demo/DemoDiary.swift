internal import RecordModel
internal import SyncCore

/// What happened on one device, in all its launches.
struct DemoDiary: Sendable {
    var eventCounts: [SyncEvent.Kind: Int] = [:]
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
