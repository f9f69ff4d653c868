package import RecordModel

/// Builds a batch from pending changes: asks for records, puts parents before their children, and
/// stops at the limits.
///
/// Ask for what `nextQuestion` names, hand the answers to `take`, and repeat until there is no
/// question. Every pending change is looked at once; what does not fit stays where it is.
package struct BatchBuilder {
    private let source: any PendingChangeSource
    private let scope: SendChangesOptions.Scope
    private let limits: RequestLimits
    private var batch = RecordZoneChangeBatch()
    private var byteCount = 0
    private var isFull = false
    private var walk: WalkPosition
    /// Every change looked at so far, and pending parents that were asked for out of turn.
    private var items: [Item] = []
    /// Items that stand for the present page of the walk, each with its place.
    private var page: [(item: Int, zone: Int, slot: Int)] = []
    /// Items whose records the app is being asked for.
    private var question: [Int] = []
    /// Items that were answered, whose records may point to further pending ones.
    private var unfollowed: [Int] = []
    /// How many records were asked for only because others point to them.
    private var targetCount = 0
    /// Where the item of a record stands; filled only once a record points to another.
    private var index: [Record.ID: Int]?

    private struct Item {
        let change: PendingRecordZoneChange
        private(set) var answer: RecordProviderAnswer?
        /// True if the record that the app gave links to any.
        private(set) var linksToOthers = false
        /// True if it stands in a question because another record points to it.
        var isAskedFor = false
        var state = ItemState.open

        var isSave: Bool { change.isSave }

        init(change: PendingRecordZoneChange) { self.change = change }

        mutating func take(_ answer: RecordProviderAnswer) {
            if case .record(let record, _) = answer { linksToOthers = record.hasReferences }
            self.answer = answer
        }

        var record: Record? {
            guard case .record(let record, _)? = answer else { return nil }
            return record
        }
    }

    private enum ItemState {
        /// It may go into the batch.
        case open
        /// It is being put in, behind what it points to.
        case underWay
        /// It is in the batch.
        case placed
        /// It has no place in the batch.
        case passedOver
    }

    /// Records asked for only because others point to them, in full batches.
    ///
    /// Of a longer chain the far end is sent first, and the rest waits for it.
    private static let targetBatchesMax = 4

    package init(source: any PendingChangeSource, scope: SendChangesOptions.Scope) {
        self.source = source
        self.scope = scope
        limits = source.limits
        walk = source.start
    }

    /// The records to ask the app for next; empty once the batch is as full as it gets.
    package mutating func nextQuestion() -> [Record.ID] {
        while !isFull {
            if page.isEmpty, !turnPage() { return [] }
            question = openItems()
            guard question.isEmpty else { return question.map { items[$0].change.recordID } }
            placePage()
        }
        return []
    }

    /// Takes the app's answers in the order of the question.
    ///
    /// A record without an answer, or with another record for an answer, is put off.
    package mutating func take(inOrder answers: consuming [RecordProviderAnswer?]) {
        // From the end, so that each is moved out of the list and not copied.
        for position in question.indices.reversed() {
            let answer = position < answers.count ? answers.removeLast() : nil
            items[question[position]].take(answer ?? .later)
        }
        unfollowed += question
        question = []
    }

    /// Takes the app's answers by record; one without an answer is put off.
    package mutating func take(_ answers: [Record.ID: RecordProviderAnswer]) {
        take(inOrder: question.map { answers[items[$0].change.recordID] })
    }

    /// The batch; nil if nothing is in it.
    package func finish() -> RecordZoneChangeBatch? {
        guard batch.count > 0 else { return nil }
        var batch = batch
        batch.walk = walk
        return batch
    }
}

// What to ask for.

extension BatchBuilder {
    /// Takes the next changes of the walk; false if there are none.
    private mutating func turnPage() -> Bool {
        // A full batch asks for no record that it could not take.
        guard batch.count < limits.batchCountMax else { return false }
        let steps = source.next(after: walk, in: scope, limit: pageSize).steps
        for step in steps { page.append((item(for: step.change), step.zone, step.slot)) }
        return !page.isEmpty
    }

    /// As many changes as are likely to fit, so that few records are made for nothing.
    private var pageSize: Int {
        let room = limits.batchCountMax - batch.count
        guard batch.recordsToSave.count > 0 else { return max(1, room) }
        let mean = max(1, byteCount / batch.recordsToSave.count)
        return max(1, min(room, (limits.batchByteCountMax - byteCount) / mean + 1))
    }

    private mutating func item(for change: PendingRecordZoneChange) -> Int {
        if let known = index?[change.recordID] { return known }
        items.append(Item(change: change))
        index?[change.recordID] = items.count - 1
        return items.count - 1
    }

    /// Saves that were not asked for yet, and then pending records that the answers point to.
    private mutating func openItems() -> [Int] {
        let unasked = page.map(\.item).filter { items[$0].isSave && items[$0].answer == nil }
        guard unasked.isEmpty else { return unasked }
        var targets: [Int] = []
        while let next = unfollowed.popLast() {
            guard items[next].linksToOthers, let record = items[next].record else { continue }
            for reference in record.references where targetCount < targetCountMax {
                guard let target = pendingTarget(reference.recordID),
                    items[target].answer == nil, !items[target].isAskedFor
                else { continue }
                items[target].isAskedFor = true
                targetCount += 1
                targets.append(target)
            }
        }
        return targets
    }

    private var targetCountMax: Int { limits.batchCountMax * Self.targetBatchesMax }

    /// The item of a record whose save is pending and may go along; nil if there is none.
    private mutating func pendingTarget(_ recordID: Record.ID) -> Int? {
        if let known = findIndexed(recordID) { return items[known].isSave ? known : nil }
        guard source.canOffer(saveOf: recordID, in: scope) else { return nil }
        return item(for: .saveRecord(recordID))
    }

    private mutating func findIndexed(_ recordID: Record.ID) -> Int? {
        if index == nil {
            var index: [Record.ID: Int] = [:]
            for (position, item) in items.enumerated() { index[item.change.recordID] = position }
            self.index = index
        }
        return index?[recordID]
    }
}

// What goes in.

extension BatchBuilder {
    private mutating func placePage() {
        for (position, entry) in page.enumerated() {
            place(entry.item)
            if isFull {
                page.removeFirst(position)
                return
            }
            walk[entry.zone] = entry.slot + 1
        }
        page = []
    }

    /// Puts an item into the batch behind those it points to.
    ///
    /// Without recursion, since a chain may be long. A circle of links ends at the record that is
    /// under way already.
    private mutating func place(_ number: Int) {
        guard case .open = items[number].state else { return }
        var targets = answeredTargets(of: number)
        guard !targets.isEmpty else { return settle(number) }
        var way = [(item: number, targets: targets[...])]
        items[number].state = .underWay
        while !isFull, let top = way.last {
            guard let target = top.targets.first else {
                way.removeLast()
                settle(top.item)
                continue
            }
            way[way.count - 1].targets.removeFirst()
            guard case .open = items[target].state else { continue }
            targets = answeredTargets(of: target)
            items[target].state = .underWay
            way.append((target, targets[...]))
        }
    }

    private func answeredTargets(of number: Int) -> [Int] {
        guard items[number].linksToOthers, let record = items[number].record,
            record.recordID == items[number].change.recordID
        else { return [] }
        return record.references.compactMap { reference in
            index?[reference.recordID].flatMap { items[$0].answer == nil ? nil : $0 }
        }
    }

    /// Decides about an item after those it points to.
    private mutating func settle(_ number: Int) {
        guard items[number].isSave else {
            guard hasRoom(for: 0) else { return }
            items[number].state = .placed
            return batch.recordIDsToDelete.append(items[number].change.recordID)
        }
        switch items[number].answer {
        case .record(let record, let localVersion)?
        where record.recordID == items[number].change.recordID:
            guard !waitsForParent(record, number) else { return }
            append(record, localVersion, number)
        case .gone?:
            items[number].state = .passedOver
            source.drop(items[number].change)
        case .record?, .later?, nil:
            items[number].state = .passedOver
            source.postpone([items[number].change])
        }
    }

    /// True if the record's parent is pending but cannot go along: then the record waits for it.
    private mutating func waitsForParent(_ record: Record, _ number: Int) -> Bool {
        guard items[number].linksToOthers, let parentID = record.parent?.recordID else {
            return false
        }
        if let parent = index?[parentID] {
            switch items[parent].state {
            case .underWay, .placed: return false
            case .open, .passedOver: break
            }
            // A list that stands for the queue does not forget what the app says is gone.
            if case .gone? = items[parent].answer { return false }
        }
        guard source.isPendingSave(parentID) else { return false }
        items[number].state = .passedOver
        source.block(record.recordID, until: parentID)
        return true
    }

    private mutating func append(_ record: Record, _ localVersion: String?, _ number: Int) {
        let size = record.byteCount
        guard hasRoom(for: size) else { return }
        items[number].state = .placed
        byteCount += size
        batch.recordsToSave.append(record)
        if let localVersion { batch.localVersions[record.recordID] = localVersion }
    }

    /// A single record is always allowed, whatever its size.
    private mutating func hasRoom(for size: Int) -> Bool {
        let fits =
            batch.count == 0
            || batch.count < limits.batchCountMax
                && byteCount + size <= limits.batchByteCountMax
        if !fits { isFull = true }
        return fits
    }
}
