import RecordModel

extension Server {
    /// Reaches a verdict for each item of a batch, without writing anything.
    ///
    /// First the saves in their order, then what depends on their success: children of parents
    /// that failed, deletions, and in an atomic batch the siblings. A child fails with
    /// `referenceViolation` if its parent was to be made by the same batch and was not; in an
    /// atomic batch it is a sibling like any other, and the parent carries the true code.
    func plan(
        _ request: ModifyRecordsRequest,
        from caller: ServerCaller,
        usedByteCount: Int
    ) throws -> ModifyPlan {
        var plan = ModifyPlan(usedByteCount: usedByteCount)
        try enter(request.recordsToSave, from: caller, in: &plan)
        for place in plan.saves.indices {
            try judgeSave(at: place, policy: request.savePolicy, in: &plan)
        }
        if !request.isAtomicByZone { try refuseOrphans(in: &plan) }
        for deletion in request.recordsToDelete {
            try judge(deletion, from: caller, in: &plan)
        }
        #if PLANTED_BUGS
            if makes(.atomicityIgnored) { return plan }
        #endif
        if request.isAtomicByZone { plan.failSiblings() }
        return plan
    }

    /// Notes what is to be saved, so that a child may stand before its parent.
    private func enter(
        _ records: [Record],
        from caller: ServerCaller,
        in plan: inout ModifyPlan
    ) throws {
        plan.saves.reserveCapacity(records.count)
        plan.savePlaces.reserveCapacity(records.count)
        for record in records {
            let record = caller.spelled(record)
            let zonePlace = try plan.place(of: record.recordID.zoneID, in: caller.database) {
                try standing(of: record.recordID.zoneID, for: caller)
            }
            let verdict = plan.zones[zonePlace].standing.map { _ in
                AcceptedSave(record: record, old: nil, byteCount: 0, deleteSelfTargets: [])
            }
            plan.savePlaces[record.recordID] = plan.saves.count
            plan.saves.append(
                PlannedSave(sent: record, zonePlace: zonePlace, verdict: verdict)
            )
        }
    }

    private func standing(
        of zoneID: RecordZone.ID,
        for caller: ServerCaller
    ) throws -> Result<StoredZone, SyncError> {
        do {
            let zoneName = try caller.zoneName(of: zoneID)
            return .success(try zone(named: zoneName, in: caller.database))
        } catch let error as SyncError {
            return .failure(error)
        }
    }

    private func judgeSave(
        at place: Int,
        policy: RecordSavePolicy,
        in plan: inout ModifyPlan
    ) throws {
        let save = plan.saves[place]
        guard let zone = plan.zones[save.zonePlace].key else { return }
        do {
            let accepted = try accept(save.sent, policy: policy, in: zone, plan: plan)
            plan.usedByteCount += accepted.byteCount - (accepted.old?.byteCount ?? 0)
            let before = accepted.old?.deleteSelfTargets ?? []
            for target in accepted.deleteSelfTargets where !before.contains(target) {
                plan.addedSourceCounts[Record.ID(target, in: save.sent), default: 0] += 1
            }
            plan.saves[place].verdict = .success(accepted)
        } catch let error as SyncError {
            plan.saves[place].verdict = .failure(error)
        }
    }

    private func accept(
        _ save: Record,
        policy: RecordSavePolicy,
        in zone: ZoneKey,
        plan: ModifyPlan
    ) throws -> AcceptedSave {
        try checkRefusal(of: .record(save.recordID))
        try save.validate()
        let name = save.recordID.recordName
        let old = try storage.record(name, in: zone)
        let record: Record
        #if PLANTED_BUGS
            if let planted = plantedMerge(save, over: old?.record) {
                record = planted
            } else {
                record = try policy.merge(save, over: old?.record) {
                    try ancestor(of: name, changeTag: save.recordChangeTag, in: zone)
                }
            }
        #else
            record = try policy.merge(save, over: old?.record) {
                try ancestor(of: name, changeTag: save.recordChangeTag, in: zone)
            }
        #endif
        try checkAssets(of: record, old: old?.record, account: zone.database.account)
        let accepted = AcceptedSave(
            record: record.withoutFilePaths,
            old: old,
            byteCount: record.byteCount,
            deleteSelfTargets: record.deleteSelfTargets
        )
        #if PLANTED_BUGS
            if !makes(.parentUnchecked) { try checkParent(of: accepted, in: zone, plan: plan) }
        #else
            try checkParent(of: accepted, in: zone, plan: plan)
        #endif
        try checkDeleteSelfCount(of: accepted, in: zone, plan: plan)
        try checkSize(accepted.byteCount, of: save.recordID)
        let growth = accepted.byteCount - (old?.byteCount ?? 0)
        try checkQuota(plan.usedByteCount + growth, growth: growth, of: save.recordID)
        return accepted
    }

    private func judge(
        _ deletion: RecordDeletion,
        from caller: ServerCaller,
        in plan: inout ModifyPlan
    ) throws {
        let recordID = caller.spelled(deletion.recordID)
        let zonePlace = try plan.place(of: recordID.zoneID, in: caller.database) {
            try standing(of: recordID.zoneID, for: caller)
        }
        var planned = PlannedDeletion(
            recordID: recordID,
            zonePlace: zonePlace,
            verdict: plan.zones[zonePlace].standing.map { _ in [] }
        )
        if let zone = plan.zones[zonePlace].key {
            do {
                let doomed = try doomed(
                    by: RecordDeletion(
                        recordID: recordID,
                        expectedChangeTag: deletion.expectedChangeTag
                    ),
                    inZoneAt: zonePlace,
                    zone: zone,
                    plan: plan
                )
                for record in doomed { plan.doom(record.recordName, inZoneAt: zonePlace) }
                planned.verdict = .success(doomed)
            } catch let error as SyncError {
                planned.verdict = .failure(error)
            }
        }
        plan.deletions.append(planned)
    }

    /// The records that a deletion takes.
    ///
    /// It is unconditional unless it expects a change tag. A record that is not there counts as
    /// deleted, but is `unknownItem` to one who expects a version of it.
    private func doomed(
        by deletion: RecordDeletion,
        inZoneAt zonePlace: Int,
        zone: ZoneKey,
        plan: ModifyPlan
    ) throws -> [Doomed] {
        try checkRefusal(of: .record(deletion.recordID))
        try deletion.recordID.validate()
        let name = deletion.recordID.recordName
        guard let record = try storage.record(name, in: zone)?.record else {
            guard deletion.expectedChangeTag == nil else {
                throw SyncError(.unknownItem, "there is no record \(deletion.recordID)")
            }
            return []
        }
        if let expected = deletion.expectedChangeTag, expected != record.recordChangeTag {
            throw SyncError.serverRecordChanged(
                client: nil,
                server: record,
                ancestor: try ancestor(of: name, changeTag: expected, in: zone),
                "\(deletion.recordID) is not at the version to be deleted"
            )
        }
        if plan.isDoomed(name, inZoneAt: zonePlace) { return [] }
        let others = try cascade(from: name, inZoneAt: zonePlace, zone: zone, plan: plan)
        return [Doomed(recordName: name, target: nil)] + others
    }
}

#if PLANTED_BUGS
    extension Server {
        /// The record that a mistaken server makes of a save; nil if it makes no mistake.
        private func plantedMerge(_ save: Record, over server: Record?) -> Record? {
            if makes(.deletedRecordMade), server == nil, save.recordChangeTag != nil { return save }
            guard let server else { return nil }
            if makes(.anyVersionTaken) { return server.merging(changesOf: save) }
            if makes(.otherKeysDropped), save.recordChangeTag == server.recordChangeTag {
                return save
            }
            return nil
        }
    }
#endif
