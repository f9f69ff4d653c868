import Foundation
import RecordSync
import RecordSyncTesting
import Synchronization
import Testing

extension Notes {
    func text(_ name: String) -> String? {
        let id = Record.ID(recordName: name, zoneID: Self.zone.zoneID)
        return records.withLock { $0[id]?["text"] }
    }
}

// MARK: The README's test

@Test func aNoteReachesTheOtherDevice() async throws {
    let cloud = InMemoryCloud()
    let (phone, laptop) = (Notes(), Notes())
    let phoneEngine = engine(phone, on: cloud, device: "phone")
    let laptopEngine = engine(laptop, on: cloud, device: "laptop")
    phone.write("shopping", "milk", phoneEngine)
    try await phoneEngine.sendChanges()
    try await laptopEngine.fetchChanges()
    #expect(laptop.text("shopping") == "milk")
}

func engine(_ notes: Notes, on cloud: InMemoryCloud, device: String) -> SyncEngine {
    var configuration = SyncEngine.Configuration(
        database: cloud.database(.private, account: "alice", device: device),
        stateSerialization: notes.storedState.withLock { $0 },
        delegate: notes
    )
    configuration.automaticallySync = false
    return SyncEngine(configuration)
}

// MARK: What the README says of its delegate

struct ReadmeTests {
    @Test func makesAnEngineThatIsAutomaticByDefault() {
        let notes = Notes()
        let cloud = InMemoryCloud()
        let configuration = SyncEngine.Configuration(
            database: cloud.database(.private, account: "alice", device: "phone"),
            stateSerialization: notes.storedState.withLock { $0 },
            delegate: notes
        )
        let engine = SyncEngine(configuration)
        notes.write("shopping", "milk", engine)
        #expect(notes.text("shopping") == "milk")
        #expect(configuration.automaticallySync)
    }

    @Test func putsFieldsEditedHereOnTopOfTheServersVersion() async throws {
        let cloud = InMemoryCloud()
        let (phone, laptop) = (Notes(), Notes())
        let phoneEngine = engine(phone, on: cloud, device: "phone")
        let laptopEngine = engine(laptop, on: cloud, device: "laptop")
        phone.write("shopping", "milk", phoneEngine)
        try await phoneEngine.sendChanges()
        laptop.write("shopping", "bread", laptopEngine)
        await #expect(throws: SyncError.self) { try await laptopEngine.sendChanges() }
        try await laptopEngine.sendChanges()
        try await phoneEngine.fetchChanges()
        #expect(phone.text("shopping") == "bread")
        #expect(laptop.text("shopping") == "bread")
    }

    @Test func anEditWinsOverADeletion() async throws {
        let cloud = InMemoryCloud()
        let (phone, laptop) = (Notes(), Notes())
        let phoneEngine = engine(phone, on: cloud, device: "phone")
        let laptopEngine = engine(laptop, on: cloud, device: "laptop")
        phone.write("shopping", "milk", phoneEngine)
        try await phoneEngine.sendChanges()
        try await laptopEngine.fetchChanges()
        let id = Record.ID(recordName: "shopping", zoneID: Notes.zone.zoneID)
        try cloud.delete([id], account: "alice")
        laptop.write("shopping", "bread", laptopEngine)
        await #expect(throws: SyncError.self) { try await laptopEngine.sendChanges() }
        try await laptopEngine.sendChanges()
        phone.write("shopping", "eggs", phoneEngine)
        try await phoneEngine.fetchChanges()
        #expect(phone.text("shopping") == "eggs")
        #expect(laptop.text("shopping") == "bread")
    }

    @Test func anUnsentEditOutlivesAFetchedDeletion() async throws {
        let cloud = InMemoryCloud()
        let laptop = Notes()
        let laptopEngine = engine(laptop, on: cloud, device: "laptop")
        laptop.write("shopping", "milk", laptopEngine)
        try await laptopEngine.sendChanges()
        let id = Record.ID(recordName: "shopping", zoneID: Notes.zone.zoneID)
        try cloud.delete([id], account: "alice")
        laptop.write("shopping", "bread", laptopEngine)
        try await laptopEngine.fetchChanges()
        try await laptopEngine.sendChanges()
        #expect(laptop.text("shopping") == "bread")
        #expect(cloud.record(id, account: "alice")?["text"] == "bread")
    }

    @Test func goesOnFromTheStoredState() async throws {
        let cloud = InMemoryCloud()
        let phone = Notes()
        try await engine(phone, on: cloud, device: "phone").fetchChanges()
        phone.write("shopping", "milk", engine(phone, on: cloud, device: "phone"))
        let laptop = Notes()
        let relaunched = engine(phone, on: cloud, device: "phone")
        phone.write("shopping", "eggs", relaunched)
        try await relaunched.sendChanges()
        try await engine(laptop, on: cloud, device: "laptop").fetchChanges()
        #expect(laptop.text("shopping") == "eggs")
    }

    @Test func showsTheCodeThatIsTested() throws {
        let readme = try text("README.md")
        let delegate = try text("Sources/RecordSyncTools/Bench/Notes.swift")
        #expect(readme.contains("```swift\n\(delegate)```"))
        let tests = try text("Tests/ReadmeTests/ReadmeTests.swift")
        let blocks = readme.components(separatedBy: "```swift\n").dropFirst()
            .map { $0.components(separatedBy: "```")[0] }
        #expect(blocks.count == 3)
        for block in blocks where block != delegate {
            for line in block.split(separator: "\n") {
                #expect(tests.contains(line.trimmingCharacters(in: .whitespaces)), "\(line)")
            }
        }
    }

    @Test func theGuideToTestingShowsTheTestThatIsRun() throws {
        let guide = try text("Docs/TestingYourApp.md")
        let test = try text("Tests/ReadmeTests/SimulatedNotesTests.swift")
        #expect(guide.contains("```swift\n\(test)```"))
        #expect(test.split(separator: "\n").count <= 30)
    }

    @Test func keepsTheDelegateWithinFortyLines() throws {
        let delegate = try text("Sources/RecordSyncTools/Bench/Notes.swift")
        let lines = delegate.split(separator: "\n").filter { !$0.hasPrefix("import") }
        #expect(lines.count <= 40)
    }

    private func text(_ path: String) throws -> String {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        return try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }
}
