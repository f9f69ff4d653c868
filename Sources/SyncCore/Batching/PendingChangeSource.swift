package import RecordModel

/// Where the builder of a batch takes pending changes from.
package protocol PendingChangeSource: AnyObject {
    /// How much a batch may hold now.
    var limits: RequestLimits { get }
    /// Where the walk of this send goes on.
    var start: WalkPosition { get }
    /// The next changes in scope, in the queue's order, and where each one stands.
    func next(
        after position: WalkPosition,
        in scope: SendChangesOptions.Scope,
        limit: Int
    ) -> WalkPage
    /// True if a save of the record is pending and may be offered in the scope.
    func canOffer(saveOf recordID: Record.ID, in scope: SendChangesOptions.Scope) -> Bool
    /// True if a save of the record is pending, whether it may be offered or not.
    func isPendingSave(_ recordID: Record.ID) -> Bool
    /// The app has no such record any more: its change leaves the queue.
    func drop(_ change: PendingRecordZoneChange)
    /// The app put the changes off: they are not offered again in this send.
    func postpone(_ changes: [PendingRecordZoneChange])
    /// The child waits until the save of its parent is confirmed or leaves the queue.
    func block(_ childID: Record.ID, until parentID: Record.ID)
}

/// How far a walk over the queue has come: a position in each lane of it, which is what a zone has
/// of one priority.
package struct WalkPosition: Hashable, Sendable {
    /// The next slot to look at, by the number of the lane.
    package var nextSlots: [Int] = []

    package init() {}

    package subscript(lane: Int) -> Int {
        get { lane < nextSlots.count ? nextSlots[lane] : 0 }
        set {
            while nextSlots.count <= lane { nextSlots.append(0) }
            nextSlots[lane] = newValue
        }
    }
}

/// Some pending changes in the queue's order.
package struct WalkPage: Sendable {
    /// The changes, each with the position at which the walk goes on behind it.
    package var steps: [Step] = []

    package struct Step: Sendable {
        package let change: PendingRecordZoneChange
        package let lane: Int
        package let slot: Int

        package init(change: PendingRecordZoneChange, lane: Int, slot: Int) {
            self.change = change
            self.lane = lane
            self.slot = slot
        }
    }

    package init(steps: [Step] = []) { self.steps = steps }
}

/// A list of changes that stands for an engine's queue: an app's array, or a test's.
package final class ListedChanges: PendingChangeSource, Sendable {
    package let limits: RequestLimits
    package let start = WalkPosition()
    private let changes: [PendingRecordZoneChange]
    private let saves: Set<Record.ID>

    package init(_ changes: [PendingRecordZoneChange], limits: RequestLimits = .standard) {
        // A list may name a record twice; a batch may not.
        var seen: Set<Record.ID> = []
        self.changes = changes.filter { seen.insert($0.recordID).inserted }
        self.limits = limits
        saves = Set(self.changes.lazy.filter(\.isSave).map(\.recordID))
    }

    package func next(
        after position: WalkPosition,
        in scope: SendChangesOptions.Scope,
        limit: Int
    ) -> WalkPage {
        var page = WalkPage()
        for slot in changes.indices.dropFirst(position[0]) {
            guard page.steps.count < limit else { break }
            guard scope.contains(changes[slot]) else { continue }
            page.steps.append(.init(change: changes[slot], lane: 0, slot: slot))
        }
        return page
    }

    package func canOffer(
        saveOf recordID: Record.ID,
        in scope: SendChangesOptions.Scope
    ) -> Bool {
        scope.contains(recordID) && saves.contains(recordID)
    }

    package func isPendingSave(_ recordID: Record.ID) -> Bool { saves.contains(recordID) }

    package func drop(_ change: PendingRecordZoneChange) {}

    package func postpone(_ changes: [PendingRecordZoneChange]) {}

    package func block(_ childID: Record.ID, until parentID: Record.ID) {}
}
