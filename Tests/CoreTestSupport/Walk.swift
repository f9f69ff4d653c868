package import RecordModel
package import SyncCore
import Synchronization

/// An engine's queue as the walk of a batch sees it; afterwards the test takes the core back.
package final class Walk: PendingChangeSource, Sendable {
    private let now: EngineInstant
    private let protected: Mutex<(core: EngineCore, effects: [EngineEffect])>

    package init(_ core: EngineCore, now: EngineInstant) {
        self.now = now
        protected = Mutex((core, []))
    }

    package var core: EngineCore { protected.withLock { $0.core } }
    package var effects: [EngineEffect] { protected.withLock { $0.effects } }
    package var limits: RequestLimits { core.limits }
    package var start: WalkPosition { core.walkStart }

    package func next(
        after position: WalkPosition,
        in scope: SendChangesOptions.Scope,
        limit: Int
    ) -> WalkPage {
        core.nextOfferable(after: position, in: scope, limit: limit)
    }

    package func canOffer(saveOf recordID: Record.ID, in scope: SendChangesOptions.Scope) -> Bool {
        core.canOffer(saveOf: recordID, in: scope)
    }

    package func isPendingSave(_ recordID: Record.ID) -> Bool { core.isPendingSave(recordID) }

    package func drop(_ change: PendingRecordZoneChange) { handle(.changeDropped(change)) }

    package func postpone(_ changes: [PendingRecordZoneChange]) {
        handle(.changesPostponed(changes))
    }

    package func block(_ childID: Record.ID, until parentID: Record.ID) {
        handle(.childBlocked(childID, parent: parentID))
    }

    private func handle(_ input: EngineInput) {
        protected.withLock { protected in
            protected.effects += protected.core.handle(input, at: now)
        }
    }
}
