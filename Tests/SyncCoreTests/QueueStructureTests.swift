import RecordModel
import SyncCore
import TestSupport
import Testing

/// The queue and what it is made of, against models that are plainly right.
@Suite struct QueueStructureTests {
    private static let origin = EntryOrigin(writer: 0, number: 1)

    private func slot(_ name: String, _ status: SlotTree.Status) -> SlotTree.Slot {
        SlotTree.Slot(recordName: name, sequence: 0, origin: Self.origin, status: status)
    }

    @Test(arguments: UInt64(0)..<4)
    func aSlotTreeDoesWhatAnArrayDoes(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var tree = SlotTree()
        var model: [SlotTree.Status] = []
        let statuses: [SlotTree.Status] = [
            .save, .delete, .parkedSave, .parkedDelete, .blockedSave, .quarantinedSave,
            .quarantinedDelete,
        ]
        for step in 0..<20_000 {
            // Few deaths at first, then many, so that whole chunks die and come back.
            let isDying = step > 10_000
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<(isDying ? 1 : 6):
                let status = statuses.randomElement(using: &random) ?? .save
                #expect(tree.append(slot("\(model.count)", status)) == model.count)
                model.append(status)
            case _ where !model.isEmpty:
                let position = Int.random(in: 0..<model.count, using: &random)
                if model[position].isLive {
                    model[position] = .dead
                    tree.setStatus(at: position, to: .dead)
                } else if !isDying || position % 7 == 0 {
                    model[position] = .save
                    tree.replace(at: position, with: slot("\(position)", .save))
                }
            case _: continue
            }
            guard step % 50 == 0, !model.isEmpty else { continue }
            let start = Int.random(in: 0...model.count, using: &random)
            #expect(tree.firstLive(from: start) == model[start...].firstIndex(where: \.isLive))
            #expect(
                tree.firstOfferable(from: start) == model[start...].firstIndex(where: \.isOfferable)
            )
        }
        #expect(tree.liveCount == model.count(where: \.isLive))
        #expect(tree.offerableCount == model.count(where: \.isOfferable))
        for status in statuses {
            #expect(tree.count { $0 == status } == model.count { $0 == status })
        }
        #expect(tree.count { _ in true } == tree.liveCount)
        for (position, status) in model.enumerated() where status.isLive {
            #expect(tree[position]?.recordName == "\(position)")
            #expect(tree[position]?.status == status)
        }
    }

    @Test(arguments: UInt64(0)..<4)
    func anIndexDoesWhatADictionaryDoes(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var index = QueueIndex()
        var model: [Int: QueueIndex.Place] = [:]
        func hash(_ key: Int) -> Int { QueueIndex.hash(zone: 0, recordName: "\(key)") }
        for _ in 0..<40_000 {
            let key = Int.random(in: 0..<5000, using: &random)
            let place = index.find(hash(key)) { model[key] == $0 && $0.slot == key }
            #expect(place == model[key])
            if place != nil {
                model[key] = nil  // a change that left fits no key
            } else {
                let new = QueueIndex.Place(zone: key % 3, slot: key)
                index.insert(new, hash: hash(key)) { model[$0.slot] == nil ? nil : hash($0.slot) }
                model[key] = new
            }
        }
        for key in 0..<5000 {
            #expect(index.find(hash(key)) { model[key] == $0 && $0.slot == key } == model[key])
        }
    }

    @Test
    func anIndexTakesNoRoomForWhatHasLeft() {
        var index = QueueIndex()
        let hash = QueueIndex.hash(zone: 0, recordName: "a note edited over and over")
        let byteCount = index.allocatedByteCount
        for slot in 0..<100_000 {
            index.insert(.init(zone: 0, slot: slot), hash: hash) { _ in nil }
        }
        #expect(index.allocatedByteCount == byteCount)
        #expect(index.find(hash) { $0.slot == 99_999 } == .init(zone: 0, slot: 99_999))
        #expect(index.find(hash) { $0.slot != 99_999 } == nil)
    }

    /// A queue as it is described: at most one change a record, in the order of their first add.
    private struct Model {
        var entries: [(change: PendingRecordZoneChange, isOfferable: Bool)] = []

        func position(of id: Record.ID) -> Int? {
            entries.firstIndex { $0.change.recordID == id }
        }

        mutating func add(_ change: PendingRecordZoneChange) {
            if let position = position(of: change.recordID) {
                entries[position] = (change, true)
            } else {
                entries.append((change, true))
            }
        }

        mutating func remove(_ change: PendingRecordZoneChange) {
            entries.removeAll { $0.change == change }
        }
    }

    @Test(.holds("S39", "S40", "S41", "S42", "S43", "S52"), arguments: UInt64(0)..<4)
    func aQueueDoesWhatAListDoes(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var queue = PendingQueue()
        var model = Model()
        for step in 0..<4000 {
            let zone = [notes, tasks, RecordZone.ID.default].randomElement(using: &random) ?? notes
            let id = note("\(Int.random(in: 0..<60, using: &random))", in: zone)
            let change: PendingRecordZoneChange =
                Bool.random(using: &random) ? .saveRecord(id) : .deleteRecord(id)
            switch Int.random(in: 0..<6, using: &random) {
            case 0..<3:
                queue.add(change, origin: Self.origin)
                model.add(change)
            case 3:
                queue.remove(change, origin: Self.origin)
                model.remove(change)
            case 4:
                // Goes to a send and comes back to its place, held back or not.
                guard let taken = queue.takeForSend(change, origin: Self.origin) else { continue }
                let standings: [PendingQueue.Standing] = [
                    .offered, .offered, .parked, .quarantined,
                ]
                let standing = standings.randomElement(using: &random) ?? .offered
                queue.putBack(change, taken, standing)
                if let position = model.position(of: id) {
                    model.entries[position].isOfferable = standing == .offered
                }
            case _:
                guard Int.random(in: 0..<20, using: &random) == 0 else { continue }
                queue.resumeHeldBack()
                for position in model.entries.indices { model.entries[position].isOfferable = true }
            }
            guard step % 20 == 0 else { continue }
            #expect(queue.slots.all().map(\.change) == model.entries.map(\.change))
            let page = queue.offerable(after: WalkPosition(), in: .all, limit: 10)
            #expect(
                page.steps.map(\.change)
                    == Array(model.entries.filter(\.isOfferable).map(\.change).prefix(10))
            )
            #expect(queue.count == model.entries.count)
        }
    }

    @Test(.holds("P8"))
    func aQueueOfManyIsWalkedInPagesWithoutASecondLook() {
        var queue = PendingQueue()
        for number in 0..<200_000 {
            let id = note("\(number)", in: number % 2 == 0 ? notes : tasks)
            queue.add(.saveRecord(id), origin: Self.origin)
        }
        var walk = WalkPosition()
        var seen = 0
        while true {
            let page = queue.offerable(after: walk, in: .all, limit: 250)
            guard !page.steps.isEmpty else { break }
            for step in page.steps {
                #expect(
                    step.change == .saveRecord(note("\(seen)", in: seen % 2 == 0 ? notes : tasks))
                )
                walk[step.zone] = step.slot + 1
                seen += 1
            }
        }
        #expect(seen == 200_000)
    }

    @Test(.holds("P8"))
    func aBatchOfManyPendingChangesAsksForItsOwnRecordsOnly() {
        var device = CoreFixture()
        let ids = (0..<100_000).map { note("\($0)") }
        device.handle(.recordZoneChangesAdded(ids.map { .saveRecord($0) }))
        for id in ids.prefix(250) { device.records[id] = Record(recordType: "Note", recordID: id) }
        device.callSend()
        device.runUntilSent()
        #expect(device.asked == Array(ids.prefix(250)))
        #expect(device.sentBatch?.recordsToSave.map(\.recordID) == device.asked)
    }

    @Test func aSnapshotOfAQueueDoesNotSeeLaterChanges() {
        var queue = PendingQueue()
        for number in 0..<10_000 {
            queue.add(.saveRecord(note("\(number)")), origin: Self.origin)
        }
        let snapshot = queue.withoutIndex
        for number in stride(from: 0, to: 10_000, by: 3) {
            queue.remove(.saveRecord(note("\(number)")), origin: Self.origin)
        }
        queue.add(.deleteRecord(note("1")), origin: Self.origin)
        queue.add(.saveRecord(note("new")), origin: Self.origin)
        let all = snapshot.slots.all().map(\.change)
        #expect(all == (0..<10_000).map { .saveRecord(note("\($0)")) })
    }
}

extension PendingQueue {
    fileprivate mutating func remove(_ change: PendingRecordZoneChange, origin: EntryOrigin) {
        _ = takeForSend(change, origin: origin)
    }

    /// As a send does: it names the entry of exactly this change.
    fileprivate mutating func takeForSend(
        _ change: PendingRecordZoneChange,
        origin: EntryOrigin
    ) -> Taken? {
        guard self.origin(of: change) == origin else { return nil }
        var guess: QueueIndex.Place?
        return takeForSend(change, guess: &guess) { $0 == origin }
    }
}
