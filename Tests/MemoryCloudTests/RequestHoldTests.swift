import MemoryCloud
import RecordModel
import RecordSync
import TestSupport
import Testing

struct RequestHoldTests {
    private let fixture: CloudFixture
    private var cloud: InMemoryCloud { fixture.cloud }

    init() throws { fixture = try CloudFixture() }

    @Test func stopsAnAnswerThatTheServerHasReady() async throws {
        let hold = cloud.hold(.modifyRecords)
        async let reply = fixture.save("n")
        try await hold.arrived()
        #expect(fixture.names == ["n", "old"])
        #expect(cloud.log.last?.outcome == .underWay)
        hold.release()
        #expect(try await reply.codes == [nil])
        #expect(cloud.log.last?.outcome == .answered)
    }

    @Test func stopsARequestBeforeTheServerSeesIt() async throws {
        let hold = cloud.hold(.modifyRecords, at: .beforeServer)
        async let reply = fixture.save("n")
        try await hold.arrived()
        #expect(fixture.names == ["old"])
        _ = try await fixture.save("n", from: fixture.b)
        hold.release()
        #expect(try await reply.codes == [.serverRecordChanged])
    }

    @Test func losesTheAnswerOrTheRequestWhenReleasedWithAnError() async throws {
        let lost = SyncError(.networkFailure, "cut")
        let answer = cloud.hold(.modifyRecords)
        answer.release(failingWith: lost)
        await #expect(throws: lost) { try await fixture.save("taken") }
        #expect(cloud.log.last?.outcome == .answerLost(lost))
        let request = cloud.hold(.modifyRecords, at: .beforeServer)
        request.release(failingWith: lost)
        await #expect(throws: lost) { try await fixture.save("untaken") }
        #expect(cloud.log.last?.outcome == .failed(lost))
        #expect(fixture.names == ["old", "taken"])
    }

    @Test func stopsOneRequestOfTheKindAndDeviceOnly() async throws {
        let hold = cloud.hold(.modifyRecords, from: "B")
        _ = try await fixture.zones(from: fixture.b)
        _ = try await fixture.save("a")
        async let reply = fixture.save("b", from: fixture.b)
        try await hold.arrived()
        _ = try await fixture.save("c", from: fixture.b)
        hold.release()
        #expect(try await reply.codes == [nil])
        #expect(fixture.names == ["a", "b", "c", "old"])
    }

    @Test func stopsNothingOnceItWasReleased() async throws {
        let hold = cloud.hold(.modifyRecords)
        hold.release()
        #expect(try await fixture.save("n").codes == [nil])
        try await hold.arrived()
    }

    @Test func aCancelledRequestIsHeldNoLonger() async throws {
        let hold = cloud.hold(.modifyRecords)
        let fixture = fixture
        await withTaskGroup(of: SyncError.Code?.self) { group in
            group.addTask {
                await code { () throws(SyncError) in _ = try await fixture.save("n") }
            }
            try? await hold.arrived()
            group.cancelAll()
            #expect(await group.next() == .networkFailure)
        }
    }

    @Test func aRequestOfACancelledTaskIsNotHeldAtAll() async {
        _ = cloud.hold(.modifyRecords)
        let fixture = fixture
        await withTaskGroup(of: SyncError.Code?.self) { group in
            group.cancelAll()
            group.addTask {
                await code { () throws(SyncError) in _ = try await fixture.save("n") }
            }
            #expect(await group.next() == .networkFailure)
        }
    }

    @Test func aCancelledWatcherWaitsNoLonger() async {
        let hold = cloud.hold(.modifyRecords)
        await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                do {
                    try await hold.arrived()
                    return false
                } catch {
                    return error is CancellationError
                }
            }
            group.cancelAll()
            #expect(await group.next() == true)
        }
    }
}
