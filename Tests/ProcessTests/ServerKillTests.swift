import Foundation
import RecordModel
import RecordSync
import RecordSyncHTTP
import RecordSyncTesting
import SQLiteStorage
import TestSupport
import Testing

/// A server that is killed without a warning while a device sends.
struct ServerKillTests {
    private static let roundCount = 50
    private let zone = RecordZone(zoneName: "Notes")

    @Test(.timeLimit(.minutes(5)), arguments: 1...4 as ClosedRange<UInt64>)
    func losesNothingAcknowledgedWhenTheServerIsKilled(seed: UInt64) async throws {
        var generator = SeededNumbers(state: seed)
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("recordsync-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var server = try serve(folder, port: 0)
        let url = server.lines[0]
        let port = try #require(URL(string: url)?.port)
        let phone = try device("phone", url)
        phone.engine.state.add(pendingDatabaseChanges: [.saveZone(zone)])
        try await phone.engine.sendChanges()
        for round in 0..<Self.roundCount {
            edit(phone, round, &generator)
            let microseconds = Int(generator.next(upTo: 12_000))
            async let send: Void? = try? phone.engine.sendChanges()
            server.wait(lines: 0, microseconds: microseconds)
            let isKilled = server.kill()
            #expect(isKilled, "round \(round) of seed \(seed): the server stopped by itself")
            _ = await send
            server = try serve(folder, port: port)
        }
        for _ in 1...3 { try? await phone.engine.sendChanges() }
        #expect(phone.engine.state.pendingRecordZoneChanges == [])
        // Each edit was made once: an answer that was lost is no conflict.
        #expect(conflictCount(of: phone) == 0)
        let desk = try device("desk", url)
        try await desk.engine.fetchChanges()
        #expect(contents(desk) == contents(phone))
        #expect(server.terminate() == 0)
        #expect(try SQLiteStorage(path: folder + "/records.sqlite").integrityFaults() == [])
    }

    private typealias Device = (engine: SyncEngine, delegate: RecordingDelegate)

    private func serve(_ folder: String, port: Int) throws -> WriterProcess {
        var server = try WriterProcess(
            "recordsync",
            "serve",
            "--data",
            folder,
            "--port",
            "\(port)",
            "--open"
        )
        server.wait(lines: 1, microseconds: 0)
        try #require(server.lines.count == 1, "the server did not start")
        return server
    }

    private func device(_ name: String, _ url: String) throws -> Device {
        let delegate = RecordingDelegate()
        var configuration = SyncEngine.Configuration(
            database: try RemoteServer(url, deviceName: name).database(.private),
            stateSerialization: nil,
            delegate: delegate
        )
        configuration.automaticallySync = false
        return (SyncEngine(configuration), delegate)
    }

    private func edit(_ device: Device, _ round: Int, _ generator: inout SeededNumbers) {
        for _ in 0...generator.next(upTo: 8) {
            let name = "n\(generator.next(upTo: 60))"
            let id = Record.ID(recordName: name, zoneID: zone.zoneID)
            var record = device.delegate[id] ?? Record(recordType: "Note", recordID: id)
            record["text"] = "round \(round)"
            device.delegate[id] = record
            device.engine.state.add(pendingRecordZoneChanges: [.saveRecord(id)])
        }
    }

    private func contents(_ device: Device) -> [String: String?] {
        let pairs = device.delegate.records.values.map { record in
            (record.recordID.recordName, record["text"] as String?)
        }
        return Dictionary(uniqueKeysWithValues: pairs)
    }

    private func conflictCount(of device: Device) -> Int {
        device.delegate.events.reduce(0) { count, event in
            guard case .sentRecordZoneChanges(let sent) = event else { return count }
            return count + sent.conflicts.count
        }
    }
}
