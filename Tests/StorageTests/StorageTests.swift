import Foundation
import RecordSync
import RecordSyncTesting
import TestSupport
import Testing

private let zone = RecordZone(zoneName: "Notes")
private let milk = Record.ID(recordName: "milk", zoneID: zone.zoneID)
private let eggs = Record.ID(recordName: "eggs", zoneID: zone.zoneID)

/// A cloud, and engines that come and go as an app is launched and dies.
private struct Launches {
    let world = TestWorld()
    let cloud: InMemoryCloud

    init() { cloud = InMemoryCloud(world) }

    func engine(
        _ delegate: some SyncEngineDelegate,
        _ state: SyncEngine.State.Serialization?
    ) -> SyncEngine {
        var configuration = SyncEngine.Configuration(
            database: cloud.database(.private, account: "alice", device: "phone"),
            stateSerialization: state,
            delegate: delegate
        )
        configuration.automaticallySync = false
        configuration.createsMissingZones = true
        configuration.run(on: world)
        return SyncEngine(configuration)
    }

    func send(_ engine: SyncEngine) throws { try world.run { try await engine.sendChanges() } }

    func text(_ id: Record.ID) -> String? { cloud.record(id, account: "alice")?["text"] }
}

struct TransactionTests {
    private let launches = Launches()
    private let database = Database()

    /// A launch: the delegate and the engine that the stored state gives.
    private func launch() throws -> (notes: TransactionNotes, engine: SyncEngine) {
        let notes = TransactionNotes(database)
        return (notes, launches.engine(notes, try notes.storedState()))
    }

    @Test(.holds("J2"))
    func anEditWhoseTransactionFailedIsNoIntent() throws {
        let (notes, engine) = try launch()
        database.fail(after: 0)
        #expect(throws: StoreFailure.diskFull) { try notes.write(milk, "1 l", engine) }
        database.mend()
        #expect(engine.state.pendingRecordZoneChanges == [])
        #expect(try launch().engine.state.pendingRecordZoneChanges == [])
    }

    @Test(.holds("J2", "J6", "H53"))
    func anEditCommittedBeforeTheProcessDiedIsSent() throws {
        let (_, engine) = try launch()
        // The process dies between the commit and `apply`.
        let entry = engine.state.prepare(pendingRecordZoneChanges: [.saveRecord(milk)])
        try database.transaction { tables in
            var record = Record(recordType: "Note", recordID: milk)
            record["text"] = "1 l"
            tables.rows[milk] = record
            tables.entries.append(entry.bytes)
        }
        let (notes, next) = try launch()
        try withExtendedLifetime(notes) { try launches.send(next) }
        #expect(launches.text(milk) == "1 l")
        #expect(next.state.pendingRecordZoneChanges == [])
    }

    @Test(.holds("H55"))
    func unsentEditsOutliveEveryLaunch() throws {
        for number in 1...5 {
            let (notes, engine) = try launch()
            try notes.write(number == 3 ? milk : eggs, "\(number)", engine)
        }
        let (notes, engine) = try launch()
        #expect(engine.state.pendingRecordZoneChanges == [.saveRecord(eggs), .saveRecord(milk)])
        try withExtendedLifetime(notes) { try launches.send(engine) }
        #expect([launches.text(milk), launches.text(eggs)] == ["3", "5"])
    }

    @Test(.holds("J7"))
    func aSnapshotTakesTheEntriesItCoversAway() throws {
        let (notes, engine) = try launch()
        try notes.write(milk, "1 l", engine)
        let prepared = engine.state.prepare(pendingRecordZoneChanges: [.saveRecord(eggs)])
        try database.transaction { $0.entries.append(prepared.bytes) }
        let update = SyncEngine.Event.StateUpdate(
            stateSerialization: engine.state.serialization,
            isCompactingAdvised: true
        )
        try launches.world.run {
            try await notes.handleEvent(.stateUpdate(update), syncEngine: engine)
        }
        #expect(database.tables.entries == [prepared.bytes])
        #expect(
            try launch().engine.state.pendingRecordZoneChanges
                == [.saveRecord(milk), .saveRecord(eggs)]
        )
    }

    /// Whatever the app cannot store of a send, nothing is lost, stuck or sent twice.
    @Test(.holds("H54", "H61", "P9"), arguments: 0..<8, [false, true])
    func aDatabaseThatFillsUpHoldsTheSendUp(commitCount: Int, relaunches: Bool) throws {
        var (notes, engine) = try launch()
        try notes.write(milk, "1 l", engine)
        try notes.write(eggs, "6", engine)
        database.fail(after: commitCount)
        let isSent = (try? launches.send(engine)) != nil
        // The first commit of a send marks its batch as in flight.
        if commitCount == 0 { #expect(launches.text(milk) == nil) }
        database.mend()
        if relaunches { (notes, engine) = try launch() }
        if !isSent { try launches.send(engine) }
        #expect([launches.text(milk), launches.text(eggs)] == ["1 l", "6"])
        #expect(engine.state.pendingRecordZoneChanges == [])
        for id in [milk, eggs] {
            let stored = launches.cloud.record(id, account: "alice")
            #expect(database.tables.rows[id]?.recordChangeTag == stored?.recordChangeTag)
            #expect(stored?.creationDate == stored?.modificationDate)
        }
        withExtendedLifetime(notes) {}
    }
}

struct FileTests {
    private let launches = Launches()
    private let rows = RowFiles()
    private let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("recordsync-\(UUID().uuidString)").path

    private func launch() throws -> (notes: FileNotes, engine: SyncEngine) {
        let opening = try FileStateStore.open(folder)
        let notes = FileNotes(opening.store, rows)
        return (notes, launches.engine(notes, opening.stateSerialization))
    }

    private func pending() throws -> [PendingRecordZoneChange] {
        try launch().engine.state.pendingRecordZoneChanges
    }

    private func clean() { try? FileManager.default.removeItem(atPath: folder) }

    @Test(.holds("J2", "H53"))
    func anEditStoredBeforeTheProcessDiedIsSent() throws {
        defer { clean() }
        try {
            let (notes, engine) = try launch()
            let entry = engine.state.prepare(pendingRecordZoneChanges: [.saveRecord(milk)])
            try notes.store.append(entry)
            var record = Record(recordType: "Note", recordID: milk)
            record["text"] = "1 l"
            try rows.write(record)
        }()
        let (notes, engine) = try launch()
        try withExtendedLifetime(notes) { try launches.send(engine) }
        #expect(launches.text(milk) == "1 l")
    }

    @Test func anIntentWithoutItsEditDoesNoHarm() throws {
        defer { clean() }
        try {
            let (notes, engine) = try launch()
            _ = try notes.store.append(
                engine.state.prepare(pendingRecordZoneChanges: [.saveRecord(milk)])
            )
        }()
        let (notes, engine) = try launch()
        try withExtendedLifetime(notes) { try launches.send(engine) }
        #expect(launches.text(milk) == nil)
        #expect(engine.state.pendingRecordZoneChanges == [])
    }

    @Test(.holds("H59"))
    func anEditThatCouldNotBeWrittenIsNoIntent() throws {
        defer { clean() }
        let (notes, engine) = try launch()
        rows.setFull(true)
        #expect(throws: StoreFailure.diskFull) { try notes.write(milk, "1 l", engine) }
        #expect(engine.state.pendingRecordZoneChanges == [])
    }

    @Test(.holds("H55"))
    func whatWasSentIsNotPendingAtTheNextLaunch() throws {
        defer { clean() }
        try {
            let (notes, engine) = try launch()
            try notes.write(milk, "1 l", engine)
            try launches.send(engine)
            launches.cloud.setOnline(false, device: "phone")
            try notes.write(eggs, "6", engine)
        }()
        #expect(try pending() == [.saveRecord(eggs)])
    }
}

struct StorageDocumentTests {
    private func text(_ path: String) throws -> String {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        return try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }

    @Test(arguments: ["TransactionNotes", "FileNotes"])
    func showsTheCodeThatIsTested(file: String) throws {
        let document = try text("Docs/Storage.md")
        let code = try text("Tests/StorageTests/\(file).swift")
        #expect(document.contains("```swift\n\(code)```"))
    }
}
