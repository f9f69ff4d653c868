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
