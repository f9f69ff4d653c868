import RecordModel
import SyncCore

/// A device on which everything happens at random, in an order that a seed decides.
///
/// The app merges what conflicts and queues again what failed; so in the end, when nothing fails
/// any more, app and server must hold the same.
struct RandomRun {
    var device: CoreFixture
    private var random: SplitMix64
    private var calls: [CallID] = []
    /// Inputs that belong to something that is over.
    private var staleInputs: [EngineInput] = []
    private var withdrawn: [Record.ID] = []
    /// How often the app wanted something of each record: now, as the newest state left the core,
    /// and as the state left that is stored.
    private var wishes: [Record.ID: Int] = [:]
    private var wishesOfState: [Record.ID: Int] = [:]
    private var wishesOfStored: [Record.ID: Int] = [:]

    private static let names =
        (0..<8).map { note("n\($0)") } + (0..<3).map { note("t\($0)", in: tasks) }

    init(seed: UInt64, isAutomatic: Bool) {
        random = SplitMix64(seed: seed)
        device = CoreFixture(
            isAutomatic: isAutomatic,
            limits: RequestLimits(batchCountMax: 4),
            seed: seed
        )
    }

    mutating func step() {
        let (lineCount, storedCount) = (device.transcript.count, device.stored.count)
        act()
        if device.stored.count > storedCount { wishesOfStored = wishesOfState }
        if device.transcript.dropFirst(lineCount).contains(where: { $0.contains("stateUpdate") }) {
            wishesOfState = wishes
        }
        repeatStaleInput()
        device.checkCounts()
    }

    private mutating func act() {
        switch roll(100) {
        case 0..<18: edit()
        case 18..<22: delete()
        case 22..<24: remove()
        case 24..<31: calls.append(device.callSend(anyScope()))
        case 31..<34: calls.append(device.callFetch())
        case 34..<35: calls.append(device.callFlush(.seconds(Int64(roll(5)))))
        case 35..<70: answerAsDelegate()
        case 70..<90: answerAsServer()
        case 90..<91: device.handle(.operationsCancelled)
        case 91..<92: abandonCall()
        case 92..<94: device.handle(.parkedChangesResumed)
        case 94..<95: device.handle(.untrackedChangesSet(roll(2) == 0))
        case 95..<96: changeElsewhere()
        case 96..<97: device.handle(.accountMayHaveChanged)
        // Told of the time, so that a stale input finds nothing due.
        case 97..<98: device.pass(.seconds(Int64(roll(5))))
        case 98..<99: device.wake()
        case _: relaunch()
        }
    }

    private mutating func roll(_ sides: Int) -> Int { Int.random(in: 0..<sides, using: &random) }

    private mutating func anyRecord() -> Record.ID { Self.names[roll(Self.names.count)] }

    private mutating func anyScope() -> SendChangesOptions.Scope {
        switch roll(6) {
        case 0: .zoneIDs([notes])
        case 1: .allExcluding([tasks])
        case 2: .recordIDs([anyRecord(), anyRecord()])
        case _: .all
        }
    }

    // MARK: The app

    private mutating func edit() {
        let id = anyRecord()
        let parent = anyRecord()
        withdrawn.removeAll { $0 == id }
        wishes[id, default: 0] += 1
        if roll(4) == 0, parent != id, parent.zoneID == id.zoneID, device.records[parent] != nil {
            device.edit(id, under: parent)
        } else {
            device.edit(id)
        }
    }

    private mutating func delete() {
        let id = anyRecord()
        wishes[id, default: 0] += 1
        device.delete(id)
    }

    private mutating func remove() {
        guard let change = device.pending.first else { return }
        withdrawn.append(change.recordID)
        device.handle(.recordZoneChangesRemoved([change]))
    }

    private mutating func abandonCall() {
        guard let call = calls.last else { return }
        device.handle(.callAbandoned(call))
    }

    private mutating func answerAsDelegate() {
        let throwing = roll(12) == 0
        switch device.hand {
        case .empty: return
        case .event(let id, let event):
            if !throwing { Self.mend(&device, event) }
            device.handleEvent(throwing: throwing)
            staleInputs.append(.eventHandled(id, didThrow: roll(2) == 0))
        case .batch(let id, _):
            if roll(12) == 0 { device.answers[anyRecord()] = .later }
            if throwing {
                device.throwInQuestion()
            } else {
                device.isAtomic = roll(4) == 0
                device.provideBatch()
            }
            device.answers = [:]
            staleInputs.append(.batchProvided(id, nil))
        case .fetchOptions(let id, let context):
            device.hand = .empty
            device.handle(.fetchOptionsProvided(id, context.options))
            staleInputs.append(.fetchOptionsProvided(id, context.options))
        }
    }

    /// Merges what conflicts, and queues again what was handed back.
    static func mend(_ device: inout CoreFixture, _ event: SyncEvent) {
        guard case .sentRecordZoneChanges(let sent) = event else { return }
        for failure in sent.failedRecordSaves where !failure.error.isKept {
            let id = failure.record.recordID
            guard var record = device.records[id] else { continue }
            if let server = failure.error.serverRecord {
                record = device.rebased(record, on: server)
            } else {
                let version: Int? = record["version"]
                let parent = record.parent?.recordID
                if failure.error.code == .unknownItem {
                    record = Record(recordType: "Note", recordID: id)
                    record["version"] = version
                    record.setParent(parent)
                }
                if failure.error.code == .referenceViolation { record.setParent(nil as Record.ID?) }
            }
            device.records[id] = record
            device.handle(.recordZoneChangesAdded([.saveRecord(id)]))
        }
        for (id, error) in sent.failedRecordDeletes.sorted(by: { $0.key < $1.key })
        where !error.isKept && error.code != .unknownItem && device.records[id] == nil {
            device.handle(.recordZoneChangesAdded([.deleteRecord(id)]))
        }
    }

    // MARK: The server

    private mutating func answerAsServer() {
        guard !device.requests.isEmpty else { return }
        let request = device.requests.remove(at: roll(device.requests.count))
        let codes: [SyncError.Code] = [
            .zoneBusy, .networkUnavailable, .networkFailure, .limitExceeded, .quotaExceeded,
            .internalError, .serviceUnavailable, .notAuthenticated,
        ]
        device.server.requestErrors = roll(5) == 0 ? [SyncError(codes[roll(codes.count)])] : []
        device.server.recordErrors = [:]
        if roll(5) == 0 {
            device.server.recordErrors[anyRecord()] = SyncError(codes[roll(codes.count)])
        }
        device.server.lostAnswerCount = roll(8) == 0 ? 1 : 0
        device.server.outcomeErrors = roll(8) == 0 ? [SyncError(.networkFailure)] : []
        let input = device.server.answer(request)
        device.handle(input)
        staleInputs.append(input)
        heal()
    }

    private mutating func heal() {
        device.server.requestErrors = []
        device.server.recordErrors = [:]
        device.server.lostAnswerCount = 0
        device.server.outcomeErrors = []
    }

    private mutating func changeElsewhere() {
        guard var record = device.server.records[anyRecord()] else { return }
        record["version"] = 1000 + roll(1000)
        device.server.saveElsewhere(record)
    }

    // MARK: Faults of time

    /// What belongs to something that is over changes nothing (P6).
    private mutating func repeatStaleInput() {
        guard !staleInputs.isEmpty else { return }
        let before = device.core.serialization.bytes
        let effects = device.handle(staleInputs[roll(staleInputs.count)])
        if !effects.isEmpty || device.core.serialization.bytes != before {
            device.faults.append("a stale input moved the core: \(effects)")
        }
    }

    /// The process dies; the app's store is newer than the state, so it queues what differs.
    private mutating func relaunch() {
        guard let stored = device.stored.last else { return }
        let (records, transcript, faults) = (device.records, device.transcript, device.faults)
        device = device.relaunched(
            from: (stored.state, records),
            isAutomatic: device.configuration.isAutomatic
        )
        device.stored = [stored]
        device.transcript = transcript + ["relaunch"]
        device.faults = faults
        staleInputs = []
        calls = []
        // A record made and deleted since is alike before and after, so wishes are counted.
        let isNew = { (id: Record.ID) in
            records[id] != stored.records[id] || wishes[id] != wishesOfStored[id]
        }
        device.handle(
            .recordZoneChangesAdded(
                Self.names.filter(isNew).map {
                    records[$0] == nil ? .deleteRecord($0) : .saveRecord($0)
                }
            )
        )
    }

    // MARK: The end

    /// Lets everything succeed; gives what app and server then disagree on.
    mutating func finish() -> [String] {
        heal()
        device.onEvent = { device, event in
            RandomRun.mend(&device, event)
            return false
        }
        for id in withdrawn {
            device.handle(
                .recordZoneChangesAdded([
                    device.records[id] == nil ? .deleteRecord(id) : .saveRecord(id)
                ])
            )
        }
        device.run()
        for _ in 0..<20 {
            device.advance(by: .seconds(3600))
            device.handle(.parkedChangesResumed)
            device.send()
            device.fetch()
        }
        let ids = Set(device.records.keys).union(device.server.records.keys).sorted()
        var faults = device.faults + device.pending.map { "still pending: \($0)" }
        if !device.core.state.openSends.isEmpty { faults.append("a send is open for ever") }
        for id in ids {
            let own: Int? = device.records[id]?["version"]
            let theirs: Int? = device.server.records[id]?["version"]
            if own != theirs { faults.append("\(id): app \(own as Any), server \(theirs as Any)") }
        }
        if device.occurrences("willSendChanges") < device.occurrences("didSendChanges") {
            faults.append("more sends ended than began")
        }
        return faults
    }
}
