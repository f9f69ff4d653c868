import RecordModel
import SyncCore
import TestSupport
import Testing

/// What a call of the app can rely on.
struct CallPromiseTests {
    @Test(.holds("P22"))
    func theEventsAroundASendCarryTheCallersOptionsThoughAZoneIsLeftOut() {
        var device = CoreFixture(limits: RequestLimits(batchCountMax: 1))
        device.edit(note("a"), note("b"), note("c", in: tasks))
        device.callSend(.zoneIDs([notes, tasks]))
        device.runUntilSent()
        device.reply(failing: [note("a"): SyncError(.permissionFailure)])
        device.run()
        let scopes = device.events.compactMap { event -> SendChangesOptions.Scope? in
            switch event {
            case .willSendChanges(let send): send.context.options.scope
            case .didSendChanges(let send): send.context.options.scope
            default: nil
            }
        }
        #expect(scopes == [.zoneIDs([notes, tasks]), .zoneIDs([notes, tasks])])
        #expect(device.pending == [.saveRecord(note("b"))])
    }

    @Test(.holds("P28", "S76"))
    func aCallWithinARetryDelayThrowsAtOnceWithTheSecondsThatRemain() {
        var device = CoreFixture()
        device.edit(note("a"))
        device.callSend()
        device.runUntilSent()
        device.reply(failing: SyncError(.requestRateLimited, retryAfterSeconds: 60))
        device.run()
        device.advance(by: .seconds(15))
        let call = device.callSend()
        guard case .failed(let error) = device.ended[call] else {
            Issue.record("the call goes on")
            return
        }
        #expect(error.code == .requestRateLimited)
        #expect(error.retryAfterSeconds == 45)
        #expect(device.requests.isEmpty)
        device.advance(by: .seconds(45))
        #expect(device.send() == .returned)
        #expect(device.pending == [])
    }

    @Test(.holds("P29", "S24"))
    func aCallWithoutAKnownAccountAsksTheServerFirst() {
        var device = CoreFixture(isSignedIn: false)
        let call = device.callSend()
        #expect(device.transcript == ["askAccount #1"])
        device.server.account = .success(.noAccount)
        device.run()
        guard case .failed(let error) = device.ended[call] else {
            Issue.record("the call goes on")
            return
        }
        #expect(error.code == .notAuthenticated)
        #expect(device.events.isEmpty)
        device.server.account = .success(.available(userRecordName: "ann"))
        #expect(device.send() == .returned)
    }

    @Test(.holds("J1", "P9"))
    func theKeyOfASendIsTheEntryThatMarksItsBatch() throws {
        var device = CoreFixture()
        device.edit(note("a"))
        device.callSend()
        device.runUntilSent()
        let key = try #require(device.sentBatch?.idempotencyKey)
        let update = try #require(
            device.events.compactMap { event -> SyncEvent.StateUpdate? in
                guard case .stateUpdate(let update) = event else { return nil }
                return update
            }.last
        )
        #expect(update.entries.map(\.id).contains(key))
        #expect(key.writer == device.configuration.writer)
    }
}
