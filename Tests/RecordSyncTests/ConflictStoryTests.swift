import RecordModel
import RecordSync
import RecordSyncTesting
import TestSupport
import Testing

/// Two devices edit one record.
@Suite struct ConflictStoryTests {
    private let story = Story()

    /// Two devices that both have the record, by `save` of the first.
    private func pair(_ text: String = "v1") throws -> (TestDevice, TestDevice) {
        let (a, b) = (
            story.device("A").mergesConflicts(), story.device("B").mergesConflicts()
        )
        a.save("n", text: text)
        try story.meet(a, b)
        #expect(b.text("n") == text)
        story.cloud.clearLog()
        return (a, b)
    }

    private func set(_ key: String, _ value: String, on device: TestDevice) {
        device.delegate[device.id("n")]?[key] = value
        device.engine.state.add(pendingRecordZoneChanges: [.saveRecord(device.id("n"))])
    }

    @Test(.holds("H01", "S47"))
    func keepsAnEditMadeWhileTheSameRecordIsBeingSent() throws {
        let (a, b) = try pair()
        let cloud = story.cloud
        set("text", "v2", on: a)
        try story.world.run {
            let hold = cloud.hold(.modifyRecords, from: "A")
            async let send: Void = a.engine.sendChanges()
            try await hold.arrived()
            a.delegate[a.id("n")]?["body"] = "b"
            a.engine.state.add(pendingRecordZoneChanges: [.saveRecord(a.id("n"))])
            hold.release()
            try await send
        }
        try story.send(a)
        #expect(a.pending == [])
        #expect(a.failures == [])
        try story.sync(b)
        #expect(b.text("n") == "v2")
        let body: String? = b.delegate[b.id("n")]?["body"]
        #expect(body == "b")
    }

    @Test(.holds("H02", "H10", "S115"))
    func meetsANewerVersionAsAConflictAndKeepsBothEdits() throws {
        let (a, b) = try pair()
        set("body", "from B", on: b)
        try story.send(b)
        set("text", "from A", on: a)
        #expect(TestDevice.code { try story.send(a) } == .partialFailure)
        #expect(a.failures == [.serverRecordChanged])
        try story.send(a)
        try story.meet(b, a)
        for device in [a, b] {
            let body: String? = device.delegate[device.id("n")]?["body"]
            #expect(device.text("n") == "from A")
            #expect(body == "from B")
        }
    }

    @Test(.holds("H10"))
    func sendsAnEditOfBeforeTheLaunchOnItsOldVersion() throws {
        let (a, b) = try pair()
        set("text", "newer", on: a)
        try story.send(a)
        let relaunched = b.relaunched()
        set("text", "older", on: relaunched)
        #expect(TestDevice.code { try story.send(relaunched) } == .partialFailure)
        #expect(relaunched.failures == [.serverRecordChanged])
        #expect(story.text(a.id("n")) == "newer")
    }

    @Test(.holds("H03", "S116"))
    func needsOneMoreSendToMergeAConflict() throws {
        let (a, b) = try pair()
        set("text", "from B", on: b)
        try story.send(b)
        set("text", "from A", on: a)
        _ = TestDevice.code { try story.send(a) }
        try story.send(a)
        #expect(story.cloud.requestCount(of: .modifyRecords, from: "A") == 2)
        #expect(a.pending == [])
    }

    @Test(.holds("H04"))
    func comesToRestWhenTheServersVersionWins() throws {
        let a = story.device("A")
        let b = story.device("B")
        b.save("n", text: "server")
        try story.send(b)
        a.save("n", text: "client")
        a.delegate.onEvent(.sentRecordZoneChanges) { event, _, _ in
            guard case .sentRecordZoneChanges(let sent) = event else { return }
            for failure in sent.failedRecordSaves {
                a.delegate[failure.record.recordID] = failure.error.serverRecord
            }
        }
        _ = TestDevice.code { try story.send(a) }
        #expect(a.pending == [])
        #expect(a.text("n") == "server")
        story.cloud.clearLog()
        try story.send(a)
        try story.fetch(a)
        #expect(story.cloud.writeRequestCount(from: "A") == 0)
    }

    @Test(.holds("H05"))
    func reportsEachRecordOfABatchThatAllConflict() throws {
        let (a, _) = try pair()
        a.save("m", text: "x")
        try story.send(a)
        // A device restored from before it had sent anything.
        let restored = story.device("A2")
        restored.save("n", text: "old")
        restored.save("m", text: "old")
        let error = #expect(throws: SyncError.self) { try story.send(restored) }
        #expect(error?.partialErrorsByItemID?.count == 2)
        #expect(restored.failures == [.serverRecordChanged, .serverRecordChanged])
        #expect(restored.pending == [])
    }

    @Test(.holds("H08"))
    func sendsTheLastOfManyQuickEdits() throws {
        let (a, b) = try pair()
        let cloud = story.cloud
        set("text", "B", on: a)
        try story.world.run {
            let hold = cloud.hold(.modifyRecords, from: "A")
            async let send: Void = a.engine.sendChanges()
            try await hold.arrived()
            for text in ["C", "D", "E"] {
                a.delegate[a.id("n")]?["text"] = text
                a.engine.state.add(pendingRecordZoneChanges: [.saveRecord(a.id("n"))])
            }
            hold.release()
            try await send
        }
        try story.send(a)
        try story.sync(b)
        #expect(story.text(a.id("n")) == "E")
        #expect(b.text("n") == "E")
        #expect(a.failures == [])
    }

    @Test(.holds("H09", "H11"))
    func neverMeetsItsOwnVersionAsAConflict() throws {
        let (a, _) = try pair()
        let cloud = story.cloud
        set("text", "v2", on: a)
        try story.world.run {
            let hold = cloud.hold(.modifyRecords, from: "A")
            async let send: Void = a.engine.sendChanges()
            try await hold.arrived()
            a.delegate[a.id("n")]?["text"] = "v3"
            a.engine.state.add(pendingRecordZoneChanges: [.saveRecord(a.id("n"))])
            async let fetch: Void = a.engine.fetchChanges()
            await self.story.world.idle()
            hold.release()
            _ = try await (send, fetch)
        }
        try story.send(a)
        #expect(a.failures == [])
        #expect(a.fetched == [])
        #expect(story.text(a.id("n")) == "v3")
    }

    @Test(.holds("H12"))
    func keepsAConflictedChangeThatTheAppFailedToMerge() throws {
        let a = story.device("A")
        a.save("n", text: "mine")
        try story.cloud.save(
            [Record(recordType: "Note", recordID: a.id("n"))],
            account: "alice"
        )
        a.delegate.throwError(Refusal(number: 7), at: .sentRecordZoneChanges)
        #expect(throws: Refusal(number: 7)) { try story.send(a) }
        #expect(a.text("n") == "mine")
        a.delegate.forgetEvents()
        _ = TestDevice.code { try story.send(a) }
        // The event comes again, first in the next call.
        let first = a.delegate.eventKinds.first
        #expect(first == .sentRecordZoneChanges)
        #expect(a.failures == [.serverRecordChanged])
        #expect(story.cloud.requestCount(of: .modifyRecords) == 1)
    }

    @Test(.holds("H103", "H104", "H105"), arguments: [-7200, -300, 300, 7200])
    func doesNotDependOnAnybodysClock(seconds: Int) throws {
        let (a, b) = try pair()
        set("text", "first", on: b)
        try story.send(b)
        story.world.shiftWallClock(by: .seconds(seconds))
        story.cloud.moveClock(by: .seconds(-2 * seconds))
        try story.fetch(a)
        set("text", "second", on: a)
        try story.send(a)
        try story.sync(b)
        #expect(b.text("n") == "second")
        #expect(a.failures + b.failures == [])
    }

    @Test(.holds("H106"))
    func keepsFieldsThatAnOlderAppDoesNotKnow() throws {
        let (new, old) = try pair()
        set("image", "bytes", on: new)
        try story.send(new)
        // The older app builds its record anew, with what it knows: the title and the stamps.
        try story.fetch(old)
        let id = old.id("n")
        old.delegate.onBatch { [delegate = old.delegate] context, _, _ in
            await .init(context) { (recordID: Record.ID) in
                guard let known = delegate[recordID] else { return .gone }
                var record = Record(systemFields: known.systemFields)
                record["text"] = "edited"
                return .record(record)
            }
        }
        old.engine.state.add(pendingRecordZoneChanges: [.saveRecord(id)])
        try story.send(old)
        try story.sync(new)
        let image: String? = new.delegate[id]?["image"]
        #expect(image == "bytes")
        #expect(new.text("n") == "edited")
    }
}
