import RecordModel
import RecordSyncTools
import Testing

struct DemoImageTests {
    @Test func tellsEveryWayInWhichADeviceDiffersFromTheServer() {
        let device = DemoImage(of: [record("a", 1), record("c", 1), record("e", 1)])
        let server = DemoImage(of: [record("b", 1), record("c", 2), record("d", 1)])
        #expect(
            device.differences(on: "X", from: server) == [
                "device X has _defaultZone/a, which the server lacks",
                "device X lacks _defaultZone/b, which the server has",
                "device X has another _defaultZone/c than the server",
                "device X lacks _defaultZone/d, which the server has",
                "device X has _defaultZone/e, which the server lacks",
            ]
        )
        #expect(device.digest != server.digest)
    }

    @Test func theSameRecordsAreTheSameInAnyOrderAndUnderAnyTag() {
        let device = DemoImage(of: [record("a", 1), record("b", 2)])
        let stamp = Record.Stamp(timestamp: .init(millisecondsSince1970: 1), userRecordName: "u")
        let server = DemoImage(
            of: [record("b", 2), record("a", 1)].map {
                $0.stored(changeTag: "9", creation: stamp, modification: stamp)
            }
        )
        #expect(device.differences(on: "X", from: server) == [])
        #expect(device.digest == server.digest)
        #expect(device.count == 2)
    }

    private func record(_ name: String, _ number: Int) -> Record {
        var record = Record(recordType: "T", recordID: Record.ID(recordName: name))
        record["number"] = number
        return record
    }
}
