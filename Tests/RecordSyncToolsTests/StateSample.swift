import RecordModel
import RecordSyncTools
import SyncCore

/// A state that a test makes by hand, one journal entry after the other.
struct StateSample {
    static let notes = RecordZone.ID(zoneName: "Notes")
    static let tasks = RecordZone.ID(zoneName: "Tasks")
    static let old = RecordZone.ID(zoneName: "Old")

    private(set) var state: EngineState
    private var number: UInt64

    init(_ state: EngineState = EngineState()) {
        self.state = state
        number = state.writers.first?.covered.highest ?? 0
    }

    var bytes: [UInt8] { StateSerialization(snapshotOf: state).bytes }

    static func id(_ name: String) -> Record.ID { Record.ID(recordName: name, zoneID: notes) }

    static func key(_ number: UInt64) -> IdempotencyKey {
        IdempotencyKey(writer: WriterID(high: 0, low: 1), number: number)
    }

    mutating func apply(_ change: StateChange) {
        number += 1
        state.apply(JournalEntry(id: Self.key(number), change: change))
    }

    mutating func remove(_ change: PendingDatabaseChange) {
        let ended = state.databaseChanges.entries.filter { $0.change == change }
        apply(
            .databaseChangesSettled(
                ended.map { .init(change: $0.change, entry: state.entry(of: $0.origin)) }
            )
        )
    }

    mutating func remove(_ change: PendingRecordZoneChange) {
        let entry = state.records.origin(of: change).map(state.entry(of:))
        apply(.recordChangesRemoved([.init(change: change, entry: entry)]))
    }
}

/// A state with something of everything.
let full: StateSample = {
    let configuration = EngineConfiguration(
        databaseName: "memory/private",
        writer: WriterID(high: 0, low: 1)
    )
    let now = EngineInstant(
        monotonic: .zero,
        wall: Timestamp(millisecondsSince1970: 1_000_000_000_000)
    )
    var sample = StateSample(EngineCore(configuration: configuration, now: now).state)
    let id = StateSample.id
    sample.apply(.accountIdentified(userRecordName: "alice"))
    sample.apply(
        .databasePageHandled(
            token: ServerChangeToken(bytes: Array("d".utf8)),
            modified: [StateSample.notes, StateSample.tasks, StateSample.old],
            deleted: []
        )
    )
    sample.apply(.fullFetchBegun(StateSample.tasks, .tokenExpired))
    let saves: [PendingRecordZoneChange] = ["e", "s", "x"].map { .saveRecord(id($0)) }
    sample.apply(.recordChangesAdded(saves + [.deleteRecord(id("y"))]))
    let added = StateSample.key(4)
    sample.apply(.sendOpened([save("e", added), save("s", added)]))
    let deletion = StateChange.OpenedChange(
        change: .deleteRecord(id("y")),
        recordType: "",
        entry: added
    )
    sample.apply(.sendOpened([save("x", added), deletion]))
    sample.apply(.sendClosed(StateSample.key(5), [.parked, .confirmed(changeTag: "1")]))
    sample.apply(
        .zonePageHandled(
            StateSample.notes,
            token: ServerChangeToken(bytes: Array("n".utf8)),
            moreComing: true
        )
    )
    sample.apply(.recordChangesAdded([.saveRecord(id("a")), .saveRecord(id("b"))]))
    sample.apply(.recordChangesAdded([.deleteRecord(id("c"))]))
    let task = Record.ID(recordName: "t", zoneID: StateSample.tasks)
    sample.apply(.recordChangesAdded([.saveRecord(task)]))
    let zone = RecordZone(zoneID: StateSample.old)
    sample.apply(.databaseChangesAdded([.deleteZone(StateSample.old), .saveZone(zone)]))
    sample.apply(.retryDelaySet(.init(until: now, length: .seconds(30))))
    sample.apply(.untrackedChangesSet(true))
    return sample
}()

private func save(_ name: String, _ entry: IdempotencyKey) -> StateChange.OpenedChange {
    .init(change: .saveRecord(StateSample.id(name)), recordType: "Note", entry: entry)
}

/// A state with so many pending saves, named by their numbers from 1 on.
func pending(_ count: Int) -> StateSample {
    var sample = StateSample()
    let names = (0..<count).map { "\($0 + 1)" }
    sample.apply(.recordChangesAdded(names.map { .saveRecord(StateSample.id($0)) }))
    return sample
}

/// How a token of these characters is told.
func digest(of token: String) -> String {
    SHA256.hash(token.utf8).prefix(8).map { byte in
        (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }.joined()
}

/// What the command answers about files with these bytes; their paths are written FILE1, FILE2.
func inspect(_ words: [String], _ files: [[UInt8]]) async throws -> Answer {
    let folder = try TemporaryFolder()
    let paths = try files.enumerated().map { number, bytes in
        try folder.file("state\(number + 1)", bytes)
    }
    let capture = Capture()
    let status = await run(arguments: ["inspect"] + words + paths, output: capture.output())
    var errors = capture.standardError
    for (number, path) in paths.enumerated() {
        errors = errors.replacing(path, with: "FILE\(number + 1)")
    }
    return Answer(
        ["inspect"],
        status == 0 ? .done : .failed,
        result: capture.standardOutput,
        errors: errors
    )
}
