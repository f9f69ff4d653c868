import RecordModel
import ServerCore
import SyncCore

// The steps of a story.

extension World {
    /// Lets the rest of the story happen.
    mutating func runStory() {
        while nextStep < story.steps.count {
            perform(story.steps[nextStep])
            nextStep += 1
        }
    }

    /// After a crash: the step under way is done again if its commit was not made.
    mutating func goOn(after device: Int) {
        if nextStep < story.steps.count {
            let isOwn = story.steps[nextStep].committingDevice == device
            if !isOwn || devices[device].disk.doneSteps > nextStep { nextStep += 1 }
        }
        runStory()
    }

    /// Ends the step that was interrupted by nothing but being copied.
    mutating func finishStep() {
        guard nextStep < story.steps.count else { return }
        if case .runUntil = story.steps[nextStep] {
            perform(story.steps[nextStep])
        } else {
            run()
        }
        nextStep += 1
    }

    mutating func perform(_ step: Step) {
        switch step {
        case .edit(let device, let names): edit(names, on: device)
        case .editUnder(let device, let name, let parent): edit([name], under: parent, on: device)
        case .editLarge(let device, let name): edit([name], padding: 3000, on: device)
        case .editUnlisted(let device, let name): editUnlisted(name, on: device)
        case .delete(let device, let names): delete(names, on: device)
        case .removePending(let device, let name): removePending(name, on: device)
        case .saveZone(let device, let name):
            let zone = RecordZone(zoneName: name)
            commitStep([Part(zoneChanges: [.saveZone(zone)])], on: device, "saveZone")
        case .deleteZone(let device, let name): deleteZone(name, on: device)
        case .resume(let device): handle(.parkedChangesResumed, on: device)
        case .send(let device):
            handle(.sendCalled(makeCall(on: device), .init()), on: device)
            run()
        case .fetch(let device):
            handle(.fetchCalled(makeCall(on: device), .init()), on: device)
            run()
        case .startSend(let device):
            handle(.sendCalled(makeCall(on: device), .init()), on: device)
        case .startFetch(let device):
            handle(.fetchCalled(makeCall(on: device), .init()), on: device)
        case .runUntil(let device, let milestone): run(device, until: milestone)
        case .run: run()
        case .cancel(let device): handle(.operationsCancelled, on: device)
        case .notify(let device): handle(.notificationReceived, on: device)
        case .wait(let seconds): clock += .seconds(seconds)
        case .relaunch(let device): crash(device, from: .newest, .dropped)
        case .signIn, .signOut, .purgeZone, .resetZone, .expireTokens, .expireAllTokens, .refuse,
            .allowAll, .quota, .batchCountMax, .failNext, .loseAnswer, .loseRequest, .delay,
            .throwAt, .alwaysLater:
            change(step)
        }
    }

    private mutating func change(_ step: Step) {
        let owner = ServerCaller(account: "ann", deviceID: "console")
        switch step {
        case .signIn(let device, let account): sign(account, on: device)
        case .signOut(let device): sign(nil, on: device)
        case .purgeZone(let name):
            perhaps { world throws(SyncError) in
                try world.server.purgeZone(.init(zoneName: name), of: owner, at: world.wall)
            }
        case .resetZone(let name):
            perhaps { world throws(SyncError) in
                try world.server.resetEncryptedData(
                    in: .init(zoneName: name),
                    of: owner,
                    at: world.wall
                )
            }
        case .expireTokens(let name):
            perhaps { world throws(SyncError) in
                try world.server.expireTokens(
                    of: .init(zoneName: name),
                    of: owner,
                    at: world.wall
                )
            }
        case .expireAllTokens:
            perhaps { world throws(SyncError) in
                try world.server.expireAllTokens(of: owner, at: world.wall)
            }
        case .refuse(let name, let code):
            server.refusals[.record(recordID(name))] = SyncError(code)
        case .allowAll: server.refusals = [:]
        case .quota(let byteCount): server.configuration.quotaByteCount = byteCount
        case .batchCountMax(let count): server.configuration.limits.batchCountMax = count
        case .failNext(let device, let code, let retryAfter):
            devices[device].batchFaults.append(.failure(code, retryAfter: retryAfter))
        case .loseAnswer(let device): devices[device].batchFaults.append(.answerLost)
        case .loseRequest(let device): devices[device].batchFaults.append(.requestLost)
        case .delay(let device): devices[device].batchFaults.append(.late)
        case .throwAt(let device, let event, let times):
            devices[device].throwing.append((event, times))
        case .alwaysLater(let device, let name):
            devices[device].postponed = name.map(recordID)
        case _: return
        }
    }

    /// Does what the server may refuse, since after a crash its zone may never have been made.
    private mutating func perhaps(_ body: (inout World) throws(SyncError) -> Void) {
        do {
            try body(&self)
        } catch {
            return
        }
    }

    private mutating func sign(_ account: String?, on device: Int) {
        devices[device].account = account
        handle(.accountMayHaveChanged, on: device)
    }

    private mutating func run(_ device: Int, until milestone: Step.Milestone) {
        for _ in 0..<2000 {
            if isAt(milestone, device) { return }
            if !move() { return }
        }
    }

    private func isAt(_ milestone: Step.Milestone, _ device: Int) -> Bool {
        switch (milestone, devices[device].hand) {
        case (.asked, .batch): return true
        case (.handling(let name), .event(_, let event)): return event.name.hasPrefix(name)
        case (.sent, _):
            return devices[device].requests.contains {
                if case .modifyRecords = $0 { true } else { false }
            }
        case (.arrived, _):
            return devices[device].answers.contains {
                if case .recordsModified = $0 { true } else { false }
            }
        case (.asked, _), (.handling, _): return false
        }
    }
}

// What the user does.

extension World {
    private mutating func commitStep(_ parts: [Part], on device: Int, _ label: String) {
        let step = nextStep
        var parts = parts
        let first = parts[0].write
        parts[0].write = { disk in
            first(&disk)
            disk.doneSteps = step + 1
        }
        commit(parts, on: device, label)
    }

    private mutating func edit(
        _ names: [String],
        under parent: String? = nil,
        padding: Int = 0,
        on device: Int
    ) {
        let name = devices[device].name
        let ids = names.map(recordID)
        let part = Part(changes: ids.map { .saveRecord($0) }) { disk in
            for id in ids {
                disk.addTag(name, to: id, padding: padding)
                if let parent { disk.rows[id]?.parent = recordID(parent) }
            }
        }
        commitStep([part], on: device, "edit")
    }

    private mutating func editUnlisted(_ name: String, on device: Int) {
        let (id, owner) = (recordID(name), devices[device].name)
        let part = Part { disk in
            disk.addTag(owner, to: id, padding: 0)
            disk.rows[id]?.isUnlisted = true
        }
        commitStep([part], on: device, "editUnlisted")
        handle(.untrackedChangesSet(true), on: device)
    }

    private mutating func delete(_ names: [String], on device: Int) {
        let ids = names.map(recordID)
        let part = Part(changes: ids.map { .deleteRecord($0) }) { disk in
            for id in ids {
                var row = disk.rows[id] ?? Row()
                disk.drop(row.tags, "deleted by the app")
                row.isDeleted = true
                disk.rows[id] = row
            }
        }
        commitStep([part], on: device, "delete")
    }

    /// The user takes an edit back before it is sent.
    private mutating func removePending(_ name: String, on device: Int) {
        let id = recordID(name)
        let part = Part { disk in
            guard let row = disk.rows[id] else { return }
            disk.drop(row.unsent, "taken back by the app")
            disk.rows[id]?.unsent = []
            if row.fields == nil { disk.removeRow(id, "taken back by the app") }
        }
        commitStep([part], on: device, "removePending")
        handle(.recordZoneChangesRemoved([.saveRecord(id)]), on: device)
    }

    private mutating func deleteZone(_ name: String, on device: Int) {
        let zoneID = RecordZone.ID(zoneName: name)
        let part = Part(zoneChanges: [.deleteZone(zoneID)]) {
            $0.removeRows(in: zoneID, "the app deleted its zone")
        }
        commitStep([part], on: device, "deleteZone")
    }
}

extension Disk {
    fileprivate mutating func addTag(_ device: String, to id: Record.ID, padding: Int) {
        tagCount += 1
        let tag = "\(device)\(tagCount)" + String(repeating: ".", count: padding)
        var row = rows[id] ?? Row()
        row.unsent.append(tag)
        row.isDeleted = false
        rows[id] = row
        committed[tag] = (id, account)
    }
}
