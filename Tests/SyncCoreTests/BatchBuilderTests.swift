import RecordModel
import SyncCore
import TestSupport
import Testing

/// Parents before their children, and the limits of a batch.
@Suite struct ParentOrderTests {
    /// Records of which each one's parent is the next, added the lowest first.
    private func chain(_ count: Int, in device: inout CoreFixture) -> [Record.ID] {
        let ids = (1...count).map { note("n\($0)") }
        for position in ids.indices.reversed() {
            if position == 0 {
                device.edit(ids[0])
            } else {
                device.edit(ids[position], under: ids[position - 1])
            }
        }
        return ids
    }

    @Test(.holds("S69", "H90"), arguments: [1, 2, 3, 5, 8, 250])
    func aChainGoesOutFromItsRootWhateverTheSizeOfABatch(batchCountMax: Int) {
        var device = CoreFixture(limits: RequestLimits(batchCountMax: batchCountMax))
        let ids = chain(7, in: &device)
        #expect(device.send() == .returned)
        #expect(device.server.batches.flatMap { $0.recordsToSave.map(\.recordID) } == ids)
        #expect(device.pending == [])
        #expect(device.faults == [])
    }

    @Test(.holds("S69", "H90"))
    func aChainOfManyThousandGoesOut() {
        var device = CoreFixture(limits: RequestLimits(batchCountMax: 250))
        let ids = chain(2000, in: &device)
        #expect(device.send() == .returned)
        #expect(device.server.records.count == ids.count)
        #expect(device.pending == [])
    }

    @Test(.holds("S69"))
    func parentsOfEachOtherGoOutTogetherHoweverTheyWereOffered() {
        var device = CoreFixture()
        device.edit(note("a"), under: note("b"))
        device.edit(note("b"), under: note("a"))
        device.send(.recordIDs([note("a")]))
        #expect(device.pending.count == 2)
        device.send()
        #expect(device.server.batches.map { $0.recordsToSave.count } == [2])
    }

    @Test(.holds("S69"))
    func plainReferencesInACircleKeepTheQueuesOrder() {
        var device = CoreFixture()
        for (name, target) in [("a", "b"), ("b", "c"), ("c", "a")] {
            var record = Record(recordType: "Note", recordID: note(name))
            record["next"] = Record.Reference(recordID: note(target), action: .none)
            device.records[note(name)] = record
        }
        device.edit(note("a"), note("b"), note("c"))
        #expect(device.send() == .returned)
        #expect(device.server.records.count == 3)
        #expect(device.server.batches.count == 1)
    }

    @Test(.holds("P36", "H90", "S66"))
    func aChildWhoseParentIsPutOffIsAskedForAgainOnlyWhenTheParentIsConfirmed() {
        var device = CoreFixture()
        device.edit(note("parent"))
        device.edit(note("child"), under: note("parent"))
        device.answers[note("parent")] = .later
        device.send()
        device.send()
        #expect(device.asked.filter { $0 == note("child") }.count == 1)
        device.answers = [:]
        #expect(device.send() == .returned)
        #expect(device.pending == [])
        #expect(
            device.server.batches.map { $0.recordsToSave.map(\.recordID) } == [
                [note("parent")], [note("child")],
            ]
        )
    }

    /// What lets a child that waits for its parent be offered again.
    @Test(.holds("H90"), arguments: ["removed", "deleted", "gone", "surfaced"])
    func aChildIsOfferedAgainWhenItsParentLeavesTheQueue(_ how: String) {
        var device = CoreFixture()
        device.edit(note("parent"))
        device.edit(note("child"), under: note("parent"))
        device.answers[note("parent")] = .later
        device.send()
        device.answers = [:]
        switch how {
        case "removed": device.handle(.recordZoneChangesRemoved([.saveRecord(note("parent"))]))
        case "deleted": device.delete(note("parent"))
        case "gone": device.records[note("parent")] = nil
        case _: device.server.recordErrors[note("parent")] = SyncError(.permissionFailure)
        }
        device.send()
        device.send()
        #expect(device.failures[note("child")] == .referenceViolation)
        #expect(device.pending == [])
    }

    @Test(.holds("H90"), arguments: [SyncError.Code.quotaExceeded, .zoneBusy])
    func aChildWaitsWhileItsParentIsKept(code: SyncError.Code) {
        var device = CoreFixture(limits: RequestLimits(batchCountMax: 1))
        device.edit(note("parent"))
        device.edit(note("child"), under: note("parent"))
        device.server.recordErrors[note("parent")] = SyncError(code)
        device.send()
        device.send()
        #expect(
            device.server.batches.allSatisfy {
                $0.recordsToSave.map(\.recordID) == [note("parent")]
            }
        )
        #expect(device.pending.count == 2)
        device.server.recordErrors = [:]
        device.handle(.parkedChangesResumed)
        #expect(device.send() == .returned)
        #expect(device.pending == [])
    }

    @Test(.holds("H90"))
    func aChildOfAnAbandonedParentIsOfferedAgain() {
        var device = CoreFixture()
        device.edit(note("parent"))
        device.answers[note("parent")] = .later
        device.edit(note("child"), under: note("parent"))
        // The child waits for its parent now.
        device.send()
        device.handle(
            .databaseChangesAdded([.deleteZone(notes), .saveZone(RecordZone(zoneID: notes))])
        )
        // The child belongs to the zone's next life, the parent does not.
        device.edit(note("child"))
        device.send()
        device.send()
        #expect(device.abandoned.flatMap(\.recordZoneChanges) == [.saveRecord(note("parent"))])
        #expect(device.failures[note("child")] == .referenceViolation)
    }
}
