package import RecordModel

/// The pending changes of records: at most one for a record, in the order they were added.
///
/// Every call but those named as O(n) costs the same whatever the number of changes.
package struct PendingQueue: Sendable {
    /// What a snapshot of the state holds: everything but the index.
    package private(set) var slots = QueueSlots()
    private var index = QueueIndex()
    private var zoneNumbers: [RecordZone.ID: Int] = [:]

    /// The slot that a change was taken out of for a send, to which it can return.
    package struct Taken: Hashable, Sendable {
        package var zone: Int
        package var slot: Int
        package var sequence: UInt64
        package var origin: EntryOrigin
        package var priority: SyncPriority?
    }

    /// How a change stands in the queue when it returns from a send.
    package enum Standing: Hashable, Sendable {
        /// It may be offered.
        case offered
        /// It waits for the app's word: the account's storage was full.
        case parked
        /// It waits for the app's word: it failed too often.
        case quarantined

        fileprivate func status(isSave: Bool) -> SlotTree.Status {
            switch self {
            case .offered: isSave ? .save : .delete
            case .parked: isSave ? .parkedSave : .parkedDelete
            case .quarantined: isSave ? .quarantinedSave : .quarantinedDelete
            }
        }
    }

    package init() {}

    /// The same without what only a running engine needs, for a snapshot.
    package var withoutIndex: PendingQueue {
        var queue = self
        queue.index = Self.emptyIndex
        return queue
    }

    private static let emptyIndex = QueueIndex()

    package var count: Int { slots.zones.reduce(0) { $0 + $1.tree.liveCount } }
    package var isEmpty: Bool { slots.zones.allSatisfy { $0.tree.liveCount == 0 } }

    /// The sequence number that the next added change gets.
    package var nextSequence: UInt64 { slots.nextSequence }

    /// Where the pending change of a record stands.
    package func place(of recordID: Record.ID) -> QueueIndex.Place? { find(recordID) }

    package func status(of recordID: Record.ID) -> SlotTree.Status? {
        find(recordID).flatMap { slots.zones[$0.zone].tree[$0.slot]?.status }
    }

    /// Adds a change, or makes the pending one of the same record this one, in its old place.
    ///
    /// Of two priorities the more urgent one stays.
    package mutating func add(
        _ change: PendingRecordZoneChange,
        origin: EntryOrigin,
        priority: SyncPriority? = nil
    ) {
        let status: SlotTree.Status = change.isSave ? .save : .delete
        if let place = find(change.recordID) {
            guard var slot = slots.zones[place.zone].tree[place.slot] else { return }
            // An app that asks again for a change that is held back wants it tried again.
            slot.status = status
            slot.origin = origin
            slot.priority = SyncPriority.moreUrgent(slot.priority, priority)
            slots.zones[place.zone].tree.replace(at: place.slot, with: slot)
            return
        }
        let slot = SlotTree.Slot(
            recordName: change.recordID.recordName,
            sequence: slots.takeSequence(),
            origin: origin,
            status: status,
            priority: priority
        )
        let zone = number(of: change.recordID.zoneID)
        insert(.init(zone: zone, slot: slots.zones[zone].tree.append(slot)), slot.recordName)
    }

    /// The journal entry that the app last asked for exactly this change with; nil if it is not
    /// pending.
    package func origin(of change: PendingRecordZoneChange) -> EntryOrigin? {
        var guess: QueueIndex.Place?
        return origin(of: change, guess: &guess)
    }

    /// The same for the next of several changes that mostly follow each other.
    package func origin(
        of change: PendingRecordZoneChange,
        guess: inout QueueIndex.Place?
    ) -> EntryOrigin? {
        guard let place = find(change.recordID, guess: &guess),
            let slot = slots.zones[place.zone].tree[place.slot],
            slot.status.isSave == change.isSave
        else { return nil }
        return slot.origin
    }

    /// Removes a change if it is pending, from an entry that ends here.
    package mutating func remove(
        _ change: PendingRecordZoneChange,
        from ends: (EntryOrigin) -> Bool
    ) {
        var guess: QueueIndex.Place?
        _ = takeForSend(change, guess: &guess, from: ends)
    }

    /// Takes a change out for a send; nil if none of its record is pending, from an entry that
    /// ends here.
    ///
    /// For the next of several changes that mostly follow each other.
    package mutating func takeForSend(
        _ change: PendingRecordZoneChange,
        guess: inout QueueIndex.Place?,
        from ends: (EntryOrigin) -> Bool
    ) -> Taken? {
        guard let place = find(change.recordID, guess: &guess),
            let slot = slots.zones[place.zone].tree[place.slot], ends(slot.origin)
        else { return nil }
        slots.zones[place.zone].tree.setStatus(at: place.slot, to: .dead)
        return Taken(
            zone: place.zone,
            slot: place.slot,
            sequence: slot.sequence,
            origin: slot.origin,
            priority: slot.priority
        )
    }

    /// Puts a change back to its old place, unless a newer one of the same record is pending.
    package mutating func putBack(
        _ change: PendingRecordZoneChange,
        _ taken: Taken,
        _ standing: Standing
    ) {
        guard find(change.recordID) == nil else { return }
        let slot = SlotTree.Slot(
            recordName: change.recordID.recordName,
            sequence: taken.sequence,
            origin: taken.origin,
            status: standing.status(isSave: change.isSave),
            priority: taken.priority
        )
        slots.zones[taken.zone].tree.replace(at: taken.slot, with: slot)
        insert(.init(zone: taken.zone, slot: taken.slot), slot.recordName)
    }

    /// Adds a change that returns from a send without ever having been in the queue, unless a newer
    /// one of the same record is pending.
    package mutating func addReturning(
        _ change: PendingRecordZoneChange,
        _ standing: Standing,
        origin: EntryOrigin
    ) {
        guard find(change.recordID) == nil else { return }
        add(change, origin: origin)
        setStatus(
            of: change.recordID,
            from: change.isSave ? .save : .delete,
            to: standing.status(isSave: change.isSave)
        )
    }

    /// Up to `limit` offerable changes behind a position, of those that were added before a
    /// sequence number: the more urgent first, else in the queue's order.
    package func offerable(
        after position: WalkPosition,
        before end: UInt64 = .max,
        in scope: SendChangesOptions.Scope,
        limit: Int,
        urgency: WalkUrgency = WalkUrgency()
    ) -> WalkPage {
        guard case .recordIDs(let recordIDs) = scope else {
            return slots.offerable(
                after: position,
                before: end,
                in: scope,
                limit: limit,
                urgency: urgency
            )
        }
        // A few named records: look each up instead of walking over all the others.
        let named = recordIDs.compactMap { id in
            find(id).flatMap { place in
                slots.zones[place.zone].tree[place.slot].map { (id: id, place: place, slot: $0) }
            }
        }
        let offered = named.map { id, place, slot in
            let priority = slot.priority ?? urgency.base
            return (
                rank: (-priority.rawValue, slot.sequence), status: slot.status,
                step: WalkPage.Step(
                    change: slot.status.isSave ? .saveRecord(id) : .deleteRecord(id),
                    lane: urgency.lane(place.zone, priority),
                    slot: place.slot
                ),
                isUrgent: priority >= urgency.floor
            )
        }
        let steps =
            offered
            .filter {
                $0.status.isOfferable && $0.isUrgent && $0.rank.1 < end
                    && $0.step.slot >= position[$0.step.lane]
            }
            .sorted { $0.rank < $1.rank }
            .prefix(limit)
        return WalkPage(steps: steps.map(\.step))
    }

    /// Up to `limit` offerable changes behind a position, of a priority from each zone in turn.
    package func fairlyOfferable(
        after position: WalkPosition,
        before end: UInt64 = .max,
        in scope: SendChangesOptions.Scope,
        limit: Int,
        urgency: WalkUrgency = WalkUrgency()
    ) -> WalkPage {
        if case .recordIDs = scope {
            return offerable(
                after: position,
                before: end,
                in: scope,
                limit: limit,
                urgency: urgency
            )
        }
        return slots.fairlyOfferable(
            after: position,
            before: end,
            in: scope,
            limit: limit,
            urgency: urgency
        )
    }

    /// Where a walk comes by the pending change of a record; nil if there is none.
    package func step(
        of recordID: Record.ID,
        urgency: WalkUrgency
    ) -> (lane: Int, slot: Int)? {
        find(recordID).flatMap { place in
            slots.zones[place.zone].tree[place.slot].map {
                (urgency.lane(place.zone, $0.priority), place.slot)
            }
        }
    }

    /// True if any change that may be offered was added with background priority.
    package var hasBackgroundChanges: Bool {
        let filter = PriorityFilter(.background, base: .default)
        return slots.zones.contains { $0.tree.offerableCount(filter) > 0 }
    }

    /// The most urgent priority of what may be offered outside of some zones; nil if nothing may.
    ///
    /// Costs the same whatever waits.
    package func highestPriority(
        outside zoneIDs: [RecordZone.ID],
        base: SyncPriority
    ) -> SyncPriority? {
        SyncPriority.allCases.last { priority in
            let filter = PriorityFilter(priority, base: base)
            return slots.zones.contains { zone in
                zone.tree.offerableCount(filter) > 0 && !zoneIDs.contains(zone.zoneID)
            }
        }
    }

    /// True if any change in the scope may be offered.
    package func hasOfferable(
        after position: WalkPosition,
        in scope: SendChangesOptions.Scope
    ) -> Bool {
        !offerable(after: position, in: scope, limit: 1).steps.isEmpty
    }

    /// True if any change outside of some zones may be offered; costs the same whatever waits.
    package func hasOfferable(outside zoneIDs: [RecordZone.ID]) -> Bool {
        slots.zones.contains { zone in
            zone.tree.offerableCount > 0 && !zoneIDs.contains(zone.zoneID)
        }
    }

    /// How many changes of a zone may be offered; costs the same whatever waits.
    package func offerableCount(in zoneID: RecordZone.ID) -> Int {
        knownNumber(of: zoneID).map { slots.zones[$0].tree.offerableCount } ?? 0
    }

    /// How many changes may be offered; costs the same whatever waits.
    package var offerableCount: Int { slots.zones.reduce(0) { $0 + $1.tree.offerableCount } }

    /// Keeps a save from being offered until `unblock`.
    package mutating func block(_ recordID: Record.ID) {
        setStatus(of: recordID, from: .save, to: .blockedSave)
    }

    /// Lets a blocked save be offered again.
    package mutating func unblock(_ recordID: Record.ID) {
        setStatus(of: recordID, from: .blockedSave, to: .save)
    }

    private mutating func setStatus(
        of recordID: Record.ID,
        from old: SlotTree.Status,
        to new: SlotTree.Status
    ) {
        guard let place = find(recordID), status(of: recordID) == old else { return }
        slots.zones[place.zone].tree.setStatus(at: place.slot, to: new)
    }

    private func find(_ recordID: Record.ID) -> QueueIndex.Place? {
        guard let zone = knownNumber(of: recordID.zoneID) else { return nil }
        let name = recordID.recordName
        return index.find(QueueIndex.hash(zone: zone, recordName: name)) { place in
            place.zone == zone && slots.zones[zone].tree.holds(name, at: place.slot)
        }
    }

    /// Finds a record that probably stands at the guess; the next guess is the slot behind it.
    ///
    /// The records of a batch mostly follow each other in the queue, so most need no look into the
    /// index.
    private func find(_ recordID: Record.ID, guess: inout QueueIndex.Place?) -> QueueIndex.Place? {
        var found = guess
        if let place = found,
            slots.zones[place.zone].zoneID != recordID.zoneID
                || !slots.zones[place.zone].tree.holds(recordID.recordName, at: place.slot)
        {
            found = nil
        }
        let place = found ?? find(recordID)
        guess = place.map { .init(zone: $0.zone, slot: $0.slot + 1) }
        return place
    }

    private mutating func insert(_ place: QueueIndex.Place, _ recordName: String) {
        let hash = QueueIndex.hash(zone: place.zone, recordName: recordName)
        let zones = slots.zones
        index.insert(place, hash: hash) { other in
            guard let slot = zones[other.zone].tree[other.slot], slot.status.isLive else {
                return nil
            }
            return QueueIndex.hash(zone: other.zone, recordName: slot.recordName)
        }
    }

    private func knownNumber(of zoneID: RecordZone.ID) -> Int? {
        // Most queues hold one zone or two: comparing names is cheaper than hashing them.
        for number in slots.zones.indices.prefix(2) where slots.zones[number].zoneID == zoneID {
            return number
        }
        return slots.zones.count > 2 ? zoneNumbers[zoneID] : nil
    }

    private mutating func number(of zoneID: RecordZone.ID) -> Int {
        if let number = knownNumber(of: zoneID) { return number }
        let number = slots.zones.count
        zoneNumbers[zoneID] = number
        slots.zones.append(QueueSlots.Zone(zoneID: zoneID))
        return number
    }
}

extension PendingQueue {
    /// Adds a change as a stored state holds it; its place is the next one of its zone.
    package mutating func restore(
        _ change: PendingRecordZoneChange,
        sequence: UInt64,
        origin: EntryOrigin,
        status: SlotTree.Status,
        priority: SyncPriority?
    ) -> Taken {
        let zone = number(of: change.recordID.zoneID)
        let slot = SlotTree.Slot(
            recordName: status.isLive ? change.recordID.recordName : "",
            sequence: sequence,
            origin: origin,
            status: status,
            priority: priority
        )
        let place = QueueIndex.Place(zone: zone, slot: slots.zones[zone].tree.append(slot))
        if status.isLive { insert(place, slot.recordName) }
        slots.raiseSequence(past: sequence)
        return Taken(
            zone: zone,
            slot: place.slot,
            sequence: sequence,
            origin: origin,
            priority: priority
        )
    }

    /// The sequence numbers of a stored state go on from here.
    package mutating func raiseSequence(to nextSequence: UInt64) {
        slots.raiseSequence(past: nextSequence - 1)
    }

    /// The pending changes of a zone that the app last asked for before a journal entry; O(n).
    package func changes(
        in zoneID: RecordZone.ID,
        before origin: EntryOrigin
    ) -> [PendingRecordZoneChange] {
        guard let zone = zoneNumbers[zoneID] else { return [] }
        let tree = slots.zones[zone].tree
        var changes: [PendingRecordZoneChange] = []
        var position = 0
        while let live = tree.firstLive(from: position), let slot = tree[live] {
            position = live + 1
            guard slot.origin < origin else { continue }
            let id = Record.ID(recordName: slot.recordName, zoneID: zoneID)
            changes.append(slot.status.isSave ? .saveRecord(id) : .deleteRecord(id))
        }
        return changes
    }

    /// Lets every change that is held back be offered again; O(n).
    package mutating func resumeHeldBack() {
        for zone in slots.zones.indices {
            let tree = slots.zones[zone].tree
            var position = 0
            while let live = tree.firstLive(from: position), let slot = tree[live] {
                if slot.status.isHeldBack {
                    let status: SlotTree.Status = slot.status.isSave ? .save : .delete
                    slots.zones[zone].tree.setStatus(at: live, to: status)
                }
                position = live + 1
            }
        }
    }
}

extension PendingQueue {
    /// The bytes that the queue's slots and index take, the text of long names included; O(n).
    package var allocatedByteCount: Int {
        slots.zones.reduce(index.allocatedByteCount) { $0 + $1.tree.allocatedByteCount }
    }
}
