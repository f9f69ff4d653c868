import RecordModel
import RecordSync
import RecordSyncTesting
import TestSupport
import Testing

/// The network and the server fail.
@Suite struct FaultStoryTests {
    private let story = Story()

    private func prepared() throws -> TestDevice {
        let device = story.device("A")
        try story.send(device)
        device.save("n", text: "x")
        story.cloud.clearLog()
        return device
    }

    @Test(
        .holds("H109"),
        arguments: [
            Fault.Effect.loseAnswer, .loseAnswerAs(SyncError(.networkFailure)), .loseRequest,
            .arriveLate, .duplicate,
        ]
    )
    func savesOnceWhateverHappensToTheRequest(effect: Fault.Effect) throws {
        let device = try prepared()
        story.cloud.inject(.next(effect).on(.modifyRecords))
        _ = TestDevice.code { try story.send(device) }
        _ = TestDevice.code { try story.send(device) }
        story.cloud.deliverLateRequests()
        try story.send(device)
        #expect(device.pending == [])
        #expect(device.failures == [])
        let history = story.cloud.history(of: device.id("n"), account: "alice")
        #expect(history.count == 1)
        #expect(
            device.delegate[device.id("n")]?.recordChangeTag
                == story.cloud.record(device.id("n"), account: "alice")?.recordChangeTag
        )
    }

    @Test(
        .holds("H109", "S51", "P5"),
        arguments: [
            Fault.Effect.loseAnswer, .loseRequest, .arriveLate,
        ]
    )
    func savesOnceAlthoughTheProcessDiedWithoutTheAnswer(effect: Fault.Effect) throws {
        let device = try prepared()
        story.cloud.inject(.next(effect).on(.modifyRecords))
        story.cloud.inject(.next(.fail(SyncError(.networkUnavailable))).on(.outcome))
        _ = TestDevice.code { try story.send(device) }
        let relaunched = device.relaunched()
        #expect(relaunched.pending == [.saveRecord(device.id("n"))])
        try story.send(relaunched)
        story.cloud.deliverLateRequests()
        #expect(relaunched.pending == [])
        #expect(relaunched.failures == [])
        #expect(story.cloud.history(of: device.id("n"), account: "alice").count == 1)
    }

    @Test(.holds("H109"))
    func meetsAnEditOfAnotherDeviceBetweenCommitAndResendAsAConflict() throws {
        let device = try prepared()
        story.cloud.inject(.next(.loseAnswer).on(.modifyRecords))
        story.cloud.inject(.next(.fail(SyncError(.networkUnavailable))).on(.outcome))
        _ = TestDevice.code { try story.send(device) }
        let other = story.device("B")
        try story.fetch(other)
        other.save("n", text: "theirs")
        try story.send(other)
        try story.send(device)
        try story.fetch(device)
        #expect(story.text(device.id("n")) == "theirs")
        #expect(device.fetched == ["n"])
    }

    @Test(
        .holds("H63"),
        arguments: [
            SyncError.Code.serviceUnavailable, .requestRateLimited, .zoneBusy, .networkFailure,
            .networkUnavailable, .notAuthenticated, .accountTemporarilyUnavailable,
        ]
    )
    func keepsARecordThatFailedForAWhile(code: SyncError.Code) throws {
        let device = try prepared()
        for name in ["o", "p"] { device.save(name, text: "x") }
        let ids = ["n", "o", "p"].map(device.id)
        for id in ids {
            story.cloud.inject(.next(.refuse(.record(id), SyncError(code))))
        }
        #expect(TestDevice.code { try story.send(device) } == .partialFailure)
        #expect(device.pending == ids.map { .saveRecord($0) })
        try story.send(device)
        #expect(device.pending == [])
    }

    @Test(.holds("H66", "H55", "H72"))
    func sendsEverythingEditedOfflineInOrderAlsoAfterARelaunch() throws {
        let device = story.device("A")
        try story.send(device)
        story.cloud.setOnline(false, device: "A")
        for number in 1...5 {
            device.save("n\(number)", text: "x")
            #expect(TestDevice.code { try story.send(device) } == .networkUnavailable)
        }
        let relaunched = device.relaunched()
        story.cloud.setOnline(true, device: "A")
        relaunched.save("n6", text: "x")
        try story.send(relaunched)
        let saved = relaunched.delegate.events.flatMap { event -> [String] in
            guard case .sentRecordZoneChanges(let sent) = event else { return [] }
            return sent.savedRecords.map(\.recordID.recordName)
        }
        #expect(saved == (1...6).map { "n\($0)" })
    }

    @Test(.holds("H73", "S17"))
    func sendsToOneZoneAlthoughAnotherRefuses() throws {
        let device = try prepared()
        let other = RecordZone(zoneName: "Refusing")
        let id = Record.ID(recordName: "p", zoneID: other.zoneID)
        device.engine.state.add(pendingDatabaseChanges: [.saveZone(other)])
        device.delegate[id] = Record(recordType: "Note", recordID: id)
        device.engine.state.add(pendingRecordZoneChanges: [.saveRecord(id)])
        let refusal = SyncError(.permissionFailure)
        story.cloud.inject(.next(.refuse(.record(id), refusal)))
        let error = #expect(throws: SyncError.self) { try story.send(device) }
        #expect(error?.partialErrorsByItemID?.keys.map { $0 } == [.record(id)])
        #expect(story.text(device.id("n")) == "x")
    }

    @Test(.holds("H68"))
    func tellsTheSecondsThatRemainToACallWithinADelay() throws {
        let device = try prepared()
        story.cloud.inject(.next(.rateLimit(retryAfterSeconds: 60)).on(.databaseChanges))
        #expect(TestDevice.code { try story.fetch(device) } == .requestRateLimited)
        try story.world.advance(by: .seconds(20))
        story.cloud.clearLog()
        let error = #expect(throws: SyncError.self) { try story.send(device) }
        #expect(error?.retryAfterSeconds == 40)
        #expect(story.cloud.requestCount() == 0)
        try story.world.advance(by: .seconds(40))
        try story.send(device)
        #expect(device.pending == [])
    }
}
