import RecordModel
import SyncCore
import Synchronization

/// An engine's queue as the walk of a batch sees it; afterwards the device takes the core back.
final class Walk: PendingChangeSource, Sendable {
    private let now: EngineInstant
    private let protected: Mutex<(core: EngineCore, effects: [EngineEffect])>

    init(_ core: EngineCore, now: EngineInstant) {
        self.now = now
        protected = Mutex((core, []))
    }

    var core: EngineCore { protected.withLock { $0.core } }
    var effects: [EngineEffect] { protected.withLock { $0.effects } }
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

    func drop(_ change: PendingRecordZoneChange) { handle(.changeDropped(change)) }

    func postpone(_ changes: [PendingRecordZoneChange]) { handle(.changesPostponed(changes)) }

    func block(_ childID: Record.ID, until parentID: Record.ID) {
        handle(.childBlocked(childID, parent: parentID))
    }

    private func handle(_ input: EngineInput) {
        protected.withLock { protected in
            protected.effects += protected.core.handle(input, at: now)
        }
    }
}
