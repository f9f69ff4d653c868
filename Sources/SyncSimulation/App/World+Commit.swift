import RecordModel
import SyncCore

// How the app stores things: each commit is a point at which the process may die.

extension World {
    /// Writes parts in one transaction and tells the engine afterwards; false if it failed.
    @discardableResult
    mutating func commit(_ parts: [Part], on device: Int, delay: Duration = .zero) -> Bool {
        guard !parts.isEmpty else { return true }
        guard devices[device].character.storesEntries else { return commitRows(parts, on: device) }
        var entries: [JournalEntry] = []
        for part in parts { entries += prepare(part, on: device) }
        if devices[device].isStoreFailing {
            noteFault(.storeFails)
            for entry in entries { handle(.entryDiscarded(entry), on: device) }
            return false
        }
        for part in parts { part.write(&devices[device].disk) }
        for entry in entries { devices[device].disk.append(entry) }
        tell(device, .store, "stores \(parts.count) changes and \(entries.count) entries")
        devices[device].unapplied += entries.count
        for entry in entries {
            devices[device].unapplied -= 1
            handle(.entryApplied(entry, isStored: true), on: device)
        }
        return true
    }

    private mutating func commitRows(_ parts: [Part], on device: Int) -> Bool {
        if devices[device].isStoreFailing {
            noteFault(.storeFails)
            return false
        }
        for part in parts { part.write(&devices[device].disk) }
        for part in parts {
            if !part.zoneChanges.isEmpty {
                handle(.databaseChangesAdded(part.zoneChanges), on: device)
            }
            if !part.changes.isEmpty {
                handle(.recordZoneChangesAdded(part.changes), on: device)
            }
        }
        return true
    }

    private mutating func prepare(_ part: Part, on device: Int) -> [JournalEntry] {
        var entries: [JournalEntry] = []
        if !part.zoneChanges.isEmpty {
            entries.append(devices[device].core.prepare(.databaseChangesAdded(part.zoneChanges)))
        }
        if !part.changes.isEmpty {
            entries.append(devices[device].core.prepare(.recordChangesAdded(part.changes)))
        }
        return entries
    }

    /// Half of a transaction's parts, as an app without transactions leaves them behind.
    mutating func commitHalf(_ parts: [Part], on device: Int) {
        commit(Array(parts.prefix(parts.count / 2)), on: device)
    }

    /// Stores a state update as this app does; false if it failed.
    mutating func store(_ update: SyncEvent.StateUpdate, on device: Int) -> Bool {
        let snapshot = update.stateSerialization
        if devices[device].isStoreFailing {
            noteFault(.storeFails)
            return false
        }
        devices[device].stateUpdateCount += 1
        let count = devices[device].stateUpdateCount
        guard devices[device].character.storesEntries else {
            devices[device].disk.snapshot = snapshot
            devices[device].disk.isDamaged = false
            return true
        }
        devices[device].disk.note(snapshot)
        for entry in update.entries { devices[device].disk.append(entry) }
        let isDue = count % devices[device].character.compactsEvery == 0
        if update.isCompactingAdvised || isDue { devices[device].disk.compact(snapshot) }
        return true
    }
}

// The end of a process, and the beginning of the next.

extension World {
    /// The process dies; another one begins after a while.
    mutating func crash(_ device: Int, _ fault: Fault? = nil) {
        if let fault { noteFault(fault) }
        guard devices[device].isRunning else { return }
        tell(device, .launch, "the process dies\(fault.map { ": \($0.words)" } ?? "")")
        devices[device].isRunning = false
        devices[device].boot += 1
        devices[device].wakeGeneration += 1
        devices[device].wakeTime = nil
        devices[device].hand = .empty
        devices[device].open = []
        devices[device].calls = []
        devices[device].unapplied = 0
        devices[device].crashPoint = nil
        agenda.add(.launch(device: device), at: clock + random.time(upTo: 5000))
    }

    mutating func launch(_ device: Int) {
        guard !devices[device].isRunning else { return }
        counts.relaunches += 1
        var source = Disk.Source.newest
        let checkpointCount = devices[device].disk.checkpoints.count
        if checkpointCount > 0, random.isLucky(40), !isHealed {
            source = .checkpoint(random.roll(checkpointCount))
        }
        devices[device].isRunning = true
        devices[device].bootedAt = clock
        devices[device].stateUpdateCount = 0
        devices[device].core = makeCore(read(source, on: device), on: device)
        devices[device].disk.relaunched(from: source)
        checkers.relaunched(device)
        tell(device, .launch, "starts from \(source)")
        digest.fold(bytes: devices[device].core.serialization.bytes)
        scheduleFirstWake(of: device)
        findForgottenEdits(on: device)
    }

    private mutating func read(_ source: Disk.Source, on device: Int) -> StateSerialization? {
        do {
            return try devices[device].disk.read(source)
        } catch {
            noteFault(.stateDamaged)
            devices[device].disk.isDamaged = false
            devices[device].disk.snapshot = nil
            devices[device].disk.entries = []
            devices[device].disk.checkpoints = []
            return StateSerialization(afterDamage: error)
        }
    }

    private mutating func scheduleFirstWake(of device: Int) {
        devices[device].wakeTime = clock
        devices[device].wakeGeneration += 1
        agenda.add(.wake(device: device, generation: devices[device].wakeGeneration), at: clock)
    }

    func makeConfiguration(_ device: Int, writer: WriterID) -> EngineConfiguration {
        let character = devices[device].character
        #if PLANTED_BUGS
            var configuration: EngineConfiguration
        #else
            let configuration: EngineConfiguration
        #endif
        configuration = EngineConfiguration(
            databaseName: "memory/private",
            isAutomatic: character.isAutomatic,
            limits: RequestLimits(
                batchCountMax: character.batchCountMax,
                recordByteCountMax: 1_000_000
            ),
            writer: writer,
            seed: plan.seed ^ writer.high
        )
        #if PLANTED_BUGS
            if let bug = options.plantedBug { configuration.plantedBugs = [bug] }
        #endif
        return configuration
    }

    mutating func makeCore(_ stored: StateSerialization?, on device: Int) -> EngineCore {
        let writer = WriterID(high: nextWriter, low: 7)
        nextWriter += 1
        devices[device].writer = writer
        return EngineCore(
            state: stored?.restoredState() ?? EngineState(),
            replayedWriters: stored?.replayedWriters ?? [],
            configuration: makeConfiguration(device, writer: writer),
            now: now(on: device)
        )
    }

    /// What an app does when it starts: it looks for edits that the engine does not know of.
    ///
    /// An app that stores entries finds none, but for those of a damaged state.
    private mutating func findForgottenEdits(on device: Int) {
        let pending = Set(devices[device].core.pendingRecordZoneChanges)
        let forgotten = devices[device].disk.rows.pairs.filter { id, row in
            row.isToBeSent
                && !pending.contains(row.isDeleted ? .deleteRecord(id) : .saveRecord(id))
        }
        defer {
            if forgotten.contains(where: { $0.value.isUnlisted }) {
                handle(.untrackedChangesSet(true), on: device)
            }
        }
        let listed = forgotten.filter { !$0.value.isUnlisted }
        guard !listed.isEmpty else { return }
        let isKnown = devices[device].core.state.firstFetchReason == .stateDamaged
        if devices[device].character.storesEntries, !isKnown {
            report(
                .correctness,
                "forgotten edit",
                "\(devices[device].name) starts without \(listed[0].key) pending"
            )
        }
        let parts = listed.map { id, row in
            Part(changes: [row.isDeleted ? .deleteRecord(id) : .saveRecord(id)])
        }
        commit(parts, on: device)
    }
}
