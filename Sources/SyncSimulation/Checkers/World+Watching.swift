import RecordModel
import ServerCore
import SyncCore

// What is looked at while a run goes on.

extension World {
    // MARK: The referee: effects that are impossible

    mutating func referee(_ effect: EngineEffect, on device: Int) {
        let subject = devices[device]
        switch effect {
        case .deliver, .requestBatch, .requestFetchOptions:
            if !subject.hand.isEmpty {
                report(.correctness, "referee", "\(subject.name) has two things in one hand")
            }
        case .asset, .cancelRequest: return
        case .endCall(let call, _):
            if !subject.calls.contains(call) {
                report(.correctness, "referee", "call \(call.number) ends twice or never began")
            }
        case .askAccount, .fetchDatabaseChanges, .fetchZoneChanges, .modifyZones, .modifyRecords,
            .askOutcome:
            refereeRequest(effect, on: device)
        }
    }

    private mutating func refereeRequest(_ effect: EngineEffect, on device: Int) {
        let subject = devices[device]
        if subject.open.contains(where: { $0.id == effect.requestID }) {
            report(.correctness, "referee", "a request's number comes twice")
        }
        if effect.isModifying, subject.open.contains(where: { $0.request.isModifying }) {
            report(.correctness, "referee", "\(subject.name) makes two sends at once")
        }
        if let account = effect.account {
            if case .signedIn(account) = subject.core.state.account {
            } else {
                report(.correctness, "account", "a request as \(account), who is not signed in")
            }
            if let rest = checkers.rests[device], clock < rest.until {
                report(
                    .correctness,
                    "retry after",
                    "\(subject.name) asks \(rest.until - clock) too early: \(effect)"
                )
            }
        }
        switch effect {
        case .fetchZoneChanges(_, let request, let account):
            let place = request.since.flatMap {
                server.place(of: $0, in: request.zoneID, of: console(account))
            }
            if checkers.tokens.isBackward(place, request.zoneID, on: device) {
                report(.correctness, "token order", "the token of \(request.zoneID) moved back")
            }
        case .modifyRecords(_, let request, let account):
            refereeBatch(request, account, on: device)
        case .modifyZones(_, let request, _):
            if request.zonesToSave.isEmpty, request.zoneIDsToDelete.isEmpty {
                report(.correctness, "referee", "an empty request")
            }
        case .askAccount, .fetchDatabaseChanges, .askOutcome, .asset, .cancelRequest, .deliver,
            .requestBatch, .requestFetchOptions, .endCall:
            return
        }
    }

    private mutating func refereeBatch(
        _ request: ModifyRecordsRequest,
        _ account: String,
        on device: Int
    ) {
        let subject = devices[device]
        let ids = request.recordsToSave.map(\.recordID) + request.recordsToDelete.map(\.recordID)
        if ids.isEmpty { report(.correctness, "referee", "an empty batch") }
        if ids.count > subject.character.batchCountMax {
            report(.correctness, "referee", "a batch of \(ids.count) is over its limit")
        }
        if Set(ids).count != ids.count {
            report(.correctness, "referee", "a batch names a record twice")
        }
        if let key = request.idempotencyKey, key.writer == subject.writer,
            !subject.disk.holdsMark(key)
        {
            report(.correctness, "save, then send", "a batch left before its mark was stored")
        }
        for tag in request.recordsToSave.flatMap(\.tags) {
            let owner = checkers.ownerOfTag[tag] ?? ""
            if owner != account, !owner.isEmpty {
                report(.correctness, "account", "\(tag) of \(owner) is sent as \(account)")
            }
        }
        for (number, id) in zip(
            request.recordsToSave.indices,
            request.recordsToSave.map(\.recordID)
        ) {
            guard let parent = request.recordsToSave[number].parent?.recordID else { continue }
            let later = request.recordsToSave[number...].dropFirst()
            if later.contains(where: { $0.recordID == parent }) {
                report(.correctness, "parent before child", "\(id) stands before its parent")
            }
        }
    }

    // MARK: What follows an input

    mutating func checkAfterInput(_ device: Int) {
        if checkers.spin.isSpinning(device) {
            report(.liveness, "spin", "\(devices[device].name) goes round without time passing")
        }
        guard devices[device].hand.isEmpty, devices[device].open.isEmpty,
            devices[device].unapplied == 0, devices[device].character.storesEntries
        else { return }
        checkPending(device)
    }

    /// What the app wants sent, the engine knows of (P7).
    private mutating func checkPending(_ device: Int) {
        guard devices[device].core.isIdle else { return }
        for (id, row) in devices[device].disk.rows.pairs where row.isToBeSent && !row.isUnlisted {
            guard devices[device].core.state.records.status(of: id) == nil,
                !devices[device].core.state.openSends.contains(where: { send in
                    send.changes.contains { $0.change.recordID == id }
                })
            else { continue }
            report(
                .correctness,
                "never just gone",
                "\(devices[device].name) wants \(id) sent, and its engine does not know"
            )
        }
    }

    /// A late answer changes nothing (P6).
    mutating func checkStale(_ answer: EngineInput, on device: Int) {
        let before = devices[device].core.serialization.bytes
        let effects = devices[device].core.handle(answer, at: now(on: device))
        // Time has passed too, so what was due may happen; but no request is answered.
        for effect in effects { take(effect, on: device) }
        if devices[device].core.serialization.bytes != before, effects.isEmpty {
            report(.correctness, "late answer", "\(devices[device].name) takes a late answer")
        }
    }

    /// How long the server asked to be left alone (I22).
    mutating func noteRest(_ answer: EngineInput, _ request: EngineEffect, on device: Int) {
        guard let error = answer.requestError, let seconds = error.retryAfterSeconds,
            seconds > 0, error.code == .requestRateLimited || error.code == .serviceUnavailable
        else { return }
        let length = min(Duration.seconds(seconds), EngineConfiguration.retryDelayMax)
        let until = clock + length
        if let rest = checkers.rests[device], rest.until >= until { return }
        checkers.rests[device] = .init(until: until)
    }
}

// What states, events and answers may hold.

extension World {
    /// No state holds a token before the app has what it stands behind (P4, I16).
    mutating func checkState(_ state: StateSerialization, on device: Int) {
        guard case .signedIn(let account) = state.state.account,
            devices[device].disk.account == account
        else { return }
        var tokens: [(zoneID: RecordZone.ID, token: ServerChangeToken)] = []
        for (zoneID, zone) in state.state.zones.pairs {
            guard let token = zone.token else { continue }
            tokens.append((zoneID, token))
            if checkers.stateTokens[device].contains(where: { $0.token == token }) { continue }
            guard let page = checkers.pages[token.bytes], page.account == account else { continue }
            for (id, changeTag) in page.records
            where !devices[device].disk.seenChangeTags.contains(changeTag) {
                report(
                    .correctness,
                    "news before bookmark",
                    "\(devices[device].name) holds a token past \(id), which it was not told of"
                )
            }
        }
        checkers.stateTokens[device] = tokens
    }

    /// Remembers what a page tells, by its token.
    mutating func notePage(
        _ request: ZoneChangesRequest,
        _ result: Result<ZoneChangesReply, SyncError>,
        _ account: String,
        on device: Int,
        boot: Int
    ) {
        guard case .success(let reply) = result else { return }
        let count = reply.modifications.count + reply.deletions.count
        if !reply.moreComing, count == server.configuration.pageCountMax { noteFault(.exactPages) }
        checkers.pages[reply.changeToken.bytes] = .init(
            account: account,
            records: reply.modifications.map {
                ($0.record.recordID, $0.record.recordChangeTag ?? "")
            }
        )
    }

    mutating func noteZones(
        _ request: ModifyZonesRequest,
        _ result: Result<ModifyZonesReply, SyncError>,
        _ account: String,
        on device: Int
    ) {
        guard case .success(let reply) = result else { return }
        let present = (try? server.zoneIDs(of: console(account))) ?? []
        for (zoneID, error) in zip(request.zoneIDsToDelete, reply.deleteErrors)
        where error == nil && !present.contains(zoneID) {
            checkers.ledger.end(zoneID, of: account)
        }
        notifyOthers(than: device, of: account)
    }

    mutating func noteBatch(
        _ request: ModifyRecordsRequest,
        _ result: Result<ModifyRecordsReply, SyncError>,
        _ account: String,
        movedHead: Bool,
        on device: Int
    ) {
        guard case .success(let reply) = result else { return }
        let fault = checkers.ledger.note(request, reply, of: account, movedHead: movedHead)
        if let fault { report(.correctness, fault.checker, fault.what) }
        for case .success(let record) in reply.saveResults {
            for tag in record.tags where checkers.ownerOfTag[tag] != nil {
                digest.fold(tag)
            }
            let foreign = record.tags.filter {
                checkers.ownerOfTag[$0] != account && checkers.ownerOfTag[$0] != ""
            }
            if !foreign.isEmpty {
                report(.correctness, "account", "\(account) holds \(foreign), which is not theirs")
            }
        }
        if movedHead { notifyOthers(than: device, of: account) }
    }

    /// A deletion has a cause on the server (I6).
    mutating func checkCauses(of event: SyncEvent, on device: Int) {
        switch event {
        case .fetchedRecordZoneChanges(let page):
            for deletion in page.deletions {
                checkDeletion(of: deletion.recordID, "a page", on: device)
            }
            for modification in page.modifications {
                checkLoss(by: modification, page.kind, device)
            }
            for tag in page.modifications.flatMap(\.record.tags)
            where checkers.ownerOfTag[tag] == nil {
                report(.correctness, "no invented data", "\(tag) was never written")
            }
        case .fetchedDatabaseChanges(let changes):
            for deletion in changes.deletions {
                let account = devices[device].disk.account ?? ""
                guard !checkers.ledger.hasEnded(deletion.zoneID, of: account) else { continue }
                report(
                    .correctness,
                    "deletions have a cause",
                    "\(devices[device].name) is told that \(deletion.zoneID) is gone"
                )
            }
        case .stateUpdate, .accountChange, .sentDatabaseChanges, .sentRecordZoneChanges,
            .willFetchChanges, .willFetchRecordZoneChanges, .didFetchRecordZoneChanges,
            .didFetchChanges, .willSendChanges, .didSendChanges, .abandonedChanges:
            return
        }
    }

    /// A version that lacks what an older one held comes after a deletion, or an older backup.
    private mutating func checkLoss(
        by modification: Database.RecordZoneChange.Modification,
        _ kind: SyncEvent.FetchKind,
        _ device: Int
    ) {
        let record = modification.record
        guard let row = devices[device].disk.rows[record.recordID],
            let account = devices[device].disk.account,
            counts.faults[Fault.serverRestored.rawValue] == 0,
            counts.faults[Fault.serverWiped.rawValue] == 0
        else { return }
        let lost = row.base.filter { !record.tags.contains($0) }
        let key = Ledger.Key(account: account, recordID: record.recordID)
        guard !lost.isEmpty, !checkers.ledger.deleted.contains(key) else { return }
        report(.correctness, "no lost save", "a page gives \(record.recordID) without \(lost)")
    }

    mutating func checkDeletion(of id: Record.ID, _ source: String, on device: Int) {
        let key = Ledger.Key(account: devices[device].disk.account ?? "", recordID: id)
        guard !checkers.ledger.deleted.contains(key) else { return }
        report(
            .correctness,
            "deletions have a cause",
            "\(devices[device].name) lets \(id) go because of \(source), and nobody deleted it"
        )
    }
}
