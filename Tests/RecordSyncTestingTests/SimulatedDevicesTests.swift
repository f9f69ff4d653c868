import RecordModel
import RecordSync
import RecordSyncTesting
import Synchronization
import TestSupport
import Testing

/// An app's notes, right but for one mistake that is planted.
private final class App: SyncEngineDelegate {
    enum Mistake: Sendable {
        case none
        case dropsConflicts
        case keepsNoState
        case forgetsToAddAgain
        case escapes
    }

    /// What is left after a crash.
    final class Store: Sendable {
        let records = Mutex<[Record.ID: Record]>([:])
        let state = Mutex<SyncEngine.State.Serialization?>(nil)

        var lines: [String] {
            records.withLock { records in
                records.values.map { "\($0.recordID.recordName) \($0["text"] as String? ?? "")" }
            }.sorted()
        }
    }

    static let zone = RecordZone(zoneName: "Notes")
    let store: Store
    let mistake: Mistake

    init(_ store: Store, _ mistake: Mistake) {
        self.store = store
        self.mistake = mistake
    }

    func write(_ name: String, _ text: String, _ engine: SyncEngine) {
        let id = Record.ID(recordName: name, zoneID: Self.zone.zoneID)
        store.records.withLock {
            $0[id, default: Record(recordType: "Note", recordID: id)]["text"] = text
            engine.state.add(pendingRecordZoneChanges: [.saveRecord(id)])
        }
    }

    func handleEvent(_ event: SyncEngine.Event, syncEngine: SyncEngine) async {
        switch event {
        case .stateUpdate(let update):
            if mistake == .keepsNoState { return }
            store.state.withLock { $0 = update.stateSerialization }
        case .accountChange:
            syncEngine.state.add(pendingDatabaseChanges: [.saveZone(Self.zone)])
        case .fetchedRecordZoneChanges(let changes):
            if mistake == .escapes { await Outside().visit() }
            for change in changes.modifications { keep(change.record.recordID, change.record) }
            for deletion in changes.deletions { keep(deletion.recordID, nil) }
        case .sentRecordZoneChanges(let sent):
            for saved in sent.savedRecords { keep(saved.recordID, saved) }
            if mistake == .dropsConflicts { return }
            for conflict in sent.conflicts { keep(conflict.recordID, conflict.serverRecord) }
            if mistake == .forgetsToAddAgain { return }
            syncEngine.state.add(
                pendingRecordZoneChanges: sent.conflicts.map { .saveRecord($0.recordID) }
            )
        default: break
        }
    }

    private func keep(_ id: Record.ID, _ theirs: Record?) {
        store.records.withLock { $0[id].rebase(onLatest: theirs) }
    }

    func nextRecordZoneChangeBatch(
        _ context: SyncEngine.SendChangesContext,
        syncEngine: SyncEngine
    ) async -> SyncEngine.RecordZoneChangeBatch? {
        await SyncEngine.RecordZoneChangeBatch(context) { id in
            self.store.records.withLock { $0[id] }.map { .record($0) } ?? .gone
        }
    }
}

/// Does its work on the main thread, outside of every world.
private struct Outside {
    @MainActor func visit() {}
}

struct SimulatedDevicesTests {
    private func devices(
        _ mistake: App.Mistake = .none
    ) -> SimulatedDevices<App.Store, App> {
        var devices = SimulatedDevices(
            store: { _ in App.Store() },
            delegate: { _, store in App(store, mistake) },
            state: { store in store.state.withLock { $0 } },
            content: { $0.lines }
        )
        devices.action("edit") { app, engine, turn in
            app.write(turn.pick(["a", "b", "c"]), "\(turn.device.account)\(turn.step)", engine)
        }
        return devices
    }

    private func firstFailure(_ mistake: App.Mistake) throws -> SimulationFailure {
        try #require(throws: SimulationFailure.self) {
            try devices(mistake).run(seeds: 0..<300)
        }
    }

    #if THREAD_SANITIZER
        // One thread runs it all: there is little for the sanitizer to see.
        private static let partCount: UInt64 = 1
    #else
        private static let partCount: UInt64 = 10
    #endif

    @Test(arguments: 0..<partCount)
    func aRightDelegatePassesFiveHundredSeeds(part: UInt64) throws {
        try devices().run(seeds: part * 50..<(part + 1) * 50)
    }

    @Test(.holds("I33"))
    func equalSeedsGiveEqualTraces() throws {
        let first = try devices().run(seed: 7)
        let other = try devices().run(seed: 8)
        #expect(try devices().run(seed: 7) == first)
        #expect(other != first)
    }

    @Test func findsADelegateThatDropsConflicts() throws {
        let failure = try firstFailure(.dropsConflicts)
        #expect(failure.description.hasPrefix("seed \(failure.seed): "))
        #expect(failure.description.contains("try devices.run(seed: \(failure.seed))"))
        let again = try #require(throws: SimulationFailure.self) {
            try devices(.dropsConflicts).run(seed: failure.seed)
        }
        #expect(again.trace == failure.trace)
        #expect(again.reason == failure.reason)
    }

    @Test func findsADelegateThatKeepsNoState() throws {
        _ = try firstFailure(.keepsNoState)
    }

    @Test func findsADelegateThatForgetsToAddAgain() throws {
        _ = try firstFailure(.forgetsToAddAgain)
    }

    @Test func findsAndNamesADelegateThatLeavesTheWorld() throws {
        let failure = try firstFailure(.escapes)
        guard case .escaped(let calls) = failure.reason else {
            Issue.record("\(failure)")
            return
        }
        #expect(calls.contains { $0.contains(": fetchedRecordZoneChanges(") }, "\(calls)")
    }

    @Test func pendingEditsOutliveACrash() throws {
        var devices = devices()
        devices.deviceCount = 2
        devices.faults = [.crash]
        var crashCount = 0
        for seed in UInt64(0)..<20 {
            let trace = try devices.run(seed: seed)
            crashCount += trace.count { $0.contains(": crashes ") }
        }
        #expect(crashCount > 20)
    }

    @Test func accountsDoNotSeeEachOthersData() throws {
        var devices = devices()
        devices.deviceCount = 4
        devices.accounts = ["alice", "bob"]
        devices.check { contents in
            for content in contents {
                #expect(!content.lines.isEmpty)
                #expect(content.lines.allSatisfy { $0.contains(content.device.account) })
            }
        }
        try devices.run(seeds: 0..<10)
    }

    @Test func aCheckThatThrowsFailsTheRun() throws {
        struct Lost: Error {}
        var devices = devices()
        devices.check { _ in throw Lost() }
        let failure = try #require(throws: SimulationFailure.self) { try devices.run(seed: 3) }
        #expect(failure.reason == .thrown("Lost()"))
        #expect(failure.seed == 3)
    }
}
