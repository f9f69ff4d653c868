import RecordModel
import SyncCore

/// An engine's queue as the walk of a batch sees it.
final class EngineQueue: PendingChangeSource, Sendable {
    private let shell: EngineShell

    init(shell: EngineShell) { self.shell = shell }

    var limits: RequestLimits { shell.read { $0.limits } }

    var start: WalkPosition { shell.read { $0.walkStart } }

    func next(
        after position: WalkPosition,
        in scope: SendChangesOptions.Scope,
        limit: Int
    ) -> WalkPage {
        shell.read { $0.nextOfferable(after: position, in: scope, limit: limit) }
    }

    func canOffer(saveOf recordID: Record.ID, in scope: SendChangesOptions.Scope) -> Bool {
        shell.read { $0.canOffer(saveOf: recordID, in: scope) }
    }

    func isPendingSave(_ recordID: Record.ID) -> Bool {
        shell.read { $0.isPendingSave(recordID) }
    }

    func drop(_ change: PendingRecordZoneChange) { shell.handle(.changeDropped(change)) }

    func postpone(_ changes: [PendingRecordZoneChange]) {
        shell.handle(.changesPostponed(changes))
    }

    func block(_ childID: Record.ID, until parentID: Record.ID) {
        shell.handle(.childBlocked(childID, parent: parentID))
    }
}
