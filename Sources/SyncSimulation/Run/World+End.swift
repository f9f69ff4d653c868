import RecordModel
import ServerCore
import SyncCore

// The end of a run: everything heals, and progress is demanded; then all must be in order.

extension World {
    /// Runs the plan to its end, with faults: what is checked here is safety alone.
    mutating func runPlan() {
        let last = plan.steps.reduce(Duration.seconds(1)) { $0 + $1.gap }
        while advance(until: last) {}
        clock = max(clock, last)
    }

    /// Heals everything, and demands that all devices get on with their work.
    mutating func finish() {
        guard checkers.verdict == nil else { return }
        heal()
        let hours: [Int64] = [1, 1, 2, 24, 1, 24, 1, 1, 1, 1, 1, 1]
        for (round, length) in hours.enumerated() {
            let writes = ServerHeads(self)
            for device in devices.indices { sync(device, round: round) }
            run(for: .seconds(3600 * length))
            guard checkers.verdict == nil else { return }
            if round == 0 { checkWaiting() }
            if isQuiet, round > 0, writes == ServerHeads(self) { return checkEnd() }
        }
        report(.liveness, "progress", "work is left: \(leftovers())")
    }

    /// Lets things happen for a while.
    private mutating func run(for length: Duration) {
        let end = clock + length
        var count = 0
        while advance(until: end) {
            count += 1
            guard count < 60_000 else {
                return report(.liveness, "progress", "it goes on for ever: \(leftovers())")
            }
        }
        if checkers.verdict == nil { clock = max(clock, end) }
    }

    private mutating func heal() {
        tell(nil, .fault, "everything heals")
        isHealed = true
        isServerUp = true
        server.refusals = [:]
        server.configuration.quotaByteCount = nil
        server.configuration.limits = .standard
        for account in World.accounts {
            attempt { world throws(SyncError) in
                try world.server.setStanding(.available, of: account)
            }
        }
        for device in devices.indices {
            devices[device].weather = Weather()
            devices[device].crashPoint = nil
            devices[device].isStoreFailing = false
            devices[device].throwCount = 0
            devices[device].handlerDelay = 3
            devices[device].postponed = nil
            devices[device].failures = []
            devices[device].isNextAnswerHostile = false
            if devices[device].account == nil {
                devices[device].account = devices[device].disk.account ?? World.accounts[0]
            }
            if !devices[device].isRunning { launch(device) }
        }
    }

    private mutating func sync(_ device: Int, round: Int) {
        if round == 0 { handle(.accountMayHaveChanged, on: device) }
        handle(.notificationReceived, on: device)
        handle(.parkedChangesResumed, on: device)
        guard !devices[device].character.isAutomatic || round > 2 else { return }
        let send = makeCall(on: device)
        handle(.sendCalled(send, .init()), on: device)
        let fetch = makeCall(on: device)
        handle(.fetchCalled(fetch, .init()), on: device)
    }

    /// An automatic engine with work has an instant at which it goes on by itself (I23).
    private mutating func checkWaiting() {
        for device in devices where device.character.isAutomatic {
            let core = device.core
            guard core.hasOpenWork, device.open.isEmpty, device.hand.isEmpty else { continue }
            // No wish to be left alone lasts for longer than a day.
            let limit = clock - device.bootedAt + .seconds(2 * 86_400)
            if let due = core.nextDeadlineOfWork, due.monotonic < limit { continue }
            report(
                .liveness,
                "an instant to go on",
                "\(device.name) has work, and waits for nothing: \(leftovers())"
            )
        }
    }

    private var isQuiet: Bool {
        devices.allSatisfy { device in
            device.hand.isEmpty && device.open.isEmpty && !device.core.hasWork
        }
    }

    private func leftovers() -> String {
        devices.map { device in
            "\(device.name) has \(device.core.pendingRecordZoneChanges.count) changes of records, "
                + "\(device.core.pendingDatabaseChanges.count) of zones, "
                + "\(device.core.state.openSends.count) open sends"
        }.joined(separator: "; ")
    }
}

/// How far the server's logs have come.
private struct ServerHeads: Equatable {
    var heads: [UInt64] = []

    init(_ world: World) {
        var world = world
        for account in World.accounts { heads.append(world.head(of: account)) }
    }
}

// What must hold when everything is quiet.

extension World {
    mutating func checkEnd() {
        checkReader()
        for account in World.accounts {
            let records = records(of: account)
            let stored = Set(records.flatMap(\.tags))
            for record in records {
                digest.fold(record.recordID.recordName)
                for tag in record.tags { digest.fold(tag) }
            }
            for device in devices {
                checkEdits(of: device, account, stored)
                guard device.account == account else { continue }
                checkRows(of: device, account, records)
            }
        }
        for device in devices { checkSize(of: device) }
        for device in devices.indices { checkEcho(device) }
    }

    /// Every edit is on the server, or was given up by somebody who knew (I2, I3).
    private mutating func checkEdits(
        of device: Device,
        _ account: String,
        _ stored: Set<String>
    ) {
        // What waits for an account that has left waits still.
        guard device.disk.account == account else { return }
        for edit in device.disk.committed
        where (edit.account ?? account) == account && !stored.contains(edit.tag) {
            guard device.disk.dropped[edit.tag] == nil,
                device.disk.rows[edit.recordID]?.isUnconfirmedEcho != true
            else { continue }
            let isElsewhere = devices.contains { $0.disk.dropped[edit.tag] != nil }
            guard !isElsewhere else { continue }
            report(
                .correctness,
                "no lost edit",
                "\(device.name) lost \(edit.tag) of \(edit.recordID)"
            )
        }
    }

    /// Every device has what the server has (I1).
    private mutating func checkRows(of device: Device, _ account: String, _ records: [Record]) {
        guard device.disk.account == account || device.disk.account == nil else {
            return report(.liveness, "account", "\(device.name) never heard of its account")
        }
        var rows = device.disk.rows
        for record in records {
            let row = rows[record.recordID]
            rows[record.recordID] = nil
            if row?.tags != record.tags || row?.fields?.recordChangeTag != record.recordChangeTag {
                return report(
                    .correctness,
                    "convergence",
                    "\(device.name) has \(row?.tags ?? ["nothing"]) where the server has "
                        + "\(record.recordID) \(record.tags)"
                )
            }
            for number in 0..<device.character.registerCount {
                let theirs: String? = record[Row.registerNames[number]]
                guard row?.registers[number].value != theirs else { continue }
                return report(
                    .correctness,
                    "convergence",
                    "\(device.name) has another \(Row.registerNames[number]) of \(record.recordID)"
                )
            }
        }
        let strays = rows.pairs.first { id, row in
            !row.isUnconfirmedEcho || !checkers.ledger.hasGone(id, of: account)
        }
        if let (id, row) = strays {
            report(
                .correctness,
                "convergence",
                "\(device.name) has \(id) \(row.tags), the server nothing"
            )
        }
    }

    /// A quiet engine's state is small (I30).
    private mutating func checkSize(of device: Device) {
        let byteCount = device.core.serialization.bytes.count
        let zoneCount = device.core.state.zones.count
        let saveCount = device.core.state.recentSaves.saves.count
        let limit = 400 + 300 * zoneCount + 120 * saveCount + 60 * device.core.state.writers.count
        guard byteCount > limit || device.core.state.writers.count > 9 else { return }
        report(
            .correctness,
            "bounded state",
            "\(device.name)'s quiet state has \(byteCount) bytes and "
                + "\(device.core.state.writers.count) writers"
        )
    }

    /// Once more through everything: nothing is written, nothing is told (I20).
    private mutating func checkEcho(_ device: Int) {
        guard checkers.verdict == nil else { return }
        let heads = ServerHeads(self)
        let bytes = devices[device].core.serialization.bytes
        let fetch = makeCall(on: device)
        handle(.fetchCalled(fetch, .init()), on: device)
        let send = makeCall(on: device)
        handle(.sendCalled(send, .init()), on: device)
        run(for: .seconds(60))
        if heads != ServerHeads(self) {
            report(.correctness, "no echo", "\(devices[device].name) writes although all is quiet")
        }
        if devices[device].core.serialization.bytes != bytes {
            report(
                .correctness,
                "no echo",
                "\(devices[device].name)'s state changes in a quiet cycle"
            )
        }
    }
}
