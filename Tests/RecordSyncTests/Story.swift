import Foundation
import RecordModel
import RecordSync
import RecordSyncTesting

/// A cloud and its devices on one world; every device waits to be told what to do.
final class Story: Sendable {
    let world: TestWorld
    let cloud: InMemoryCloud

    init(seed: UInt64 = 0, order: TestWorld.JobOrder = .firstInFirstOut) {
        world = TestWorld(seed: seed, order: order)
        cloud = InMemoryCloud(world)
        if Self.goesOverTheWire { cloud.wrapConnections { WireDatabase(base: $0) } }
    }

    /// True where the environment asks for every story to be told over the bytes of the wire.
    static let goesOverTheWire =
        ProcessInfo.processInfo.environment["RECORDSYNC_OVER_THE_WIRE"] != nil

    func device(_ name: String, account: String = "alice") -> TestDevice {
        TestDevice(name, account: account, on: world, cloud: cloud, isAutomatic: false)
    }

    /// Makes an engine for a delegate of the test's own.
    func engine(
        _ delegate: any SyncEngineDelegate,
        device: String = "A",
        database: (any SyncDatabase)? = nil,
        state: SyncEngine.State.Serialization? = nil,
        isAutomatic: Bool = false
    ) -> SyncEngine {
        var configuration = SyncEngine.Configuration(
            database: database ?? cloud.database(.private, account: "alice", device: device),
            stateSerialization: state,
            delegate: delegate
        )
        configuration.automaticallySync = isAutomatic
        configuration.run(on: world)
        return SyncEngine(configuration)
    }

    func send(_ device: TestDevice) throws {
        try world.run { try await device.engine.sendChanges() }
    }

    func fetch(_ device: TestDevice) throws {
        try world.run { try await device.engine.fetchChanges() }
    }

    /// Fetches, sends, and sends once more what the app mended.
    func sync(_ devices: TestDevice...) throws {
        for device in devices {
            try fetch(device)
            for _ in 1...3 { try? send(device) }
        }
    }

    /// Lets every device sync until all have heard of all.
    func meet(_ devices: TestDevice...) throws {
        for _ in 1...2 {
            for device in devices { try sync(device) }
        }
    }

    /// The text of a record on the server.
    func text(_ recordID: Record.ID) -> String? {
        cloud.record(recordID, account: "alice")?["text"]
    }
}

extension TestDevice {
    var pending: [PendingRecordZoneChange] { engine.state.pendingRecordZoneChanges }

    func text(_ name: String) -> String? { delegate[id(name)]?["text"] }

    /// The app puts its own fields over the server's record when a save meets another version.
    func mergesConflicts() -> TestDevice {
        delegate.onEvent(.sentRecordZoneChanges) { [weak self] event, _, engine in
            guard case .sentRecordZoneChanges(let sent) = event else { return }
            for failure in sent.failedRecordSaves {
                if failure.error.code == .unknownItem {
                    // Deleted meanwhile: the deletion wins.
                    self?.delegate[failure.record.recordID] = nil
                }
                guard let server = failure.error.serverRecord else { continue }
                self?.delegate[server.recordID] = failure.record.rebased(on: server)
                engine.state.add(pendingRecordZoneChanges: [.saveRecord(server.recordID)])
            }
        }
        return self
    }

    /// The fetched changes that it was told of, in order.
    var fetched: [String] {
        delegate.events.flatMap { event -> [String] in
            guard case .fetchedRecordZoneChanges(let changes) = event else { return [] }
            return changes.modifications.map { $0.record.recordID.recordName }
                + changes.deletions.map { "-" + $0.recordID.recordName }
        }
    }

    /// Whether its zone was fetched anew each time, and why.
    var fetchKinds: [SyncEvent.FetchKind] {
        delegate.events.compactMap { event in
            guard case .didFetchRecordZoneChanges(let end) = event, end.zoneID == zone.zoneID,
                end.error == nil
            else { return nil }
            return end.kind
        }
    }

    /// The codes of the saves and deletions that failed, in order.
    var failures: [SyncError.Code] {
        delegate.events.flatMap { event -> [SyncError.Code] in
            guard case .sentRecordZoneChanges(let sent) = event else { return [] }
            return sent.failedRecordSaves.map(\.error.code)
                + sent.failedRecordDeletes.values.map(\.code)
        }
    }

    /// The code of the error that a call threw.
    static func code(_ body: () throws -> Void) -> SyncError.Code? {
        do {
            try body()
            return nil
        } catch {
            return (error as? SyncError)?.code
        }
    }
}

/// What a handler saw, from wherever it ran.
final class Notes: Sendable {
    private let lines = Guarded<[String]>([])
    var all: [String] { lines.withLock { $0 } }
    func add(_ line: String) { lines.withLock { $0.append(line) } }
}

/// What an app's delegate throws.
struct Refusal: Error, Equatable { var number = 0 }
