package import RecordModel

/// The pending changes of records, by zone and in order: what a snapshot holds of the queue.
package struct QueueSlots: Sendable {
    /// The part of one zone.
    package struct Zone: Sendable {
        package let zoneID: RecordZone.ID
        package var tree = SlotTree()
    }

    /// By number; a zone keeps its number while the process lives.
    package var zones: [Zone] = []
    package private(set) var nextSequence: UInt64 = 1

    package init() {}

    package mutating func takeSequence() -> UInt64 {
        defer { nextSequence += 1 }
        return nextSequence
    }

    package mutating func raiseSequence(past sequence: UInt64) {
        nextSequence = max(nextSequence, sequence + 1)
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
        var page = WalkPage()
        for (priority, filter) in urgency.filters where page.steps.count < limit {
            var heads = heads(in: scope) {
                $0.firstOfferable(filter, from: $1)
            } start: {
                position[urgency.lane($0, priority)]
            }
            while page.steps.count < limit, let head = heads.popFirst(),
                head.sequence < end
            {
                let zone = zones[head.zone]
                let lane = urgency.lane(head.zone, priority)
                var next: Int? = head.slot
                // Most zones' changes follow each other: stay in one until another's is older.
                while page.steps.count < limit, let position = next, let slot = zone.tree[position],
                    slot.sequence < min(heads.firstSequence, end)
                {
                    let change = Self.change(slot, in: zone.zoneID)
                    if scope.contains(change) {
                        page.steps.append(.init(change: change, lane: lane, slot: position))
                    }
                    next = zone.tree.firstOfferable(filter, from: position + 1)
                }
                heads.push(zone: head.zone, slot: next, zones)
            }
        }
        return page
    }

    /// The same, but each zone in turn gives one: a zone with much in it holds up no other of the
    /// same priority.
    ///
    /// What is found of a priority stands in the queue's order.
    package func fairlyOfferable(
        after position: WalkPosition,
        before end: UInt64 = .max,
        in scope: SendChangesOptions.Scope,
        limit: Int,
        urgency: WalkUrgency = WalkUrgency()
    ) -> WalkPage {
        var page = WalkPage()
        for (priority, filter) in urgency.filters where page.steps.count < limit {
            var heads = heads(in: scope) {
                $0.firstOfferable(filter, from: $1)
            } start: {
                position[urgency.lane($0, priority)]
            }
            var turns: [(zone: Int, slot: Int)] = []
            while let head = heads.popFirst() { turns.append((head.zone, head.slot)) }
            let found = take(limit - page.steps.count, of: filter, before: end, from: turns, scope)
            {
                urgency.lane($0, priority)
            }
            page.steps += found.sorted { $0.sequence < $1.sequence }.map(\.step)
        }
        return page
    }

    private func take(
        _ limit: Int,
        of priorities: PriorityFilter,
        before end: UInt64,
        from turns: [(zone: Int, slot: Int)],
        _ scope: SendChangesOptions.Scope,
        lane: (Int) -> Int
    ) -> [(sequence: UInt64, step: WalkPage.Step)] {
        var turns = turns
        var found: [(sequence: UInt64, step: WalkPage.Step)] = []
        while !turns.isEmpty, found.count < limit {
            var next: [(zone: Int, slot: Int)] = []
            for turn in turns where found.count < limit {
                let zone = zones[turn.zone]
                guard let slot = zone.tree[turn.slot], slot.sequence < end else { continue }
                let change = Self.change(slot, in: zone.zoneID)
                if scope.contains(change) {
                    let step = WalkPage.Step(
                        change: change,
                        lane: lane(turn.zone),
                        slot: turn.slot
                    )
                    found.append((slot.sequence, step))
                }
                if let following = zone.tree.firstOfferable(priorities, from: turn.slot + 1) {
                    next.append((turn.zone, following))
                }
            }
            turns = next
        }
        return found
    }

    /// Every pending change with its slot, in the queue's order; O(n).
    package func all() -> [(change: PendingRecordZoneChange, slot: SlotTree.Slot)] {
        var heads = heads(in: .all) {
            $0.firstLive(from: $1)
        } start: { _ in
            0
        }
        var all: [(change: PendingRecordZoneChange, slot: SlotTree.Slot)] = []
        while let head = heads.popFirst() {
            let zone = zones[head.zone]
            guard let slot = zone.tree[head.slot] else { continue }
            all.append((Self.change(slot, in: zone.zoneID), slot))
            heads.push(zone: head.zone, slot: zone.tree.firstLive(from: head.slot + 1), zones)
        }
        return all
    }

    private static func change(
        _ slot: SlotTree.Slot,
        in zoneID: RecordZone.ID
    ) -> PendingRecordZoneChange {
        let id = Record.ID(recordName: slot.recordName, zoneID: zoneID)
        return slot.status.isSave ? .saveRecord(id) : .deleteRecord(id)
    }

    private func heads(
        in scope: SendChangesOptions.Scope,
        first: (SlotTree, Int) -> Int?,
        start: (Int) -> Int
    ) -> ZoneHeads {
        var heads = ZoneHeads()
        for number in zones.indices
        where zones[number].tree.liveCount > 0 && scope.containsZone(zones[number].zoneID) {
            heads.push(zone: number, slot: first(zones[number].tree, start(number)), zones)
        }
        return heads
    }
}

/// The next change of each zone, the oldest on top: a binary heap.
private struct ZoneHeads {
    struct Head {
        let sequence: UInt64
        let zone: Int
        let slot: Int
    }

    private var heap: [Head] = []

    /// The sequence number of the oldest; above every other if there is none.
    var firstSequence: UInt64 { heap.first?.sequence ?? .max }

    mutating func push(zone: Int, slot: Int?, _ zones: [QueueSlots.Zone]) {
        guard let slot, let sequence = zones[zone].tree[slot]?.sequence else { return }
        heap.append(Head(sequence: sequence, zone: zone, slot: slot))
        var child = heap.count - 1
        while child > 0, heap[child].sequence < heap[(child - 1) / 2].sequence {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    mutating func popFirst() -> Head? {
        guard let first = heap.first else { return nil }
        let last = heap.removeLast()
        guard !heap.isEmpty else { return first }
        heap[0] = last
        var parent = 0
        while 2 * parent + 1 < heap.count {
            var child = 2 * parent + 1
            if child + 1 < heap.count, heap[child + 1].sequence < heap[child].sequence {
                child += 1
            }
            guard heap[child].sequence < heap[parent].sequence else { break }
            heap.swapAt(child, parent)
            parent = child
        }
        return first
    }
}
