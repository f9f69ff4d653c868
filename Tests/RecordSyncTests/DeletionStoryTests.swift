import RecordModel
import RecordSync
import RecordSyncTesting
import TestSupport
import Testing

/// Records are deleted while other devices do something else.
@Suite struct DeletionStoryTests {
    private let story = Story()

    private func trio() throws -> [TestDevice] {
        let devices = ["A", "B", "C"].map { story.device($0) }
        devices[0].save("n", text: "v1")
        for device in devices { try story.sync(device) }
        return devices
    }

    @Test(.holds("H13"))
    func bringsARecordThatIsMadeAgainToTheOtherDevice() throws {
        let (a, b) = (story.device("A"), story.device("B"))
        for text in ["first", "second"] {
            a.save("n", text: text)
            try story.meet(a, b)
            #expect(b.text("n") == text)
            guard text == "first" else { break }
            a.delete("n")
            try story.meet(a, b)
            #expect(b.text("n") == nil)
        }
        #expect(a.failures + b.failures == [])
    }

    @Test(.holds("H14"))
    func doesNotReviveWhatItDeletedAfterItSentIt() throws {
        let (a, b) = (story.device("A"), story.device("B"))
        a.save("n", text: "x")
        try story.send(a)
        a.delete("n")
        try story.fetch(a)
        #expect(a.text("n") == nil)
        try story.send(a)
        try story.meet(a, b)
        #expect(b.text("n") == nil)
        #expect(story.text(a.id("n")) == nil)
    }

    @Test(.holds("H14"))
    func deletesInTheEndWhatAPageBroughtBackBeforeTheDeletionWasSent() throws {
        let devices = try trio()
        let (a, b) = (devices[0], devices[1])
        a.save("n", text: "edited")
        try story.send(a)
        b.delete("n")
        try story.fetch(b)
        #expect(b.pending == [.deleteRecord(b.id("n"))])
        try story.send(b)
        try story.meet(a, b)
        #expect(story.text(a.id("n")) == nil)
        #expect(b.text("n") == nil)
        #expect(a.text("n") == nil)
    }

    @Test(.holds("H06", "H07"))
    func tellsWhoComesSecondOfADeletionAndAnEdit() throws {
        let devices = try trio()
        let (a, b) = (devices[0], devices[1])
        a.save("n", text: "edited")
        b.delete("n")
        try story.send(b)
        try story.fetch(a)
        #expect(a.fetched == ["-n"])
        #expect(a.pending == [.saveRecord(a.id("n"))])
        _ = TestDevice.code { try story.send(a) }
        #expect(a.failures == [.unknownItem])
        #expect(story.text(a.id("n")) == nil)
    }

    @Test(.holds("P41", "H07"))
    func deletesConditionallyWhatNobodyChangedMeanwhile() throws {
        let devices = try trio()
        let (a, b) = (devices[0], devices[1])
        let tag = try #require(b.delegate[b.id("n")]?.recordChangeTag)
        a.save("n", text: "edited")
        try story.send(a)
        b.delete("n")
        b.delegate.onBatch { [id = b.id("n")] _, _, engine in
            guard engine.state.pendingRecordZoneChanges.contains(.deleteRecord(id)) else {
                return nil
            }
            var batch = SyncEngine.RecordZoneChangeBatch(recordIDsToDelete: [id])
            batch.expectedChangeTags[id] = tag
            return batch
        }
        _ = TestDevice.code { try story.send(b) }
        #expect(b.failures == [.serverRecordChanged])
        #expect(story.text(a.id("n")) == "edited")
        // With the version that is there it goes.
        let newTag = try #require(a.delegate[a.id("n")]?.recordChangeTag)
        b.delete("n")
        b.delegate.onBatch { [id = b.id("n")] _, _, engine in
            guard engine.state.pendingRecordZoneChanges.contains(.deleteRecord(id)) else {
                return nil
            }
            var batch = SyncEngine.RecordZoneChangeBatch(recordIDsToDelete: [id])
            batch.expectedChangeTags[id] = newTag
            return batch
        }
        try story.send(b)
        #expect(story.text(a.id("n")) == nil)
    }

    @Test(.holds("H16", "H17"))
    func aDeviceThatComesBackSendsNothingOfWhatWasDeleted() throws {
        let devices = try trio()
        let (a, b, c) = (devices[0], devices[1], devices[2])
        for number in 0..<300 { a.save("many\(number)", text: "x") }
        try story.meet(a, b, c)
        story.cloud.setOnline(false, device: "B")
        for number in 0..<300 { a.delete("many\(number)") }
        a.delete("n")
        try story.send(a)
        try story.fetch(c)
        story.cloud.setOnline(true, device: "B")
        story.cloud.clearLog()
        try story.sync(b)
        #expect(b.delegate.records.isEmpty)
        #expect(story.cloud.writeRequestCount(from: "B") == 0)
        #expect(story.cloud.records(in: a.zone.zoneID, account: "alice").isEmpty)
    }

    @Test(.holds("H22"))
    func derivesNoDeletionFromAFetchThatFails() throws {
        let devices = try trio()
        let b = devices[1]
        for error in [SyncError.Code.networkFailure, .serviceUnavailable, .internalError] {
            story.cloud.inject(.next(.fail(SyncError(error))).on(.databaseChanges).from("B"))
            _ = TestDevice.code { try story.fetch(b) }
            story.cloud.inject(.next(.fail(SyncError(error))).on(.zoneChanges).from("B"))
            _ = TestDevice.code { try story.fetch(b) }
        }
        story.cloud.liftAllFaults()
        #expect(b.text("n") == "v1")
        #expect(b.pending == [])
        story.cloud.clearLog()
        try story.send(b)
        #expect(story.cloud.writeRequestCount(from: "B") == 0)
    }

    @Test(.holds("H25"))
    func leavesOutARecordThatTheAppDeletedBeforeItWasAskedForIt() throws {
        let a = story.device("A")
        a.save("gone", text: "x")
        a.save("there", text: "x")
        a.delegate[a.id("gone")] = nil
        try story.send(a)
        #expect(a.pending == [])
        let names = story.cloud.records(in: a.zone.zoneID, account: "alice")
        #expect(names.map(\.recordID.recordName) == ["there"])
    }

    @Test(.holds("H18"))
    func learnsOfADeletionAfterItsTokenExpired() throws {
        let devices = try trio()
        let (a, b) = (devices[0], devices[1])
        a.delete("n")
        try story.send(a)
        try story.cloud.expireAllTokens(account: "alice")
        try story.fetch(b)
        #expect(b.text("n") == nil)
        #expect(
            b.fetchKinds == [
                .full(id: 1, reason: .firstFetch),
                .full(id: 2, reason: .tokenExpired),
            ]
        )
    }
}
