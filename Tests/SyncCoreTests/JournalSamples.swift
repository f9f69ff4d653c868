import RecordModel
import SyncCore

/// Durable changes of every kind, with values drawn at random.
struct JournalSamples {
    private var random: SplitMix64

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    /// One change of each kind.
    mutating func oneOfEach() -> [StateChange] {
        [
            .recordChangesAdded(list { $0.recordChange() }),
            .prioritizedChangesAdded(
                list { $0.recordChange() },
                SyncPriority.allCases[roll(3)]
            ),
            .recordChangesRemoved(list { $0.ended() }),
            .databaseChangesAdded(list { $0.zoneChange() }),
            .untrackedChangesSet(roll(2) == 0),
            .parkedChangesResumed,
            .sendOpened(list { $0.opened() }),
            .sendPartOpened(of: key(), list { $0.recordID() }),
            .sendClosed(key(), list { $0.disposition() }),
            .databaseChangesSettled(
                list { .init(change: $0.zoneChange(), entry: $0.key()) }
            ),
            .zoneSendOpened(list { .init(change: $0.zoneChange(), entry: $0.key()) }),
            .zoneSendClosed(key(), list { .init(change: $0.zoneChange(), entry: $0.key()) }),
            .databasePageHandled(
                token: token(),
                modified: list { $0.zoneID() },
                deleted: list { $0.zoneID() }
            ),
            .zoneListingBegun(fullFetchReason()),
            .zoneListingPageHandled(modified: list { $0.zoneID() }),
            .historySeen(name()),
            .damageSettled,
            .tokensReset(roll(2) == 0 ? nil : list { $0.zoneID() }),
            .zonePageHandled(zoneID(), token: token(), moreComing: roll(2) == 0),
            .fullFetchBegun(zoneID(), fullFetchReason()),
            .zoneForgotten(zoneID()),
            .zoneMissed(zoneID()),
            .zoneChangesAbandoned(list { $0.ended() }),
            .accountIdentified(userRecordName: name()),
            .accountSignedOut,
            .accountReplaced(userRecordName: name(), ended: list { $0.coverage() }),
            .retryDelaySet(roll(3) == 0 ? nil : delay()),
        ]
    }

    /// Half of the time nothing.
    mutating func context() -> EntryContext {
        var context = EntryContext()
        guard roll(2) == 0 else { return context }
        if roll(2) == 0 { context.databaseName = name() }
        context.awaited = coverage().covered
        context.applied = list { $0.coverage() }
        return context
    }

    mutating func key() -> IdempotencyKey {
        IdempotencyKey(writer: writer(), number: UInt64(1 + roll(1 << 47)))
    }

    private mutating func roll(_ sides: Int) -> Int { Int.random(in: 0..<sides, using: &random) }

    private mutating func list<Value>(_ make: (inout Self) -> Value) -> [Value] {
        var values: [Value] = []
        for _ in 0..<roll(5) { values.append(make(&self)) }
        return values
    }

    private mutating func name() -> String {
        ["", "a", "ä–名", String(repeating: "n", count: 255), "\(roll(1000))"][roll(5)]
    }

    private mutating func writer() -> WriterID {
        WriterID(high: UInt64(roll(3)), low: [0, 7, .max][roll(3)])
    }

    private mutating func zoneID() -> RecordZone.ID {
        roll(4) == 0
            ? .default : RecordZone.ID(zoneName: name(), ownerName: ["ann", name()][roll(2)])
    }

    private mutating func recordID() -> Record.ID {
        Record.ID(recordName: name(), zoneID: zoneID())
    }

    private mutating func recordChange() -> PendingRecordZoneChange {
        roll(2) == 0 ? .saveRecord(recordID()) : .deleteRecord(recordID())
    }

    private mutating func zoneChange() -> PendingDatabaseChange {
        guard roll(2) == 0 else { return .deleteZone(zoneID()) }
        return .saveZone(
            RecordZone(zoneID: zoneID(), capabilities: .init(rawValue: roll(16)))
        )
    }

    private mutating func ended() -> StateChange.EndedChange {
        .init(change: recordChange(), entry: roll(3) == 0 ? nil : key())
    }

    private mutating func opened() -> StateChange.OpenedChange {
        .init(change: recordChange(), recordType: name(), entry: roll(3) == 0 ? nil : key())
    }

    private mutating func disposition() -> StateChange.Disposition {
        switch roll(6) {
        case 0: .confirmed(changeTag: nil)
        case 1: .confirmed(changeTag: name())
        case 2: .returned
        case 3: .parked
        case 4: .quarantined
        case _: .surfaced
        }
    }

    private mutating func token() -> ServerChangeToken {
        ServerChangeToken(bytes: list { UInt8($0.roll(256)) })
    }

    private mutating func fullFetchReason() -> SyncEvent.FullFetchReason {
        [.firstFetch, .tokenExpired, .tokensReset, .newHistory, .stateDamaged][roll(5)]
    }

    private mutating func coverage() -> EngineState.WriterCoverage {
        var covered = CoveredNumbers()
        for _ in 0..<roll(6) { covered.insert(UInt64(1 + roll(20))) }
        return .init(writer: writer(), covered: covered)
    }

    /// The monotonic clock of a launch means nothing to another: it is not stored.
    private mutating func delay() -> EngineState.RetryDelay {
        let wall = Timestamp(millisecondsSince1970: Int64(roll(1 << 40)) - 1 << 39)
        return .init(
            until: EngineInstant(monotonic: .zero, wall: wall),
            length: .milliseconds(roll(1 << 30))
        )
    }
}
