import RecordModel
import RecordSync
import RecordSyncTesting
import TestSupport
import Testing

/// Several devices that sync by themselves, and all ways of disturbing them.
@Suite struct ConvergenceStoryTests {
    private struct Choice {
        var generator: UInt64

        mutating func next(_ count: UInt64) -> UInt64 {
            generator = generator &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (generator >> 33) % count
        }
    }

    @Test(.holds("P82", "H66", "H70", "H72", "I23"), arguments: [UInt64(1), 2, 3])
    func allDevicesAreAlikeThreeMinutesAfterTheLastFault(seed: UInt64) throws {
        let story = Story(seed: seed)
        var devices = ["A", "B", "C"].map { name in
            TestDevice(name, on: story.world, cloud: story.cloud).mergesConflicts()
        }
        var choice = Choice(generator: seed)
        for step in 0..<60 {
            let number = Int(choice.next(3))
            switch choice.next(9) {
            case 0: story.cloud.setOnline(false, device: devices[number].name)
            case 1: story.cloud.setOnline(true, device: devices[number].name)
            case 2: story.cloud.inject(.next(.loseAnswer, count: Int(choice.next(3)) + 1))
            case 3: story.cloud.inject(.next(.outage, count: 3).from(devices[number].name))
            case 4: story.cloud.inject(.next(.rateLimit(retryAfterSeconds: 20)))
            case 5: story.cloud.setPushSilent(choice.next(2) == 0)
            case 6: devices[number] = devices[number].relaunched().mergesConflicts()
            case _: devices[number].save("n\(choice.next(6))", text: "\(step)")
            }
            try story.world.advance(by: .milliseconds(Int64(choice.next(10_000))))
        }
        story.cloud.liftAllFaults()
        for device in devices { story.cloud.setOnline(true, device: device.name) }
        try story.world.advance(by: .seconds(3 * 60))
        let zone = devices[0].zone.zoneID
        let server = story.cloud.records(in: zone, account: "alice")
        for device in devices {
            #expect(device.pending.isEmpty, "\(device.name)")
            #expect(device.delegate.records.count == server.count, "\(device.name)")
            for record in server {
                let (mine, theirs): (String?, String?) = (
                    device.delegate[record.recordID]?["text"], record["text"]
                )
                #expect(mine == theirs, "\(device.name) \(record.recordID)")
            }
            #expect(device.engine.schedule.isAtRest, "\(device.engine.schedule)")
        }
    }
}
