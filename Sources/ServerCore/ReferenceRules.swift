import RecordModel

extension ModifyPlan {
    /// True if the request saves the record, whatever becomes of it.
    func saves(_ recordID: Record.ID) -> Bool { savePlaces[recordID] != nil }

    /// The records that the request saves with a `deleteSelf` link to one, and is not refused.
    func acceptedSources(of target: String, inZoneAt zonePlace: Int) -> [String] {
        saves.compactMap { save in
            guard save.zonePlace == zonePlace, case .success(let accepted) = save.verdict,
                accepted.deleteSelfTargets.contains(target)
            else { return nil }
            return accepted.record.recordID.recordName
        }
    }
}

extension Server {
    /// Throws `referenceViolation` unless a parent exists or is saved by the same request.
    ///
    /// The parent is looked at when a save sets it. A record whose parent was deleted later can be
    /// saved all the same, or an edit of it could never be sent again.
    func checkParent(of save: AcceptedSave, in zone: ZoneKey, plan: ModifyPlan) throws {
        guard let parentID = save.record.parent?.recordID,
            parentID != save.old?.record?.parent?.recordID,
            !plan.saves(parentID)
        else { return }
        guard try exists(parentID, in: zone) else { throw missingParent(of: save.record) }
    }

    /// Throws `limitExceeded` if too many records would link to the same one with `deleteSelf`.
    func checkDeleteSelfCount(of save: AcceptedSave, in zone: ZoneKey, plan: ModifyPlan) throws {
        let countMax = RequestLimits.deleteSelfReferenceCountMax
        let before = save.old?.deleteSelfTargets ?? []
        for target in save.deleteSelfTargets where !before.contains(target) {
            let stored = try storage.deleteSelfSources(of: target, in: zone, countMax: countMax)
            let added = plan.addedSourceCounts[Record.ID(target, in: save.record)] ?? 0
            guard stored.count + added < countMax else {
                throw SyncError(
                    .limitExceeded,
                    "more than \(countMax) records would be deleted with \(target)"
                )
            }
        }
    }

    /// Refuses the children of parents that the same request was to make and did not.
    ///
    /// They are told what they would be told without the parent in the request, and can be sent
    /// again with it.
    func refuseOrphans(in plan: inout ModifyPlan) throws {
        var isSettled = plan.saves.allSatisfy { $0.error == nil }
        while !isSettled {
            isSettled = true
            for place in plan.saves.indices where try isOrphan(at: place, in: plan) {
                plan.saves[place].verdict = .failure(missingParent(of: plan.saves[place].sent))
                isSettled = false
            }
        }
    }

    private func isOrphan(at place: Int, in plan: ModifyPlan) throws -> Bool {
        let save = plan.saves[place]
        guard case .success(let accepted) = save.verdict,
            let parentID = accepted.record.parent?.recordID,
            let parentPlace = plan.savePlaces[parentID],
            plan.saves[parentPlace].error != nil,
            let zone = plan.zones[save.zonePlace].key
        else { return false }
        return try !exists(parentID, in: zone)
    }

    /// The records that go with one: those that link to it with `deleteSelf`, and so on, the
    /// nearest first, without those that are doomed already.
    ///
    /// Throws `limitExceeded` if they are too many for one commit; delete some of them first.
    func cascade(
        from root: String,
        inZoneAt zonePlace: Int,
        zone: ZoneKey,
        plan: ModifyPlan
    ) throws -> [Doomed] {
        let countMax = RequestLimits.deleteSelfReferenceCountMax
        var doomed: [Doomed] = []
        var seen: Set<String> = [root]
        var targets = [root]
        var next = 0
        while next < targets.count {
            let target = targets[next]
            next += 1
            let sources = try sources(of: target, inZoneAt: zonePlace, zone: zone, plan: plan)
            for source in sources where seen.insert(source).inserted {
                // What links to one that is doomed already is doomed with it.
                if plan.isDoomed(source, inZoneAt: zonePlace) { continue }
                targets.append(source)
                doomed.append(Doomed(recordName: source, target: target))
            }
            guard doomed.count <= countMax else {
                throw SyncError(
                    .limitExceeded,
                    "more than \(countMax) records would be deleted with \(root)"
                )
            }
        }
        return doomed
    }

    /// Who links to a record with `deleteSelf`, once the request's saves are stored.
    private func sources(
        of target: String,
        inZoneAt zonePlace: Int,
        zone: ZoneKey,
        plan: ModifyPlan
    ) throws -> [String] {
        let countMax =
            RequestLimits.deleteSelfReferenceCountMax + RequestLimits.standard.batchCountMax
        let stored = try storage.deleteSelfSources(of: target, in: zone, countMax: countMax)
        let zoneID = plan.zones[zonePlace].zoneID
        let untouched = stored.filter { name in
            let place = plan.savePlaces[Record.ID(recordName: name, zoneID: zoneID)]
            return place.map { plan.saves[$0].error != nil } ?? true
        }
        return untouched + plan.acceptedSources(of: target, inZoneAt: zonePlace)
    }

    private func exists(_ recordID: Record.ID, in zone: ZoneKey) throws -> Bool {
        try storage.record(recordID.recordName, in: zone)?.isTombstone == false
    }
}

extension Record {
    /// The names that the record's `deleteSelf` links point to, each once, in the fields' order.
    var deleteSelfTargets: [String] {
        var targets: [String] = []
        for field in fields.entries {
            for reference in field.value?.references ?? [] where reference.action == .deleteSelf {
                let name = reference.recordID.recordName
                if !targets.contains(name) { targets.append(name) }
            }
        }
        return targets
    }
}

extension Record.ID {
    /// A record of the same zone as another.
    init(_ recordName: String, in record: Record) {
        self.init(recordName: recordName, zoneID: record.recordID.zoneID)
    }
}

private func missingParent(of record: Record) -> SyncError {
    let parent = record.parent.map { "\($0.recordID)" } ?? "its parent"
    return SyncError(.referenceViolation, "\(record.recordID) needs \(parent), which is missing")
}
