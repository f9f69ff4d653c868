public import RecordModel
public import SyncCore

extension SyncEngine {
    /// Pending changes, and what else survives a relaunch; usable from any thread at any moment.
    ///
    /// No call waits for the delegate or the server. Each change leads to a state update by
    /// itself.
    public final class State: Sendable {
        private let shell: EngineShell

        init(shell: EngineShell) { self.shell = shell }

        /// Pending changes of records in the queue's order; those in flight are not among them.
        ///
        /// O(n): it copies the whole queue. To build a batch, use
        /// `RecordZoneChangeBatch(context, recordProvider:)`, which walks over the queue instead.
        public var pendingRecordZoneChanges: [PendingRecordZoneChange] {
            shell.read { $0.pendingRecordZoneChanges }
        }

        /// Pending changes of zones, in their order.
        public var pendingDatabaseChanges: [PendingDatabaseChange] {
            shell.read { $0.pendingDatabaseChanges }
        }

        /// True while the app has changes that it does not list; setting it leads to a send.
        ///
        /// It becomes false when the delegate has no more batches, unless it was set again since.
        public var hasPendingUntrackedChanges: Bool {
            get { shell.read { $0.state.hasPendingUntrackedChanges } }
            set { shell.handle(.untrackedChangesSet(newValue)) }
        }

        /// Zones of which the server has changes that were not fetched.
        public var zoneIDsWithUnfetchedServerChanges: [RecordZone.ID] {
            shell.read { $0.zoneIDsWithUnfetchedChanges }
        }

        /// The number of pending changes of records; O(1) in their number.
        public var pendingRecordZoneChangeCount: Int { shell.read { $0.state.records.count } }

        /// The bytes that the queue takes in memory; O(n).
        package var queueByteCount: Int { shell.read { $0.state.records.allocatedByteCount } }

        /// The state as it is at this moment; handing it out costs the same whatever it holds.
        public var serialization: Serialization { shell.read { $0.serialization } }

        /// Adds changes for the engine to offer when it next asks for a batch.
        ///
        /// A change already waiting is kept once, in its place; the opposite of a waiting change
        /// of the same record takes its place.
        public func add(pendingRecordZoneChanges changes: [PendingRecordZoneChange]) {
            shell.handle(.recordZoneChangesAdded(changes))
        }

        /// Removes changes, each only if exactly it is pending; what is in flight stays so.
        public func remove(pendingRecordZoneChanges changes: [PendingRecordZoneChange]) {
            shell.handle(.recordZoneChangesRemoved(changes))
        }

        /// Adds changes of zones; they go out before any record.
        ///
        /// A deletion replaces what waits of the same zone; a save waits behind a deletion.
        public func add(pendingDatabaseChanges changes: [PendingDatabaseChange]) {
            shell.handle(.databaseChangesAdded(changes))
        }

        /// Removes changes of zones, each only if exactly it is pending.
        public func remove(pendingDatabaseChanges changes: [PendingDatabaseChange]) {
            shell.handle(.databaseChangesRemoved(changes))
        }

        /// Lets changes that failed because the account's storage was full be sent again.
        public func resumeParkedChanges() { shell.handle(.parkedChangesResumed) }
    }
}
