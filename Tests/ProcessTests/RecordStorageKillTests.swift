import Foundation
import RecordModel
import SQLiteStorage
import ServerCore
import TestSupport
import Testing

/// A server's storage that another process writes, which is killed without a warning.
struct RecordStorageKillTests {
    private static let roundCount = 50

    @Test(.timeLimit(.minutes(5)), arguments: 1...4 as ClosedRange<UInt64>)
    func losesNothingAcknowledgedWhenItsProcessIsKilled(seed: UInt64) throws {
        var generator = SeededNumbers(state: seed)
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("recordsync-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("records").path
        var found = 0
        for round in 0..<Self.roundCount {
            var writer = try WriterProcess("RecordStorageWriter", file, "\(found + 1)")
            let lines = Int(generator.next(upTo: 8))
            // Before the first line the process starts, and makes the tables.
            let microseconds = Int(generator.next(upTo: lines == 0 ? 20_000 : 3_000))
            writer.wait(lines: lines, microseconds: microseconds)
            let isKilled = writer.kill()
            #expect(isKilled, "round \(round) of seed \(seed): the writer stopped by itself")
            let storage = try SQLiteStorage(path: file)
            let numbers = try numbers(in: storage)
            let acknowledged = max(found, writer.acknowledged)
            // The group that was under way, of at most five, is there as a whole or not at all.
            #expect(numbers == Array(1..<numbers.count + 1))
            #expect(numbers.count >= acknowledged, "round \(round) of seed \(seed)")
            #expect(numbers.count <= acknowledged + 5, "round \(round) of seed \(seed)")
            #expect(try storage.integrityFaults() == [])
            found = numbers.count
        }
    }

    private func numbers(in storage: SQLiteStorage) throws -> [Int] {
        let configuration = ServerConfiguration(tokenKey: Array(0..<32))
        var server = Server(storage: storage, configuration: configuration)
        let caller = ServerCaller(account: "ann", deviceID: "reader")
        let records = try server.records(in: .default, of: caller)
        return records.compactMap { Int($0.recordID.recordName) }
    }
}
