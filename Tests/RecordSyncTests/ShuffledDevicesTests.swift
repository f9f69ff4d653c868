import RecordModel
import RecordSync
import RecordSyncTesting
import TestSupport
import Testing

/// Devices that sync by themselves, in turns that chance decides, over a network that fails.
@Suite struct ShuffledDevicesTests {
    private struct Dice {
        var state: UInt64

        mutating func roll(_ count: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % UInt64(count))
        }
    }

    private func makeTrouble(_ story: Story) {
        let cloud = story.cloud
        cloud.setPageSize(3)
        cloud.setLimits(RequestLimits(batchCountMax: 4, batchByteCountMax: 100_000))
        cloud.inject(.every(7, .loseAnswer).on(.modifyRecords))
        cloud.inject(.every(11, .loseRequest).on(.modifyRecords))
        cloud.inject(.every(13, .arriveLate).on(.modifyRecords))
        cloud.inject(.every(9, .fail(SyncError(.serviceUnavailable))))
        cloud.inject(.every(17, .rateLimit(retryAfterSeconds: 5)))
    }

    private func edit(_ device: TestDevice, _ dice: inout Dice, _ round: Int) {
        let name = "n\(dice.roll(6))"
        if dice.roll(5) == 0 {
            device.delete(name)
        } else {
            device.save(name, text: "\(device.name)\(round)")
        }
    }

    @Test(
        .holds("H52", "H62", "H70", "H79", "H98", "H100", "H109", "P7"),
        arguments: UInt64(0)..<24
    )
    func agreeInTheEnd(seed: UInt64) throws {
        let story = Story(seed: seed, order: .shuffled)
        var dice = Dice(state: seed)
        makeTrouble(story)
        var devices = ["A", "B", "C"].map {
            TestDevice($0, on: story.world, cloud: story.cloud).mergesConflicts()
        }
        for round in 0..<40 {
            let place = dice.roll(3)
            edit(devices[place], &dice, round)
            if dice.roll(10) == 0 {
                // The device's app is launched anew, with what it had stored.
                try story.world.advance(by: .milliseconds(200))
                devices[place] = devices[place].relaunched().mergesConflicts()
            }
            if dice.roll(6) == 0 { story.cloud.deliverLateRequests() }
            if dice.roll(12) == 0 {
                // There may be no such zone yet.
                try? story.cloud.expireTokens(of: devices[0].zone.zoneID, account: "alice")
            }
            try story.world.advance(by: .milliseconds(dice.roll(3000)))
        }
        story.cloud.liftAllFaults()
        story.cloud.deliverLateRequests()
        try story.world.advance(by: .seconds(3600))
        let server = story.cloud.records(in: devices[0].zone.zoneID, account: "alice")
        for device in devices {
            #expect(device.pending == [], "\(device.name)")
            let records = device.delegate.records.values.sorted { $0.recordID < $1.recordID }
            #expect(
                records.map { "\($0.recordID.recordName) \($0["text"] as String? ?? "")" }
                    == server.map {
                        "\($0.recordID.recordName) \($0["text"] as String? ?? "")"
                    },
                "\(device.name)"
            )
        }
        story.cloud.clearLog()
        try story.world.advance(by: .seconds(3600))
        #expect(story.cloud.writeRequestCount() == 0)
    }
}
