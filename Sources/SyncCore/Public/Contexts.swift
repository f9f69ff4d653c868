/// What a batch is asked for.
public struct SendChangesContext: Sendable, CustomStringConvertible {
    /// Why the engine sends.
    public let reason: SyncReason
    /// What may be in the batch: a change outside the scope makes the send fail.
    public let options: SendChangesOptions
    /// The queue that the engine's own walk goes over.
    package var source: (any PendingChangeSource & Sendable)?

    /// Makes a context, such as a test needs to call its own delegate.
    ///
    /// `RecordZoneChangeBatch(context, …)` walks over the given changes instead of an engine's
    /// queue.
    public init(
        reason: SyncReason,
        options: SendChangesOptions = SendChangesOptions(),
        pendingChanges: [PendingRecordZoneChange] = []
    ) {
        self.reason = reason
        self.options = options
        source = ListedChanges(pendingChanges)
    }

    package init(
        reason: SyncReason,
        options: SendChangesOptions,
        source: (any PendingChangeSource & Sendable)?
    ) {
        self.reason = reason
        self.options = options
        self.source = source
    }

    /// The reason and the scope.
    public var description: String { "\(reason), \(options)" }
}

/// What a fetch is about.
public struct FetchChangesContext: Sendable, CustomStringConvertible {
    /// Why the engine fetches.
    public let reason: SyncReason
    /// What is fetched, and which zones first.
    public let options: FetchChangesOptions

    /// Makes a context, such as a test needs to call its own delegate.
    public init(reason: SyncReason, options: FetchChangesOptions = FetchChangesOptions()) {
        self.reason = reason
        self.options = options
    }

    /// The reason and the scope.
    public var description: String { "\(reason), \(options)" }
}
