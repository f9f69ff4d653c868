public import SyncCore

/// The app's side of an engine: it stores what happened, and gives the records to send.
///
/// The engine calls one method at a time and waits until it returns. It holds the delegate weakly.
/// Inside a call the app may use `syncEngine.state` as it likes; `fetchChanges` and `sendChanges`
/// of the same engine throw there.
///
/// If a method throws, nothing advances: an event that brings news (everything but `will…`, `did…`
/// and a state update) comes again, first in the next call of a manual engine, after a while of an
/// automatic one. A state update comes again with what changed since.
public protocol SyncEngineDelegate: AnyObject, Sendable {
    /// Tells what happened.
    ///
    /// A state update is stored with, or after, the data of all events before it.
    func handleEvent(_ event: SyncEngine.Event, syncEngine: SyncEngine) async throws

    /// Asks for the next batch of records to send; nil says that nothing is left.
    ///
    /// Only changes in `context.options.scope` may be in it.
    func nextRecordZoneChangeBatch(
        _ context: SyncEngine.SendChangesContext,
        syncEngine: SyncEngine
    ) async throws -> SyncEngine.RecordZoneChangeBatch?

    /// Asks, between requests, which zones to fetch first.
    func nextFetchChangesOptions(
        _ context: SyncEngine.FetchChangesContext,
        syncEngine: SyncEngine
    ) async throws -> SyncEngine.FetchChangesOptions
}

extension SyncEngineDelegate {
    /// Goes on with the options of the fetch.
    public func nextFetchChangesOptions(
        _ context: SyncEngine.FetchChangesContext,
        syncEngine: SyncEngine
    ) async throws -> SyncEngine.FetchChangesOptions {
        context.options
    }
}
