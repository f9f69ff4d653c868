package import RecordModel

extension Server {
    /// Saves and deletes records: one batch, one commit, one place in the log.
    ///
    /// Throws where the request as a whole is refused: too many items or bytes (`limitExceeded`),
    /// an item that stands in it twice (`invalidArguments`), a key that named another request
    /// (`constraintViolation`) or was closed (`serverRejectedRequest`). All else is told of each
    /// item.
    package mutating func modifyRecords(
        _ request: ModifyRecordsRequest,
        from caller: ServerCaller,
        at now: Timestamp
    ) throws(SyncError) -> ModifyRecordsReply {
        try write { server in
            let account = try server.admit(caller)
            let size = request.size
            let first = try server.firstAnswer(
                to: request.idempotencyKey,
                digest: size.digest,
                of: caller
            )
            if let first { return first }
            try server.checkSize(of: request, byteCount: size.byteCount)
            try checkItems(of: request, from: caller)
            let plan = try server.plan(
                request,
                from: caller,
                usedByteCount: account.usedByteCount
            )
            let reply = try server.apply(plan, of: request, from: caller, at: now)
            try server.noteDevice(of: caller, at: now)
            try server.keep(
                .records(digest: size.digest, reply),
                under: request.idempotencyKey,
                of: caller,
                at: now
            )
            return reply
        }
    }

    private func checkSize(of request: ModifyRecordsRequest, byteCount: Int) throws {
        let limits = configuration.limits
        guard request.itemCount <= limits.batchCountMax else {
            throw SyncError(
                .limitExceeded,
                "a batch has at most \(limits.batchCountMax) changes, not \(request.itemCount)"
            )
        }
        // A single record cannot be halved: it fails by its own limit or not at all.
        guard byteCount <= limits.batchByteCountMax || request.itemCount == 1 else {
            throw SyncError(
                .limitExceeded,
                "a batch has at most \(limits.batchByteCountMax) bytes, not \(byteCount)"
            )
        }
    }

    private mutating func apply(
        _ plan: ModifyPlan,
        of request: ModifyRecordsRequest,
        from caller: ServerCaller,
        at now: Timestamp
    ) throws -> ModifyRecordsReply {
        var commit = try beginCommit(for: caller, key: request.idempotencyKey, at: now)
        var writing = BatchWriting(plan: plan)
        var reply = ModifyRecordsReply(saveResults: [], deleteErrors: [])
        reply.saveResults.reserveCapacity(plan.saves.count)
        for save in plan.saves {
            reply.saveResults.append(try apply(save, in: &commit, writing: &writing))
        }
        for deletion in plan.deletions {
            try apply(deletion, in: &commit, writing: &writing)
            reply.deleteErrors.append(deletion.error)
        }
        guard plan.hasEffect else { return reply }
        for (place, zone) in plan.zones.enumerated() where writing.isTouched[place] {
            guard var stored = try? zone.standing.get() else { continue }
            stored.byteCount += writing.byteCountChanges[place]
            stored.position = commit.nextZonePosition()
            try storage.put(stored, in: commit.database)
        }
        commit.usedByteCountChange = writing.byteCountChanges.reduce(0, +)
        try finish(commit)
        return reply
    }

    private mutating func apply(
        _ save: PlannedSave,
        in commit: inout Commit,
        writing: inout BatchWriting
    ) throws -> Result<Record, SyncError> {
        let zone = writing.keys[save.zonePlace]
        switch save.verdict {
        case .success(let accepted):
            guard let zone else { break }
            writing.note(accepted.byteCount - (accepted.old?.byteCount ?? 0), at: save.zonePlace)
            return .success(try store(accepted, in: zone, commit: &commit))
        case .failure(let error):
            if let zone { try keepRefused(save.sent, error, in: zone, commit: commit) }
            return .failure(error)
        }
        preconditionFailure("a save was accepted in a zone that is not there")
    }

    private mutating func store(
        _ save: AcceptedSave,
        in zone: ZoneKey,
        commit: inout Commit
    ) throws -> Record {
        let stamp = commit.stamp(after: save.old)
        let record = save.record.stored(
            changeTag: commit.changeTag(of: stamp),
            creation: save.old?.record?.creation ?? stamp,
            modification: stamp
        )
        let row = StoredRecord(
            recordName: record.recordID.recordName,
            position: commit.nextRecordPosition(),
            stamp: stamp,
            origin: commit.key,
            content: .live(
                record,
                byteCount: save.byteCount,
                deleteSelfTargets: save.deleteSelfTargets
            )
        )
        try storage.put(row, in: zone)
        try storage.append(row.entry(.saved(record)), in: zone)
        try linkAssets(
            of: record,
            old: save.old?.record,
            named: row.recordName,
            in: zone,
            at: commit.stamp.timestamp
        )
        return record
    }

    private mutating func apply(
        _ deletion: PlannedDeletion,
        in commit: inout Commit,
        writing: inout BatchWriting
    ) throws {
        guard let zone = writing.keys[deletion.zonePlace] else { return }
        for doomed in deletion.doomed {
            guard let old = try storage.record(doomed.recordName, in: zone),
                let oldRecord = old.record
            else { continue }
            try linkAssets(
                of: nil,
                old: oldRecord,
                named: doomed.recordName,
                in: zone,
                at: commit.stamp.timestamp
            )
            writing.note(-old.byteCount, at: deletion.zonePlace)
            let tombstone = StoredRecord(
                recordName: doomed.recordName,
                position: commit.nextRecordPosition(),
                stamp: commit.stamp(after: old),
                origin: commit.key,
                content: .deleted(recordType: oldRecord.recordType)
            )
            try storage.put(tombstone, in: zone)
            let action = doomed.target.map { HistoryEntry.Action.deletedWith($0) } ?? .deleted
            try storage.append(tombstone.entry(action), in: zone)
        }
    }

    /// Keeps a refused save: what was sent, unless it was refused for its size or makes no sense.
    private mutating func keepRefused(
        _ record: Record,
        _ error: SyncError,
        in zone: ZoneKey,
        commit: Commit
    ) throws {
        let refusesContent: [SyncError.Code] = [.limitExceeded, .quotaExceeded, .invalidArguments]
        let kept =
            refusesContent.contains(error.code) ? Record(systemFields: record.systemFields) : record
        let entry = HistoryEntry(
            recordName: record.recordID.recordName,
            sequence: commit.sequence - 1,
            stamp: commit.stamp,
            key: commit.key,
            action: .refused(kept, error.code)
        )
        try storage.append(entry, in: zone)
    }
}

/// What is known of the zones of a batch while it is written.
private struct BatchWriting {
    let keys: [ZoneKey?]
    var byteCountChanges: [Int]
    var isTouched: [Bool]

    init(plan: ModifyPlan) {
        keys = plan.zones.map(\.key)
        byteCountChanges = plan.zones.map { _ in 0 }
        isTouched = plan.zones.map { _ in false }
    }

    mutating func note(_ byteCountChange: Int, at place: Int) {
        byteCountChanges[place] += byteCountChange
        isTouched[place] = true
    }
}

/// Throws `invalidArguments` if an item stands in a batch twice.
private func checkItems(of request: ModifyRecordsRequest, from caller: ServerCaller) throws {
    let recordIDs = request.recordsToSave.map(\.recordID) + request.recordsToDelete.map(\.recordID)
    var seen: Set<Record.ID> = []
    seen.reserveCapacity(recordIDs.count)
    for recordID in recordIDs where !seen.insert(caller.spelled(recordID)).inserted {
        throw SyncError(.invalidArguments, "\(recordID) stands in the request twice")
    }
}

extension ModifyRecordsRequest {
    fileprivate var itemCount: Int { recordsToSave.count + recordsToDelete.count }

    /// The bytes of the request and, if it has a key, the digest of it: one walk for both.
    fileprivate var size: (byteCount: Int, digest: [UInt8]) {
        var writer = BinaryWriter()
        writer.write(self)
        let digest = idempotencyKey == nil ? [] : SHA256.hash(writer.bytes)
        return (writer.bytes.count, digest)
    }
}

extension StoredRecord {
    /// What the history keeps of the change that made this row.
    fileprivate func entry(_ action: HistoryEntry.Action) -> HistoryEntry {
        HistoryEntry(
            recordName: recordName,
            sequence: position.sequence,
            stamp: stamp,
            key: origin,
            action: action
        )
    }
}
