@_exported public import RecordModel
@_exported public import SyncCore

extension SyncEngine {
    /// What an engine tells its delegate.
    public typealias Event = SyncEvent
    /// An intent to save or delete a record.
    public typealias PendingRecordZoneChange = SyncCore.PendingRecordZoneChange
    /// An intent to save or delete a zone.
    public typealias PendingDatabaseChange = SyncCore.PendingDatabaseChange
    /// What to fetch.
    public typealias FetchChangesOptions = SyncCore.FetchChangesOptions
    /// What to send.
    public typealias SendChangesOptions = SyncCore.SendChangesOptions
    /// What a fetch is about.
    public typealias FetchChangesContext = SyncCore.FetchChangesContext
    /// What a batch is asked for.
    public typealias SendChangesContext = SyncCore.SendChangesContext
    /// Why a sync happens.
    public typealias SyncReason = SyncCore.SyncReason
    /// The records and deletions of one request.
    public typealias RecordZoneChangeBatch = SyncCore.RecordZoneChangeBatch
}

extension SyncEngine.State {
    /// An engine's state as a value to store.
    public typealias Serialization = StateSerialization
}
