import RecordModel
import ServerCore
import SyncCore

// The end of a history, and what must hold there.

extension World {
    /// Heals everything and lets all devices sync until nothing moves.
    mutating func settle() {
        recorder = nil
        callFault = nil
        heal()
        for _ in 0..<12 {
            clock += .seconds(1000)
            let writesBefore = writeCount
            for device in devices.indices { sync(device) }
            // The last cycle writes nothing and changes no state (I20).
            if writeCount == writesBefore, isQuiet { return }
        }
        let news = devices.map(\.eventNames)
        faults.append("it never becomes quiet: \(news)")
    }

    private mutating func sync(_ device: Int) {
        devices[device].eventNames = []
        arriveLate(from: device)
        if !devices[device].core.state.records.isEmpty {
            handle(.parkedChangesResumed, on: device)
        }
        perform(.send(device))
        perform(.fetch(device))
    }

    private mutating func heal() {
        server.refusals = [:]
        server.configuration.quotaByteCount = nil
        server.configuration.limits.batchCountMax = 250
        for device in devices.indices {
            devices[device].batchFaults = []
            devices[device].throwing = []
            devices[device].postponed = nil
            if devices[device].account == nil {
                devices[device].account = devices[device].disk.account ?? "ann"
                handle(.accountMayHaveChanged, on: device)
            }
        }
        run()
    }

    private var isQuiet: Bool {
        devices.allSatisfy { device in
            device.core.pendingRecordZoneChanges.isEmpty
                && device.core.pendingDatabaseChanges.isEmpty
                && device.core.state.openSends.isEmpty
                && device.eventNames.allSatisfy { $0.hasPrefix("will") || $0.hasPrefix("did") }
        }
    }

    /// The records of an account as the server has them.
    mutating func records(of account: String) -> [Record] {
        let caller = ServerCaller(account: account, deviceID: "console")
        var records: [Record] = []
        attempt { world throws(SyncError) in
            for zoneID in try world.server.zoneIDs(of: caller).sorted() {
                records += try world.server.records(in: zoneID, of: caller)
            }
        }
        return records.sorted { $0.recordID < $1.recordID }
    }

    /// What is wrong at the end; `forgiven` are edits that may be missing.
    mutating func findings(forgiving forgiven: Set<String> = []) -> [String] {
        var findings = faults
        for account in ["ann", "bob"] {
            let records = records(of: account)
            findings += doubledTags(in: records) + foreignTags(in: records, of: account)
            findings += doubledSaves(of: records, account)
            for device in devices where device.account == account {
                findings += lostTags(of: device, account, records, forgiven)
                findings += differences(of: device, records, forgiven)
            }
        }
        return findings
    }

    private func doubledTags(in records: [Record]) -> [String] {
        records.filter { Set($0.tags).count != $0.tags.count }.map { "twice in \($0): \($0.tags)" }
    }

    /// Nothing of one account is ever sent under another (I26).
    private func foreignTags(in records: [Record], of account: String) -> [String] {
        var owners: [String: String] = [:]
        for device in devices {
            for (tag, commit) in device.disk.committed { owners[tag] = commit.account ?? account }
        }
        return records.flatMap(\.tags).filter { owners[$0] != account }
            .map { "\(account) holds \($0), which is not theirs" }
    }

    /// A save in effect twice leaves two versions of the same content, one after the other.
    private mutating func doubledSaves(of records: [Record], _ account: String) -> [String] {
        let caller = ServerCaller(account: account, deviceID: "console")
        var findings: [String] = []
        for record in records {
            var last: Record?
            let history = (try? server.history(of: record.recordID, of: caller)) ?? []
            for entry in history {
                switch entry.action {
                case .saved(let saved):
                    if let last, last.tags == saved.tags, last.parent == saved.parent {
                        findings.append("\(record) was saved twice as \(saved.tags)")
                    }
                    last = saved
                case .deleted, .deletedWith: last = nil
                case .refused: continue
                }
            }
        }
        return findings
    }

    private func lostTags(
        of device: Device,
        _ account: String,
        _ records: [Record],
        _ forgiven: Set<String>
    ) -> [String] {
        let stored = Set(records.flatMap(\.tags))
        return device.disk.committed.keys.sorted().filter { tag in
            let owner = device.disk.committed[tag]?.account ?? account
            return owner == account && !stored.contains(tag) && device.disk.dropped[tag] == nil
                && !forgiven.contains(tag)
        }.map { "\(device.name) lost \($0.prefix(8))" }
    }

    private func differences(
        of device: Device,
        _ records: [Record],
        _ forgiven: Set<String>
    ) -> [String] {
        var findings: [String] = []
        var rows = device.disk.rows
        for record in records {
            let row = rows.removeValue(forKey: record.recordID)
            let tags = row?.tags.filter { !forgiven.contains($0) }
            if device.disk.believed.contains(record.recordID) { continue }
            if tags != record.tags || row?.fields?.recordChangeTag != record.recordChangeTag {
                findings.append(
                    "\(device.name) has \(row?.tags ?? ["nothing"]) where the server has "
                        + "\(record.recordID.recordName) \(record.tags)"
                )
            }
        }
        for (id, row) in rows where !row.tags.allSatisfy(forgiven.contains) {
            findings.append("\(device.name) has \(id) \(row.tags), the server nothing")
        }
        return findings
    }
}
