public import SyncCore

extension SyncEngine {
    /// The events of this engine for one more observer, beside the delegate.
    ///
    /// Each reading makes an observer of its own, which gets every event that the delegate handles
    /// from then on, in order. An event comes after the delegate has returned from it and the
    /// engine has taken note: what it tells of is in `state` already, where the delegate did not
    /// throw. Questions to the delegate are no events.
    ///
    /// Neither the delegate nor the engine ever waits for an observer. A slow one misses the oldest
    /// events, and is told how many. The sequence does not keep the engine, and ends with it.
    public var events: ObservedEvents { shell.observeEvents() }

    /// How far the engine has come, by zone and in all.
    ///
    /// What was sent and fetched counts from the beginning of the newest send and the newest fetch.
    /// The cost does not grow with the number of pending changes. `events` gives the same value
    /// with each event.
    public var progress: SyncProgress { shell.read { $0.progress } }
}
