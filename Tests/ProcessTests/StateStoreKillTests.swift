import Foundation
import RecordModel
import RecordSync
import SyncCore
import TestSupport
import Testing

/// A store that another process writes, which is killed without a warning.
///
/// The tests of this folder, and no others, wait for processes.
struct StateStoreKillTests {
    private static let roundCount = 125
    /// Rounds in one folder before a new one keeps the states small.
    private static let roundsInFolder = 25

    @Test(
        .holds("H53", "H55", "H57"),
        .timeLimit(.minutes(5)),
        arguments: 1...4 as ClosedRange<UInt64>
    )
    func losesNothingAcknowledgedWhenItsProcessIsKilled(seed: UInt64) throws {
        var generator = SeededNumbers(state: seed)
        var found = 0
        var folder = newFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        for round in 0..<Self.roundCount {
            if round % Self.roundsInFolder == 0 {
                try? FileManager.default.removeItem(at: folder)
                folder = newFolder()
                found = 0
            }
            var writer = try WriterProcess(
                folder: folder.path,
                next: found + 1,
                launch: UInt64(round + 1),
                syncs: round.isMultiple(of: 2)
            )
            let lines = Int(generator.next(upTo: 20))
            // Before the first line the process starts, and opens the folder.
            let microseconds = Int(generator.next(upTo: lines == 0 ? 20_000 : 3_000))
            writer.wait(lines: lines, microseconds: microseconds)
            let isKilled = writer.kill()
            #expect(isKilled, "round \(round) of seed \(seed): the writer stopped by itself")
            let (numbers, report) = try open(folder)
            let acknowledged = max(found, writer.acknowledged)
            // The append that was under way, of at most three, may be there as a whole.
            #expect(numbers == Array(1..<numbers.count + 1))
            #expect(numbers.count >= acknowledged, "round \(round) of seed \(seed)")
            #expect(numbers.count <= acknowledged + 3, "round \(round) of seed \(seed)")
            #expect(report.isWhole, "round \(round) of seed \(seed): \(report)")
            found = numbers.count
        }
    }

    private func newFolder() -> URL {
        FileManager.default.temporaryDirectory
            .appendingPathComponent("recordsync-\(UUID().uuidString)")
    }

    private func open(_ folder: URL) throws -> (numbers: [Int], FileStateStore.Report) {
        let opening = try FileStateStore.open(folder.path, syncsToDisk: false)
        let pending = opening.stateSerialization?.state.records.slots.all() ?? []
        return (pending.compactMap { Int($0.change.recordID.recordName) }, opening.report)
    }
}

/// SplitMix64, so that a seed gives the same numbers everywhere.
struct SeededNumbers {
    var state: UInt64

    mutating func next(upTo limit: UInt64) -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return (mixed ^ (mixed >> 31)) % (limit + 1)
    }
}
