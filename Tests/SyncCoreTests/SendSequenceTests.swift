import RecordModel
import SyncCore
import TestSupport
import Testing

@Suite struct SendSequenceTests {
    @Test(.holds("S1", "S3", "S6", "S7", "S8"))
    func sendsOneBatchAsOneRequestAndReportsIt() {
        var device = CoreFixture()
        device.edit(note("a"))
        #expect(device.send() == .returned)
        #expect(
            device.transcript.map(withoutNumber) == [
                "askAccount",
                "deliver willSendChanges(manual, all)",
                "requestBatch manual, all",
                "deliver stateUpdate",
                "modifyRecords save [notes/a] delete []",
                "deliver sentRecordZoneChanges(1 saved, 0 deleted, 0 failed)",
                "requestBatch manual, all",
                "deliver didSendChanges(manual, all)",
                "deliver stateUpdate",
                "endCall returned",
            ]
        )
    }
}

/// An effect in words without its number, which other effects shift.
func withoutNumber(_ line: String) -> String {
    line.split(separator: " ").filter { !$0.hasPrefix("#") }.joined(separator: " ")
}
