import RecordModel
import SyncCore

/// An engine's queue as the walk of a batch sees it; afterwards the device takes the core back.
final class Queue: PendingChangeSource {
    private(set) var core: EngineCore
    private(set) var effects: [EngineEffect] = []
    private(set) var dropped: [PendingRecordZoneChange] = []
    private let now: EngineInstant

    init(_ core: EngineCore, now: EngineInstant) {
        self.core = core
        self.now = now
    }

    var limits: RequestLimits { core.limits }
    var start: WalkPosition { core.walkStart }

    func next(
        after position: WalkPosition,
        in scope: SendChangesOptions.Scope,
        limit: Int
    ) -> WalkPage {
        core.nextOfferable(after: position, in: scope, limit: limit)
    }

    func canOffer(saveOf recordID: Record.ID, in scope: SendChangesOptions.Scope) -> Bool {
        core.canOffer(saveOf: recordID, in: scope)
    }

    func isPendingSave(_ recordID: Record.ID) -> Bool { core.isPendingSave(recordID) }

    func drop(_ change: PendingRecordZoneChange) {
        dropped.append(change)
        effects += core.handle(.changeDropped(change), at: now)
    }

    func postpone(_ changes: [PendingRecordZoneChange]) {
        effects += core.handle(.changesPostponed(changes), at: now)
    }

    func block(_ childID: Record.ID, until parentID: Record.ID) {
        effects += core.handle(.childBlocked(childID, parent: parentID), at: now)
    }
}
