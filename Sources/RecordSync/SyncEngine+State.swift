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
        /// It becomes false when the delegate, asked about all zones, has no more batches, unless
        /// it was set again since.
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
        /// of the same record takes its place. The entry that is returned may be stored with the
        /// app's rows; the next state update brings it in any case.
        @discardableResult
        public func add(
            pendingRecordZoneChanges changes: [PendingRecordZoneChange]
        ) -> JournalEntry { shell.apply { _ in .recordChangesAdded(changes) } }

        /// Adds changes with a priority of their own, instead of the engine's.
        ///
        /// The more urgent ones go out first, and wait for fewer conditions: user-initiated ones go
        /// while the power or the network is poor, and leave the others behind. A change already
        /// waiting takes the more urgent of its two priorities. A batch that the app makes from a
        /// list of its own keeps the app's order: leave the choice to
        /// `RecordZoneChangeBatch(context, recordProvider:)`.
        @discardableResult
        public func add(
            pendingRecordZoneChanges changes: [PendingRecordZoneChange],
            priority: SyncPriority
        ) -> JournalEntry { shell.apply { _ in .prioritizedChangesAdded(changes, priority) } }

        /// Removes changes, each only if exactly it is pending.
        ///
        /// What is in flight is not called back, but does not return to the queue if it fails.
        @discardableResult
        public func remove(
            pendingRecordZoneChanges changes: [PendingRecordZoneChange]
        ) -> JournalEntry { shell.apply { $0.removal(of: changes) } }

        /// Adds changes of zones; they go out before any record.
        ///
        /// A deletion replaces what waits of the same zone; a save waits behind a deletion.
        @discardableResult
        public func add(pendingDatabaseChanges changes: [PendingDatabaseChange]) -> JournalEntry {
            shell.apply { _ in .databaseChangesAdded(changes) }
        }

        /// Removes changes of zones, each only if exactly it is pending.
        @discardableResult
        public func remove(
            pendingDatabaseChanges changes: [PendingDatabaseChange]
        ) -> JournalEntry { shell.apply { $0.removal(of: changes) } }

        /// Makes the journal entry of an intent that belongs into the app's own transaction.
        ///
        /// Store the entry with the edited rows, and call `apply` after the commit, or `discard`
        /// after a rollback. Before `apply` nothing of it is offered, sent or in a state. If the
        /// process dies after the commit, the next launch replays the entry: no edit is lost.
        public func prepare(
            pendingRecordZoneChanges changes: [PendingRecordZoneChange]
        ) -> JournalEntry { shell.prepare(.recordChangesAdded(changes)) }

        /// Makes the journal entry of an intent with a priority of its own, as above.
        public func prepare(
            pendingRecordZoneChanges changes: [PendingRecordZoneChange],
            priority: SyncPriority
        ) -> JournalEntry { shell.prepare(.prioritizedChangesAdded(changes, priority)) }

        /// Makes the journal entry of changes of zones that belong into the app's own transaction.
        public func prepare(
            pendingDatabaseChanges changes: [PendingDatabaseChange]
        ) -> JournalEntry { shell.prepare(.databaseChangesAdded(changes)) }

        /// Makes the changes of an entry that the app has stored; a second time is no change.
        public func apply(_ entry: JournalEntry) {
            shell.handle(.entryApplied(entry, isStored: true))
        }

        /// Gives up an entry that was prepared and is not stored.
        public func discard(_ entry: JournalEntry) { shell.handle(.entryDiscarded(entry)) }

        /// Makes the next fetch list zones from the beginning; pending changes stay.
        ///
        /// The fetch is announced as `full` with the reason `tokensReset`. With `.all` the list of
        /// zones begins anew too. What an app needs after it began to read a field that it did not
        /// know, or lost rows.
        public func resetTokens(scope: FetchChangesOptions.Scope = .all) {
            shell.handle(.tokensReset(scope))
        }

        /// Lets changes that are held back be sent again.
        ///
        /// They are parked because the account's storage was full, or quarantined because they
        /// failed too often.
        public func resumeParkedChanges() { shell.handle(.parkedChangesResumed) }
    }
}
