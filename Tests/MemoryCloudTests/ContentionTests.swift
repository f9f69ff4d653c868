import MemoryCloud
import RecordModel
import RecordSync
import TestSupport
import Testing

/// Many devices at once, on as many threads as there are.
struct ContentionTests {
    private let fixture: CloudFixture
    private var cloud: InMemoryCloud { fixture.cloud }

    init() throws { fixture = try CloudFixture() }

    @Test func everyRequestOfManyDevicesAtOnceHasItsEffectOnce() async throws {
        let deviceCount = 8
        let requestCount = 100
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<deviceCount {
                let device = "device \(number)"
                let database = cloud.database(.private, account: "alice", device: device)
                group.addTask { [fixture] in
                    for request in 0..<requestCount {
                        let reply = try await fixture.save("\(number)-\(request)", from: database)
                        #expect(reply.codes == [nil])
                        _ = try await fixture.zones(from: database)
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(fixture.names.count == deviceCount * requestCount + 1)
        #expect(cloud.requestCount() == 2 * deviceCount * requestCount)
        #expect(cloud.log.allSatisfy { $0.outcome == .answered })
    }

    @Test func holdsAndHintsOfManyDevicesMeetTheirRequests() async throws {
        let stream = fixture.b.notifications()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                let device = "device \(number)"
                let database = cloud.database(.private, account: "alice", device: device)
                let hold = cloud.hold(.modifyRecords, from: device)
                group.addTask { [fixture] in
                    _ = try await fixture.save("\(number)", from: database)
                }
                group.addTask {
                    try await hold.arrived()
                    hold.release()
                }
            }
            try await group.waitForAll()
        }
        var hints = stream.makeAsyncIterator()
        for _ in 0..<8 { #expect(await hints.next() == .databaseChanged) }
        #expect(fixture.names.count == 9)
    }
}
