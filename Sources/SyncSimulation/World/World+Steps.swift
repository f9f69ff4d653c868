import RecordModel
import ServerCore
import SyncCore

// The steps of a plan.

extension World {
    mutating func addDevice(_ number: Int) {
        var character = Device.Character()
        character.isAutomatic = random.isLucky(75)
        character.storesEntries = random.isLucky(70)
        character.isAtomic = random.isLucky(25)
        character.deletesConditionally = random.isLucky(75)
        character.compactsEvery = 1 + random.roll(12)
        character.batchCountMax = random.isLucky(50) ? 250 : 1 + random.roll(3)
        if options.faults.contains(.olderAppVersion), random.isLucky(20) {
            noteFault(.olderAppVersion)
            character.registerCount = 2
        }
        let writer = WriterID(high: nextWriter, low: 7)
        nextWriter += 1
        var device = Device(
            number: number,
            character: character,
            account: World.accounts[0],
            core: EngineCore(
                configuration: EngineConfiguration(databaseName: "", writer: writer),
                now: EngineInstant(monotonic: .zero, wall: serverWall)
            ),
            writer: writer,
            bootedAt: clock
        )
        device.isRunning = false
        devices.append(device)
        checkers.addDevice()
        devices[number].isRunning = true
        devices[number].core = makeCore(nil, on: number)
        devices[number].wakeTime = clock
        devices[number].wakeGeneration += 1
        agenda.add(.wake(device: number, generation: devices[number].wakeGeneration), at: clock)
        let zones = (0..<options.zoneCount).map(zoneID)
        guard number == 0 || random.isLucky(40) else { return }
        commit(
            [Part(zoneChanges: zones.map { .saveZone(RecordZone(zoneID: $0)) })],
            on: number
        )
    }

    mutating func take(step number: Int) {
        let step = plan.steps[number]
        if number + 1 < plan.steps.count {
            agenda.add(.step(number + 1), at: clock + plan.steps[number + 1].gap)
        }
        counts.steps += 1
        tell(nil, .step, "\(step.action)")
        var chance = SplitMix64(seed: step.salt)
        switch step.action {
        case .fault(let fault, let device): cause(fault, at: device, &chance)
        case .read: readPage(&chance)
        case .relaunch(let device): crash(device)
        case .edit(let device), .editMany(let device), .editLarge(let device),
            .editUnlisted(let device), .delete(let device), .takeBack(let device),
            .saveZone(let device), .deleteZone(let device), .send(let device), .fetch(let device),
            .flush(let device), .cancel(let device), .abandonCall(let device),
            .resume(let device), .resetTokens(let device):
            guard devices[device].isRunning else { return }
            use(device, step.action, &chance)
        }
    }

    private mutating func use(_ device: Int, _ action: Step.Action, _ chance: inout SplitMix64) {
        switch action {
        case .edit: edit(anyRecord(&chance), on: device, &chance)
        case .editMany:
            for _ in 0..<(2 + chance.roll(4)) { edit(anyRecord(&chance), on: device, &chance) }
        case .editLarge: edit(anyRecord(&chance), padding: 3000, on: device, &chance)
        case .editUnlisted: editUnlisted(anyRecord(&chance), on: device)
        case .delete: delete(on: device, &chance)
        case .takeBack: takeBack(on: device, &chance)
        case .saveZone:
            let zone = RecordZone(zoneID: zoneID(chance.roll(options.zoneCount)))
            commit([Part(zoneChanges: [.saveZone(zone)])], on: device)
        case .deleteZone: deleteZone(on: device, &chance)
        case .send: call(.send, on: device, &chance)
        case .fetch: call(.fetch, on: device, &chance)
        case .flush:
            let call = makeCall(on: device)
            handle(.flushCalled(call, within: .seconds(chance.roll(20))), on: device)
        case .cancel: handle(.operationsCancelled, on: device)
        case .abandonCall:
            guard let call = devices[device].calls.last else { return }
            handle(.callAbandoned(call), on: device)
        case .resume: handle(.parkedChangesResumed, on: device)
        case .resetTokens: handle(.tokensReset(.all), on: device)
        case .fault, .read, .relaunch: return
        }
    }

    enum Call { case send, fetch }

    mutating func call(_ call: Call, on device: Int, _ chance: inout SplitMix64) {
        let zoneIDs = [zoneID(chance.roll(options.zoneCount))]
        let scope = chance.roll(6)
        if !devices[device].calls.isEmpty { noteFault(.twoTriggers) }
        switch call {
        case .send:
            let scopes: [SendChangesOptions.Scope] = [
                .zoneIDs(zoneIDs), .allExcluding(zoneIDs), .recordIDs([anyRecord(&chance)]),
                .all, .all, .all,
            ]
            let call = makeCall(on: device)
            handle(.sendCalled(call, .init(scope: scopes[scope])), on: device)
        case .fetch:
            let scopes: [FetchChangesOptions.Scope] = [
                .zoneIDs(zoneIDs), .allExcluding(zoneIDs), .all, .all, .all, .all,
            ]
            let call = makeCall(on: device)
            handle(.fetchCalled(call, .init(scope: scopes[scope])), on: device)
        }
    }

    mutating func anyRecord(_ chance: inout SplitMix64) -> Record.ID {
        Record.ID(
            recordName: "n\(chance.roll(World.recordCount))",
            zoneID: zoneID(chance.roll(options.zoneCount))
        )
    }
}

// What the user does.

extension World {
    private mutating func makeTag(on device: Int) -> String {
        defer { nextTag += 1 }
        let tag = "\(devices[device].name)\(nextTag)"
        checkers.ownerOfTag[tag] = devices[device].disk.account ?? ""
        return tag
    }

    mutating func edit(
        _ id: Record.ID,
        padding: Int = 0,
        on device: Int,
        _ chance: inout SplitMix64
    ) {
        let tag = makeTag(on: device)
        let register =
            chance.isLucky(50) ? chance.roll(devices[device].character.registerCount) : nil
        let parent = chance.isLucky(15) ? anyParent(of: id, on: device, &chance) : nil
        if devices[device].disk.rows[id]?.isDeleted == true { noteFault(.recreation) }
        let part = Part(changes: [.saveRecord(id)]) { disk in
            disk.edit(id, tag, register: register, padding: padding)
            if let parent { disk.rows[id]?.parent = parent }
        }
        guard commit([part], on: device) else { return }
        counts.edits += 1
        tell(device, .store, "edits \(id) as \(tag)")
    }

    private func anyParent(
        of id: Record.ID,
        on device: Int,
        _ chance: inout SplitMix64
    ) -> Record.ID? {
        // Only a record of a smaller name is a parent, so that there are no circles.
        let candidates = devices[device].disk.rows.pairs.filter { other, row in
            other.zoneID == id.zoneID && other.recordName < id.recordName && !row.isDeleted
        }
        return candidates.isEmpty ? nil : chance.pick(candidates).key
    }

    private mutating func editUnlisted(_ id: Record.ID, on device: Int) {
        guard devices[device].disk.rows[id]?.isToBeSent != true else { return }
        let tag = makeTag(on: device)
        let part = Part { disk in
            disk.edit(id, tag, register: nil, padding: 0)
            disk.rows[id]?.isUnlisted = true
        }
        guard commit([part], on: device) else { return }
        counts.edits += 1
        handle(.untrackedChangesSet(true), on: device)
    }

    private mutating func delete(on device: Int, _ chance: inout SplitMix64) {
        let rows = devices[device].disk.rows.pairs.filter { !$0.value.isDeleted }
        guard !rows.isEmpty else { return }
        let id = chance.pick(rows).key
        let part = Part(changes: [.deleteRecord(id)]) { disk in
            guard let row = disk.rows[id] else { return }
            disk.drop(row.tags, "deleted by the app")
            disk.rows[id]?.isDeleted = true
            disk.rows[id]?.isUnlisted = false
        }
        guard commit([part], on: device) else { return }
        counts.edits += 1
        tell(device, .store, "deletes \(id)")
    }

    /// The user takes an edit back before it is sent.
    private mutating func takeBack(on device: Int, _ chance: inout SplitMix64) {
        let rows = devices[device].disk.rows.pairs.filter {
            $0.value.isDirty && !$0.value.isDeleted
        }
        guard !rows.isEmpty else { return }
        let id = chance.pick(rows).key
        let part = Part { disk in
            guard let row = disk.rows[id] else { return }
            disk.drop(row.unsent, "taken back by the app")
            disk.rows[id]?.giveUp()
            if row.fields == nil { disk.removeRow(id, "taken back by the app") }
        }
        guard commit([part], on: device) else { return }
        handle(.recordZoneChangesRemoved([.saveRecord(id)]), on: device)
    }

    private mutating func deleteZone(on device: Int, _ chance: inout SplitMix64) {
        let zoneID = zoneID(chance.roll(options.zoneCount))
        let part = Part(zoneChanges: [.deleteZone(zoneID)]) {
            $0.removeRows(in: zoneID, "the app deleted its zone")
        }
        guard commit([part], on: device) else { return }
        noteFault(.zoneDeletedElsewhere)
        guard chance.isLucky(70) else { return }
        // Somebody wants it back soon.
        let zone = RecordZone(zoneID: zoneID)
        commit([Part(zoneChanges: [.saveZone(zone)])], on: chance.roll(devices.count))
    }
}

extension Disk {
    fileprivate mutating func edit(
        _ id: Record.ID,
        _ tag: String,
        register: Int?,
        padding: Int
    ) {
        var row = rows[id] ?? Row()
        row.unsent.append(tag)
        row.isDeleted = false
        row.isUnlisted = false
        row.padding = padding
        if let register {
            row.registers[register].value = tag
            row.registers[register].isDirty = true
        }
        rows[id] = row
        committed.append(.init(tag: tag, recordID: id, account: account))
    }
}
