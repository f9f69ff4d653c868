import RecordModel
import RecordSync
import RecordSyncTesting
import TestSupport
import Testing

/// Several engines with their delegates on one world and one cloud.
struct WorldEngineTests {
    private let world = TestWorld()
    private let cloud: InMemoryCloud

    init() { cloud = InMemoryCloud(world) }

    @Test func anEngineDoesNothingUntilTheWorldRuns() throws {
        let device = TestDevice("A", on: world, cloud: cloud)
        device.save("n", text: "x")
        #expect(cloud.requestCount() == 0)
        try world.runUntilIdle()
        #expect(cloud.records(in: device.zone.zoneID, account: "alice").map(\.text) == ["x"])
    }

    @Test func aManualCallIsRunByTheWorld() throws {
        let device = TestDevice("A", on: world, cloud: cloud, isAutomatic: false)
        device.save("n", text: "x")
        try world.run { try await device.engine.sendChanges() }
        #expect(device.engine.state.pendingRecordZoneChangeCount == 0)
        #expect(cloud.records(in: device.zone.zoneID, account: "alice").map(\.text) == ["x"])
    }

    @Test func anEditReachesTheOtherDeviceByAHint() throws {
        let a = TestDevice("A", on: world, cloud: cloud)
        let b = TestDevice("B", on: world, cloud: cloud)
        try world.advance(by: .seconds(10))
        a.save("n", text: "x")
        try world.advance(by: .seconds(10))
        #expect(b.delegate[b.id("n")]?.text == "x")
    }

    @Test func aThrottledEngineWaitsInVirtualTime() throws {
        let device = TestDevice("A", on: world, cloud: cloud)
        try world.runUntilIdle()
        cloud.inject(.next(.rateLimit(retryAfterSeconds: 60)).on(.modifyRecords))
        device.save("n", text: "x")
        try world.advance(by: .seconds(59))
        #expect(cloud.records(in: device.zone.zoneID, account: "alice") == [])
        try world.advance(by: .seconds(10))
        #expect(cloud.records(in: device.zone.zoneID, account: "alice").map(\.text) == ["x"])
    }

    @Test(.holds("I33"))
    func theSameSeedGivesTheSameRun() throws {
        func run(seed: UInt64) throws -> [String] {
            let world = TestWorld(seed: seed, order: .shuffled)
            let cloud = InMemoryCloud(world)
            let devices = ["A", "B", "C"].map { TestDevice($0, on: world, cloud: cloud) }
            for round in 0..<3 {
                for device in devices { device.save("n\(round)", text: device.name) }
                try world.advance(by: .seconds(30))
            }
            return devices.flatMap(\.delegate.eventDescriptions) + cloud.log.map(\.description)
        }
        let first = try run(seed: 5)
        #expect(try run(seed: 5) == first)
        #expect(first.count > 50)
    }

    @Test func aHeldRequestLetsTheTestActInItsMiddle() throws {
        let a = TestDevice("A", on: world, cloud: cloud, isAutomatic: false)
        try world.run { try await a.engine.sendChanges() }
        a.save("n", text: "first")
        try world.run { [cloud] in
            let hold = cloud.hold(.modifyRecords)
            async let send: Void = a.engine.sendChanges()
            try await hold.arrived()
            // The server has it, the engine does not know.
            #expect(cloud.record(a.id("n"), account: "alice")?.text == "first")
            #expect(a.engine.state.pendingRecordZoneChanges == [])
            a.save("n", text: "second")
            hold.release()
            try await send
        }
        #expect(cloud.record(a.id("n"), account: "alice")?.text == "second")
    }

    @Test func aDeviceRelaunchesWithTheStateItStoredLast() throws {
        let first = TestDevice("A", on: world, cloud: cloud, isAutomatic: false)
        first.save("n", text: "x")
        try world.run {
            try await first.engine.sendChanges()
            try await first.engine.fetchChanges()
        }
        cloud.clearLog()
        let second = first.relaunched()
        try world.run { try await second.engine.fetchChanges() }
        #expect(second.delegate[first.id("n")]?.text == "x")
        #expect(cloud.log.map(\.summary) == ["", "since a token"])
    }
}

extension Record {
    var text: String? { self["text"] }
}
