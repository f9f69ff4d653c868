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
    /// Changes that wait for the answers of the present question.
    private var steps: [WalkPage.Step] = []
    private var asked: Set<Record.ID> = []
    private var answers: [Record.ID: RecordProviderAnswer] = [:]
    private var placed: Set<Record.ID> = []
    private var putOffIDs: Set<Record.ID> = []
    /// Records whose own links were looked at.
    private var followed: Set<Record.ID> = []

    package init(source: any PendingChangeSource, scope: SendChangesOptions.Scope) {
        self.source = source
        self.scope = scope
        limits = source.limits
        walk = source.start
    }

    /// The records to ask the app for next; empty once the batch is as full as it gets.
    package mutating func nextQuestion() -> [Record.ID] {
        while !isFull {
            if steps.isEmpty {
                let page = source.next(after: walk, in: scope, limit: pageSize)
                guard !page.steps.isEmpty else { return [] }
                steps = page.steps
            }
            let question = openQuestion()
            guard question.isEmpty else { return question }
            placeSteps()
        }
        return []
    }

    /// Takes the app's answers; a record without an answer, or with another record, is put off.
    package mutating func take(_ new: [Record.ID: RecordProviderAnswer]) {
        answers.merge(new) { _, new in new }
    }

    /// The batch; nil if nothing is in it.
    package func finish() -> RecordZoneChangeBatch? {
        guard batch.count > 0 else { return nil }
        var batch = batch
        batch.walk = walk
        return batch
    }

    /// As many changes as are likely to fit, so that few records are made for nothing.
    private var pageSize: Int {
        let room = limits.batchCountMax - batch.count
        guard batch.recordsToSave.count > 0 else { return max(1, room) }
        let mean = max(1, byteCount / batch.recordsToSave.count)
        return max(1, min(room, (limits.batchByteCountMax - byteCount) / mean + 1))
    }

    /// Saves that were not asked for yet, and then pending records that the answers point to.
    private mutating func openQuestion() -> [Record.ID] {
        var question: [Record.ID] = []
        for step in steps {
            guard case .saveRecord(let id) = step.change else { continue }
            if asked.insert(id).inserted {
                question.append(id)
            } else if case .record(let record, _)? = answers[id] {
                question += unaskedTargets(of: record)
            }
        }
        return question
    }

    private mutating func unaskedTargets(of record: Record) -> [Record.ID] {
        var targets: [Record.ID] = []
        var waiting = [record]
        while let next = waiting.popLast() {
            for reference in next.references {
                let id = reference.recordID
                if asked.contains(id) { continue }
                guard source.canOffer(saveOf: id, in: scope) else { continue }
                asked.insert(id)
                targets.append(id)
            }
            // A target that was asked for before may point further up.
            for reference in next.references where !placed.contains(reference.recordID) {
                guard case .record(let target, _)? = answers[reference.recordID],
                    followed.insert(reference.recordID).inserted
                else { continue }
                waiting.append(target)
            }
        }
        return targets
    }

    private mutating func placeSteps() {
        for (position, step) in steps.enumerated() {
            place(step.change)
            if isFull {
                steps = Array(steps.dropFirst(position))
                return
            }
            walk[step.zone] = step.slot + 1
        }
        steps = []
    }

    private mutating func place(_ change: PendingRecordZoneChange) {
        switch change {
        case .deleteRecord(let id):
            guard hasRoom(for: 0) else { return }
            guard placed.insert(id).inserted else { return }
            batch.recordIDsToDelete.append(id)
        case .saveRecord(let id):
            var path: Set<Record.ID> = []
            place(id, path: &path)
        }
    }

    /// Puts a record into the batch behind those it points to; `path` breaks circles.
    private mutating func place(_ id: Record.ID, path: inout Set<Record.ID>) {
        guard !placed.contains(id), path.insert(id).inserted else { return }
        guard let answer = answers[id] else { return putOff(id) }
        switch answer {
        case .gone:
            placed.insert(id)
            source.drop(.saveRecord(id))
        case .later:
            putOff(id)
        case .record(let record, _) where record.recordID != id:
            putOff(id)
        case .record(let record, let localVersion):
            for reference in record.references where asked.contains(reference.recordID) {
                place(reference.recordID, path: &path)
                if isFull { return }
            }
            if let parentID = record.parent?.recordID, !placed.contains(parentID),
                !path.contains(parentID), source.isPendingSave(parentID)
            {
                placed.insert(id)
                return source.block(id, until: parentID)
            }
            append(record, localVersion)
        }
    }

    private mutating func putOff(_ id: Record.ID) {
        guard putOffIDs.insert(id).inserted else { return }
        source.postpone([.saveRecord(id)])
    }

    private mutating func append(_ record: Record, _ localVersion: String?) {
        let size = record.byteCount
        guard hasRoom(for: size) else { return }
        placed.insert(record.recordID)
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
