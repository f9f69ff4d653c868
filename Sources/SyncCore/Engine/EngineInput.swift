package import RecordModel

/// Names a call of `fetchChanges` or `sendChanges`, which waits for its end.
package struct CallID: Hashable, Sendable {
    package var number: UInt64
    package init(_ number: UInt64) { self.number = number }
}

/// Names a request to the server.
package struct RequestID: Hashable, Sendable {
    package var number: UInt64
    package init(_ number: UInt64) { self.number = number }
}

/// Names an event in the delegate's hands.
package struct EventID: Hashable, Sendable {
    package var number: UInt64
    package init(_ number: UInt64) { self.number = number }
}

/// Names a question to the delegate.
package struct QuestionID: Hashable, Sendable {
    package var number: UInt64
    package init(_ number: UInt64) { self.number = number }
}

/// What happened: everything that can move the engine.
package enum EngineInput: Sendable {
    /// The app added pending changes of records.
    case recordZoneChangesAdded([PendingRecordZoneChange])
    /// The app removed pending changes of records.
    case recordZoneChangesRemoved([PendingRecordZoneChange])
    /// The app added pending changes of zones.
    case databaseChangesAdded([PendingDatabaseChange])
    /// The app removed pending changes of zones.
    case databaseChangesRemoved([PendingDatabaseChange])
    /// The app wants the change of a prepared entry made; `isStored` if it keeps the entry itself.
    case entryApplied(JournalEntry, isStored: Bool)
    /// The app gave up a prepared entry.
    case entryDiscarded(JournalEntry)
    /// The app said whether it has changes that it does not list.
    case untrackedChangesSet(Bool)
    /// The app wants parked changes tried again.
    case parkedChangesResumed

    /// The app wants zones fetched from the beginning.
    case tokensReset(FetchChangesOptions.Scope)
    /// The app called `fetchChanges`.
    case fetchCalled(CallID, FetchChangesOptions)
    /// The app called `sendChanges`.
    case sendCalled(CallID, SendChangesOptions)
    /// The app called `flush`, which may take this long.
    case flushCalled(CallID, within: Duration)
    /// The task that waited for a call was cancelled.
    case callAbandoned(CallID)
    /// The app called `cancelOperations`.
    case operationsCancelled

    /// The server said who is signed in.
    case accountStatusReceived(RequestID, Result<AccountStatus, SyncError>)
    /// Something says that another account may be signed in.
    case accountMayHaveChanged
    /// The server hinted that the database has something new.
    case notificationReceived
    /// No more hints come, for the stream of them ended.
    case notificationsEnded
    /// The device, or its network, is not as it was.
    case conditionsChanged(Conditions)
    /// The app wants a sync soon.
    case syncRequested(SyncPriority)
    /// The instant of `nextDeadline` came.
    case woke

    /// The server answered.
    case databaseChangesFetched(RequestID, Result<DatabaseChangesReply, SyncError>)
    /// The server answered.
    case zoneChangesFetched(RequestID, Result<ZoneChangesReply, SyncError>)
    /// The server answered.
    case zonesModified(RequestID, Result<ModifyZonesReply, SyncError>)
    /// The server answered.
    case recordsModified(RequestID, Result<ModifyRecordsReply, SyncError>)
    /// The server answered.
    case outcomeReceived(RequestID, Result<SendOutcome, SyncError>)

    /// Something was done about files, or failed.
    case assetAnswered(RequestID, AssetAnswer)

    /// The delegate returned from an event, or threw.
    case eventHandled(EventID, didThrow: Bool)
    /// The delegate gave a batch, or none.
    case batchProvided(QuestionID, RecordZoneChangeBatch?)
    /// The delegate threw instead of giving a batch.
    case batchFailed(QuestionID)
    /// The delegate gave options for the rest of a fetch.
    case fetchOptionsProvided(QuestionID, FetchChangesOptions)
    /// The delegate threw instead of giving options.
    case fetchOptionsFailed(QuestionID)

    /// The walk of a batch dropped a change: the app has no such record any more.
    case changeDropped(PendingRecordZoneChange)
    /// The walk of a batch put changes off until the next send.
    case changesPostponed([PendingRecordZoneChange])
    /// The walk of a batch found that a child must wait for its parent.
    case childBlocked(Record.ID, parent: Record.ID)
}
