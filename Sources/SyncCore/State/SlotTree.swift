/// One zone's part of the queue: slots in the order they were added.
///
/// A value whose copies share what did not change: chunks of slots, gathered in blocks of chunks.
/// Copying it is O(1), and the first change after a copy copies one chunk and one block, whatever
/// the number of slots. Counts on each level let a walk step over what is not offerable.
package struct SlotTree: Sendable {
    /// A pending change of a record, in its place.
    package struct Slot: Sendable {
        package var recordName: String
        /// The place in the whole queue, across zones.
        package var sequence: UInt64
        /// The journal entry that added the change.
        package var origin: EntryOrigin
        package var status: Status
        /// The change's own priority; nil for that of the engine.
        package var priority: SyncPriority?

        package init(
            recordName: String,
            sequence: UInt64,
            origin: EntryOrigin,
            status: Status,
            priority: SyncPriority? = nil
        ) {
            self.recordName = recordName
            self.sequence = sequence
            self.origin = origin
            self.status = status
            self.priority = priority
        }
    }

    /// What stands in a slot.
    package enum Status: UInt8, Sendable {
        /// Nothing any more; the place may be taken again by a change that returns from a send.
        case dead
        /// A save that may be offered.
        case save
        /// A deletion that may be offered.
        case delete
        /// A save that waits until the app resumes it: the account's storage was full.
        case parkedSave
        /// A deletion that waits until the app resumes it.
        case parkedDelete
        /// A save that waits for its parent; forgotten at relaunch, when it is a save again.
        case blockedSave
        /// A save that waits until the app resumes it: it failed too often.
        case quarantinedSave
        /// A deletion that waits until the app resumes it: it failed too often.
        case quarantinedDelete

        package var isLive: Bool { self != .dead }
        package var isOfferable: Bool { self == .save || self == .delete }
        package var isSave: Bool {
            switch self {
            case .save, .parkedSave, .blockedSave, .quarantinedSave: true
            case .dead, .delete, .parkedDelete, .quarantinedDelete: false
            }
        }
        /// True if it waits for the app's word.
        package var isHeldBack: Bool {
            switch self {
            case .parkedSave, .parkedDelete, .quarantinedSave, .quarantinedDelete: true
            case .dead, .save, .delete, .blockedSave: false
            }
        }
    }

    private static let chunkSize = 64
    private static let blockSize = 64
    private static var slotsPerBlock: Int { chunkSize * blockSize }

    private struct Chunk: Sendable {
        /// Empty once every slot of a full chunk is dead.
        var slots: [Slot] = []
        var counts = Counts()
    }

    private struct Block: Sendable {
        var chunks: [Chunk] = []
        var counts = Counts()
    }

    private struct Counts: Sendable {
        var live = 0
        var offerable = PriorityCounts()

        subscript(sought: Sought) -> Int {
            switch sought {
            case .live: live
            case .offerable(let priorities): offerable.count(priorities)
            }
        }
    }

    private enum Sought {
        case live
        case offerable(PriorityFilter)

        func matches(_ slot: Slot) -> Bool {
            switch self {
            case .live: slot.status.isLive
            case .offerable(let priorities):
                slot.status.isOfferable && priorities.includes(slot.priority)
            }
        }
    }

    private var blocks: [Block] = []
    /// The number of slots ever added: the place of the next one.
    package private(set) var endPosition = 0
    private var counts = Counts()
    /// The number of changes of each status, by its raw value.
    private var statusCounts = SIMD8<Int32>()

    package init() {}

    /// The number of changes that stand in a way; costs the same whatever their number.
    package func count(where isCounted: (Status) -> Bool) -> Int {
        statusCounts.indices.reduce(0) { sum, index in
            guard let status = Status(rawValue: UInt8(index)), status.isLive, isCounted(status)
            else { return sum }
            return sum + Int(statusCounts[index])
        }
    }

    package var liveCount: Int { counts.live }
    package var offerableCount: Int { counts.offerable.total }

    /// The number of offerable changes of some priorities.
    package func offerableCount(_ priorities: PriorityFilter) -> Int {
        counts.offerable.count(priorities)
    }

    package subscript(position: Int) -> Slot? {
        let chunk = blocks[position / Self.slotsPerBlock].chunks[chunkIndex(position)]
        let index = position % Self.chunkSize
        return index < chunk.slots.count ? chunk.slots[index] : nil
    }

    /// True if a live change of the record with this name stands in the place, which may lie behind
    /// the end.
    package func holds(_ recordName: String, at position: Int) -> Bool {
        guard position < endPosition else { return false }
        let chunk = blocks[position / Self.slotsPerBlock].chunks[chunkIndex(position)]
        let index = position % Self.chunkSize
        return index < chunk.slots.count && chunk.slots[index].status.isLive
            && chunk.slots[index].recordName == recordName
    }

    private func chunkIndex(_ position: Int) -> Int {
        position % Self.slotsPerBlock / Self.chunkSize
    }

    /// Adds a slot at the end and gives its place.
    package mutating func append(_ slot: Slot) -> Int {
        let position = endPosition
        if position % Self.slotsPerBlock == 0 { blocks.append(Block()) }
        if position % Self.chunkSize == 0 { blocks[blocks.count - 1].chunks.append(Chunk()) }
        let block = blocks.count - 1
        let chunk = blocks[block].chunks.count - 1
        refillIfEmptied(block, chunk, upTo: position % Self.chunkSize)
        blocks[block].chunks[chunk].slots.append(slot)
        endPosition += 1
        count(block, chunk, 1, slot)
        return position
    }

    /// Changes what stands in a slot.
    package mutating func setStatus(at position: Int, to status: Status) {
        let block = position / Self.slotsPerBlock
        let chunk = chunkIndex(position)
        let index = position % Self.chunkSize
        var slot = blocks[block].chunks[chunk].slots[index]
        count(block, chunk, -1, slot)
        slot.status = status
        if status == .dead { slot.recordName = "" }
        blocks[block].chunks[chunk].slots[index] = slot
        count(block, chunk, 1, slot)
        dropSlotsIfDead(block, chunk)
    }

    /// Changes what stands in a slot, and the journal entry that it comes from.
    package mutating func replace(at position: Int, with slot: Slot) {
        let block = position / Self.slotsPerBlock
        let chunk = chunkIndex(position)
        let index = position % Self.chunkSize
        refillIfEmptied(block, chunk, upTo: index + 1)
        count(block, chunk, -1, blocks[block].chunks[chunk].slots[index])
        blocks[block].chunks[chunk].slots[index] = slot
        count(block, chunk, 1, slot)
    }

    /// The first place at or after the given one whose change may be offered.
    package func firstOfferable(
        _ priorities: PriorityFilter = .all,
        from start: Int
    ) -> Int? {
        first(.offerable(priorities), from: start)
    }

    /// The first place at or after the given one at which a change stands.
    package func firstLive(from start: Int) -> Int? { first(.live, from: start) }

    private func first(_ sought: Sought, from start: Int) -> Int? {
        guard counts[sought] > 0 else { return nil }
        var position = start
        while position < endPosition {
            let block = position / Self.slotsPerBlock
            guard blocks[block].counts[sought] > 0 else {
                position = (block + 1) * Self.slotsPerBlock
                continue
            }
            let chunk = blocks[block].chunks[chunkIndex(position)]
            if chunk.counts[sought] > 0 {
                for index in chunk.slots.indices.dropFirst(position % Self.chunkSize)
                where sought.matches(chunk.slots[index]) {
                    return position - position % Self.chunkSize + index
                }
            }
            position = (position / Self.chunkSize + 1) * Self.chunkSize
        }
        return nil
    }

    /// The bytes that the slots take, the text of long names included; O(n).
    package var allocatedByteCount: Int {
        var count = blocks.capacity * MemoryLayout<Block>.stride
        for block in blocks {
            count += block.chunks.capacity * MemoryLayout<Chunk>.stride
            for chunk in block.chunks {
                count += chunk.slots.capacity * MemoryLayout<Slot>.stride
                // Up to 15 bytes of text stand in the slot itself.
                for slot in chunk.slots where slot.recordName.utf8.count > 15 {
                    count += 33 + slot.recordName.utf8.count
                }
            }
        }
        return count
    }

    /// Counts a slot once more, or once less.
    private mutating func count(_ block: Int, _ chunk: Int, _ number: Int32, _ slot: Slot) {
        statusCounts[Int(slot.status.rawValue)] &+= number
        guard slot.status.isLive else { return }
        blocks[block].chunks[chunk].counts.live += Int(number)
        blocks[block].counts.live += Int(number)
        counts.live += Int(number)
        guard slot.status.isOfferable else { return }
        blocks[block].chunks[chunk].counts.offerable.add(number, of: slot.priority)
        blocks[block].counts.offerable.add(number, of: slot.priority)
        counts.offerable.add(number, of: slot.priority)
    }

    private mutating func dropSlotsIfDead(_ block: Int, _ chunk: Int) {
        guard blocks[block].chunks[chunk].counts.live == 0 else { return }
        blocks[block].chunks[chunk].slots = []
    }

    private mutating func refillIfEmptied(_ block: Int, _ chunk: Int, upTo count: Int) {
        while blocks[block].chunks[chunk].slots.count < count {
            blocks[block].chunks[chunk].slots.append(.empty)
        }
    }
}

extension SlotTree.Slot {
    fileprivate static let empty = SlotTree.Slot(
        recordName: "",
        sequence: 0,
        origin: EntryOrigin(writer: 0, number: 0),
        status: .dead
    )
}

/// The journal entry that added a change: which of the state's writers, and the entry's number.
///
/// Packed into 64 bits, since there is one for each pending change.
package struct EntryOrigin: Hashable, Sendable {
    private let bits: UInt64

    package init(writer: UInt16, number: UInt64) {
        precondition(number < 1 << 48, "a launch writes fewer than 2^48 entries")
        bits = UInt64(writer) << 48 | number
    }

    package var writer: UInt16 { UInt16(bits >> 48) }
    package var number: UInt64 { bits & (1 << 48 - 1) }
}

extension EntryOrigin: Comparable {
    /// Orders by age, since a state lists its writers by age.
    package static func < (left: EntryOrigin, right: EntryOrigin) -> Bool {
        left.bits < right.bits
    }
}
