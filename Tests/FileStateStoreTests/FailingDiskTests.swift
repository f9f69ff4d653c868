import RecordSync
import SyncCore
import TestSupport
import Testing

struct FailingDiskTests {
    private static let full: Int32 = 28
    private static let broken: Int32 = 5

    private func failure(_ body: () throws -> Void) -> FileStateStoreError.FailedCall? {
        do {
            try body()
            return nil
        } catch FileStateStoreError.callFailed(let failed) {
            return failed
        } catch {
            return nil
        }
    }

    @Test(.holds("H59"), arguments: [0, 1, 20, 60])
    func saysThatTheDiskIsFullAndGoesOn(writtenByteCount: Int) throws {
        let files = BreakingFiles()
        try with("state", files) { store in
            try store.append(entry(1))
            files.inject(.fails(Self.full, afterBytes: writtenByteCount), at: 1)
            let failed = failure { try store.append(entry(2)) }
            #expect(failed?.call == "write")
            #expect(failed?.file == "state/journal")
            #expect(failed?.reason == "No space left on device (error 28)")
            #expect(failed?.isDiskFull == true)
            #expect(failed?.isStoreUsable == true)
            try store.append(entry(3))
        }
        let (numbers, report) = try found("state", files.afterLoss(of: .everything, names: .all))
        #expect(numbers == [1, 3])
        #expect(report.cutByteCount == 0)
        #expect(report.isWhole)
    }

    @Test(.holds("H59"))
    func takesBackWhatCouldNotBeSynced() throws {
        let files = BreakingFiles()
        try with("state", files) { store in
            files.inject(.fails(Self.broken), at: 2)
            let failed = failure { try store.append(entry(1)) }
            #expect(failed?.call == "fsync")
            #expect(failed?.isStoreUsable == true)
            try store.append(entry(2))
        }
        #expect(try found("state", files.afterEnd()).numbers == [2])
    }

    @Test(.holds("H59"))
    func leavesNothingOfALongAppendBehindAShortOne() throws {
        let files = BreakingFiles()
        try with("state", files) { store in
            files.inject(.fails(Self.full, afterBytes: 400), at: 1)
            #expect(failure { try store.append(entries(1...9)) } != nil)
            try store.append(entry(1))
            files.inject(.fails(Self.broken), at: 2)
            #expect(failure { try store.append(entry(2)) } != nil)
        }
        let (numbers, report) = try found("state", files.afterEnd())
        #expect(numbers == [1])
        #expect(report.cutByteCount == 0)
        #expect(report.isWhole)
    }

    @Test(.holds("H59"))
    func storesNothingMoreOnceAWriteCouldNotBeTakenBack() throws {
        let files = BreakingFiles()
        try with("state", files) { store in
            try store.append(entry(1))
            files.inject(.fails(Self.broken, afterBytes: 9), at: 1)
            files.inject(.fails(Self.broken), at: 2)
            #expect(failure { try store.append(entry(2)) }?.isStoreUsable == false)
            for _ in 1...2 {
                let error = #expect(throws: FileStateStoreError.self) {
                    try store.append(entry(3))
                }
                guard case .unusable("state", _)? = error else {
                    Issue.record("\(String(describing: error))")
                    return
                }
            }
            #expect(throws: FileStateStoreError.self) { try store.compact(snapshot(1...1)) }
        }
        #expect(try found("state", files.afterEnd()).numbers == [1])
    }

    /// Whatever call of compacting fails, everything is there, the store goes on, and so does the
    /// next try.
    @Test(.holds("H59", "H61"))
    func goesOnWhateverCallOfCompactingFails() throws {
        for call in 1...14 {
            let files = BreakingFiles()
            try with("state", files) { store in
                try store.append(entries(1...3))
                files.inject(.fails(Self.full, afterBytes: 10), at: call)
                if let failed = failure({ try store.compact(snapshot(1...2)) }) {
                    #expect(failed.isStoreUsable, "call \(call)")
                }
                files.liftFaults()
                try store.append(entry(4))
            }
            let (numbers, report) = try found(
                "state",
                files.afterLoss(of: .everything, names: .all)
            )
            #expect(numbers == [1, 2, 3, 4], "call \(call)")
            #expect(report.isWhole)
            try with("state", files.afterEnd()) { try $0.compact(snapshot(1...4)) }
        }
    }

    /// While a loss of power could bring back the old journal, nothing is acknowledged in the new.
    @Test func acknowledgesNothingInAJournalThatMightVanish() throws {
        let files = BreakingFiles()
        try with("state", files) { store in
            try store.append(entry(1))
            let before = files.callCount
            try store.compact(snapshot(1...1))
            let count = files.callCount - before
            files.inject(.fails(Self.broken), at: count)
            #expect(failure { try store.compact(snapshot(1...1)) }?.call == "fsync")
            files.inject(.fails(Self.broken), at: 1)
            #expect(failure { try store.append(entry(2)) }?.call == "fsync")
            try store.append(entry(3))
        }
        let (numbers, _) = try found("state", files.afterLoss(of: .everything, names: .all))
        #expect(numbers == [1, 3])
    }
}
