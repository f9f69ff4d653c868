import RecordModel
import SyncCore

/// What an app writes at once: a change of its rows, with the changes it asks the engine for.
struct Part {
    var changes: [PendingRecordZoneChange] = []
    var zoneChanges: [PendingDatabaseChange] = []
    var write: (inout Disk) -> Void = { _ in }
}

// How the app stores things: each commit is a point at which the process may die.

extension World {
    /// Writes parts, each in a transaction of its own, and tells the engine afterwards.
    mutating func commit(_ parts: [Part], on device: Int, _ label: String) {
        var writes: [Write] = []
        for part in parts {
            let entries = story.storesEntries ? prepare(part, on: device) : []
            writes.append(
                Write(entries: entries) { disk in
                    part.write(&disk)
                    for entry in entries { disk.append(entry) }
                    disk.window += part.changes.map(\.recordID)
                }
            )
        }
        persist(writes, on: device, label)
        for entry in writes.flatMap(\.entries) {
            handle(.entryApplied(entry, isStored: true), on: device)
        }
        guard !story.storesEntries else { return }
        for part in parts {
            if !part.zoneChanges.isEmpty {
                handle(.databaseChangesAdded(part.zoneChanges), on: device)
            }
            if !part.changes.isEmpty {
                handle(.recordZoneChangesAdded(part.changes), on: device)
            }
        }
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

    /// One write to the disk, and the entries in it.
    struct Write {
        var entries: [JournalEntry] = []
        var body: (inout Disk) -> Void
    }

    /// Stores writes one after the other.
    mutating func persist(_ writes: [Write], on device: Int, _ label: String) {
        if let recorder {
            recorder.add(self, device, label, .before)
            var torn = self
            let half = writes.count / 2
            for write in writes.prefix(half) { write.body(&torn.devices[device].disk) }
            if let cut = writes.dropFirst(half).first?.entries.first {
                torn.devices[device].disk.tornTail = Array(cut.bytes.prefix(cut.bytes.count / 2))
            }
            recorder.add(torn, device, label, .torn)
        }
        for write in writes { write.body(&devices[device].disk) }
        recorder?.add(self, device, label, .after)
    }

    /// Stores a state update as this app does.
    mutating func store(_ update: SyncEvent.StateUpdate, on device: Int) {
        let snapshot = update.stateSerialization
        devices[device].stateUpdateCount += 1
        let window = devices[device].windowInHand
        var writes = [
            Write { disk in
                disk.note(snapshot)
                disk.window.removeFirst(min(window, disk.window.count))
            }
        ]
        let isCompacting =
            update.isCompactingAdvised
            || devices[device].stateUpdateCount % story.compactsEvery == 0
        if !story.storesEntries {
            writes[0] = Write { disk in
                disk.snapshot = snapshot
                disk.window.removeFirst(min(window, disk.window.count))
            }
        } else if isCompacting {
            writes += update.entries.map { entry in
                Write(entries: [entry]) { $0.append(entry) }
            }
            writes.append(Write { $0.snapshot = snapshot })
            writes.append(Write { disk in disk.entries.removeAll { snapshot.covers($0) } })
        } else {
            writes += update.entries.map { entry in
                Write(entries: [entry]) { $0.append(entry) }
            }
        }
        persist(writes, on: device, "stateUpdate")
    }

    /// The process dies and another one begins, with what the disk holds.
    mutating func crash(_ device: Int, from source: Disk.Source, _ fate: Fate) {
        for request in devices[device].requests where request.isModifying {
            switch fate {
            case .dropped: continue
            case .arrived: _ = arrive(request, from: device)
            case .late: late.append((device, request))
            }
        }
        let configuration = makeConfiguration()
        devices[device].requests = []
        devices[device].answers = []
        devices[device].hand = .empty
        devices[device].bootedAt = clock
        devices[device].writer = configuration.writer
        devices[device].stateUpdateCount = 0
        do {
            let stored = try devices[device].disk.read(source)
            devices[device].disk.tornTail = []
            devices[device].core = EngineCore(
                state: stored?.restoredState() ?? EngineState(),
                replayedWriters: stored?.replayedWriters ?? [],
                configuration: configuration,
                now: now(on: device)
            )
            devices[device].disk.relaunched(from: source)
        } catch {
            faults.append("what was stored cannot be read: \(error)")
        }
        launch(device)
    }

    /// What an app does when it starts: it looks for edits that the engine does not know of.
    private mutating func launch(_ device: Int) {
        let pending = Set(devices[device].core.pendingRecordZoneChanges.map(\.recordID))
        let unknown = devices[device].disk.sortedRows.filter { id, row in
            (!row.unsent.isEmpty || row.isDeleted) && !pending.contains(id)
        }
        if unknown.contains(where: { $0.value.isUnlisted }) {
            handle(.untrackedChangesSet(true), on: device)
        }
        devices[device].named = []
        devices[device].disk.lost += devices[device].disk.window
        devices[device].disk.window = []
        for (id, row) in unknown where !row.isUnlisted { name(id, on: device) }
    }

    /// What becomes of a request that is under way when its process dies.
    enum Fate: Int {
        case dropped
        case arrived
        case late
    }
}

extension EngineEffect {
    var isModifying: Bool {
        switch self {
        case .modifyZones, .modifyRecords: true
        case .askAccount, .fetchDatabaseChanges, .fetchZoneChanges, .askOutcome, .asset,
            .cancelRequest,
            .deliver, .requestBatch, .requestFetchOptions, .endCall:
            false
        }
    }
}
