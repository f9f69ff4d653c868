import Foundation
import RecordModel
import RecordSync
import RecordSyncTesting
import TestSupport
import Testing

/// Files from one device to another, over the shell, a real disk and the rules of the server.
@Suite struct AssetStoryTests {
    private let story: AssetStory

    init() throws { story = try AssetStory() }

    @Test(.holds("P100", "P103", "P105"))
    func bringsAFileFromOneDeviceToAnother() throws {
        let (a, b) = (story.device("A"), story.device("B"))
        let fetched = b.readsFiles()
        let bytes = (0..<700_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        a.attach(story.write(bytes, to: "photo"), to: "n")
        try story.send(a)
        try story.fetch(b)
        #expect(fetched["n"] == bytes)
        // The file was the engine's, and is gone with the event.
        #expect(story.bytes(fetched.path(of: "n")) == nil)
        #expect(story.stagedFiles == [])
        #expect(a.pending == [])
    }

    @Test(.holds("P100"))
    func theAppMayChangeTheFileOnceItsBatchIsTaken() throws {
        let (a, b) = (story.device("A"), story.device("B"))
        let fetched = b.readsFiles()
        let path = story.write([1, 2, 3], to: "photo")
        a.attach(path, to: "n")
        let hold = story.cloud.hold(.missingAssets)
        try story.story.world.run { [story] in
            async let call: Void = a.engine.sendChanges()
            await story.story.world.idle()
            story.write([9], to: "photo")
            hold.release()
            try await call
        }
        try story.fetch(b)
        #expect(fetched["n"] == [1, 2, 3])
    }

    @Test(.holds("P101", "H95"))
    func aMissingFileFailsItsRecordAlone() throws {
        let a = story.device("A")
        a.attach("\(story.root)/nowhere", to: "broken")
        a.attach(story.root, to: "folder")
        a.attach(story.write([1], to: "photo"), to: "whole")
        a.save("text", text: "t")
        try? story.send(a)
        #expect(a.failures == [.assetFileNotFound, .assetFileNotFound])
        #expect(
            story.cloud.records(in: a.zone.zoneID, account: "alice").map(\.recordID.recordName)
                == ["text", "whole"]
        )
        #expect(story.stagedFiles == [])
    }

    @Test(.holds("P101"))
    func aFileWithOtherBytesThanItsChecksumSaysFailsItsRecordAlone() throws {
        let a = story.device("A")
        a.attach(story.write([1], to: "photo"), to: "n")
        a.delegate[a.id("n")]?["file"] = Asset(
            filePath: "\(story.root)/photo",
            byteCount: 1,
            checksum: SHA256.hash([2])
        )
        try? story.send(a)
        #expect(a.failures == [.assetFileModified])
    }

    @Test(.holds("P101", "H95"))
    func anUploadThatBreaksOffLeavesNoRecordWithoutItsFile() throws {
        let (a, b) = (story.device("A"), story.device("B"))
        let fetched = b.readsFiles()
        a.attach(story.write([1], to: "one"), to: "n")
        a.save("text", text: "t")
        story.cloud.inject(.next(.loseRequest).on(.uploadAsset))
        try? story.send(a)
        try story.fetch(b)
        #expect(b.fetched == ["text"])
        #expect(a.pending == [.saveRecord(a.id("n"))])
        try story.send(a)
        try story.fetch(b)
        #expect(fetched["n"] == [1])
    }

    @Test(.holds("P104", "H95"))
    func aFileThatCannotBeFetchedFailsAlone() throws {
        let (a, b) = (story.device("A"), story.device("B"))
        let fetched = b.readsFiles()
        a.attach(story.write([1], to: "one"), to: "n")
        a.attach(story.write([2], to: "two"), to: "o")
        a.save("text", text: "t")
        try story.send(a)
        story.cloud.inject(.next(.fail(SyncError(.assetNotAvailable))).on(.downloadAsset))
        try story.fetch(b)
        #expect(Set(b.fetched) == ["n", "o", "text"])
        #expect([fetched["n"], fetched["o"]].compactMap { $0 }.count == 1)
        let failed = b.delegate.events.flatMap { event -> [SyncEvent.FailedAsset] in
            guard case .fetchedRecordZoneChanges(let page) = event else { return [] }
            return page.failedAssets
        }
        let asset = try #require(failed.first?.asset)
        // The app may try again, and gets it whole.
        let path = "\(story.root)/later"
        try story.story.world.run { try await b.engine.download(asset, to: path) }
        #expect(story.bytes(path).map(SHA256.hash) == asset.checksum)
    }

    @Test(.holds("P103"))
    func anOldFileStaysUntilTheNewOneIsWhole() throws {
        let a = story.device("A")
        a.attach(story.write([1], to: "one"), to: "n")
        try story.send(a)
        let asset = Asset(byteCount: 1, checksum: SHA256.hash([1]))
        let path = story.write([7, 7], to: "kept")
        story.cloud.inject(.next(.fail(SyncError(.networkFailure))).on(.downloadAsset))
        #expect(
            TestDevice.code {
                try story.story.world.run { try await a.engine.download(asset, to: path) }
            } == .networkFailure
        )
        #expect(story.bytes(path) == [7, 7])
        try story.story.world.run { try await a.engine.download(asset, to: path) }
        #expect(story.bytes(path) == [1])
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: story.root).sorted()
                == ["kept", "one", "staging"]
        )
    }

    @Test(.holds("P105", "H94"))
    func enginesThatShareAFolderLeaveEachOthersFilesAlone() throws {
        let (a, b) = (story.device("A"), story.device("B"))
        a.attach(story.write([1], to: "one"), to: "a")
        b.attach(story.write([2], to: "two"), to: "b")
        let hold = story.cloud.hold(.missingAssets, from: "A")
        try story.story.world.run { [story] in
            async let call: Void = a.engine.sendChanges()
            await story.story.world.idle()
            // The other engine begins and ends, and a third one starts, all in the same folder.
            try await b.engine.sendChanges()
            _ = story.device("C")
            await story.story.world.idle()
            #expect(story.stagedFiles.contains { $0.hasSuffix("/1/0") })
            hold.release()
            try await call
        }
        #expect(story.cloud.fileCount(account: "alice") == 2)
        #expect(a.pending == [])
        try story.story.world.runUntilIdle()
        #expect(story.stagedFiles == [])
    }

    @Test(.holds("P105", "H96"))
    func sweepsAtItsStartWhatACrashLeft() throws {
        let left = "\(story.staging)/0123456789abcdef0123456789abcdef"
        let other = "\(story.staging)/of-the-app"
        for folder in ["\(left)/3", other] {
            try FileManager.default.createDirectory(
                atPath: folder,
                withIntermediateDirectories: true
            )
        }
        story.write([1], to: "staging/0123456789abcdef0123456789abcdef/3/0")
        story.write([1], to: "staging/of-the-app/3")
        let a = story.device("A")
        try story.story.world.runUntilIdle()
        // What no engine made is none of its business.
        #expect(story.stagedFiles == ["of-the-app", "of-the-app/3"])
        _ = a
    }

    @Test(.holds("P105", "H96"))
    func leavesNothingBehindWhateverHappensToASend() throws {
        for error in [SyncError.Code.networkUnavailable, .quotaExceeded, .networkFailure] {
            let a = story.device("A-\(error.rawValue)")
            a.attach(story.write([1], to: "one"), to: "n")
            story.cloud.inject(.next(.fail(SyncError(error)), count: 9).on(.missingAssets))
            try? story.send(a)
            story.cloud.liftAllFaults()
            try story.story.world.runUntilIdle()
            #expect(story.stagedFiles == [])
        }
    }

    @Test(.holds("P100"))
    func sendsNoFileThatTheServerHas() throws {
        let a = story.device("A")
        a.attach(story.write([1], to: "one"), to: "n")
        a.attach(story.write([1], to: "copy"), to: "m")
        try story.send(a)
        a.attach(story.write([1], to: "again"), to: "o")
        try story.send(a)
        #expect(story.cloud.requestCount(of: .uploadAsset) == 1)
        #expect(story.cloud.fileCount(account: "alice") == 1)
    }

    @Test(.holds("P106"))
    func aSavedFileIsNoEditAnyMore() throws {
        let (a, b) = (story.device("A"), story.device("B"))
        a.attach(story.write([1], to: "one"), to: "n")
        try story.send(a)
        #expect(a.delegate[a.id("n")]?.changedKeys() == [])
        #expect((a.delegate[a.id("n")]?["file"] as Asset?)?.filePath == "\(story.root)/one")
        // So what another device makes of it is taken.
        try story.fetch(b)
        b.attach(story.write([2], to: "two"), to: "n")
        try story.send(b)
        let fetched = a.readsFiles()
        try story.fetch(a)
        #expect(fetched["n"] == [2])
        #expect(
            (a.delegate[a.id("n")]?["file"] as Asset?)?.checksum == SHA256.hash([2])
        )
    }

    @Test(.holds("P104"))
    func aFetchGoesOnWhereTheConnectionBroke() throws {
        let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0) }
        let a = story.device("A")
        a.attach(story.write(bytes, to: "big"), to: "n")
        try story.send(a)
        let given = Notes()
        story.cloud.wrapConnections { BreakingDownloads(base: $0, given: given) }
        let b = story.device("B")
        let fetched = b.readsFiles()
        try story.fetch(b)
        #expect(fetched["n"] == bytes)
        #expect(given.all == ["0", "100000", "200000"])
    }
}

/// A connection that breaks after 100,000 bytes of a file.
private struct BreakingDownloads: SyncDatabase {
    let base: any SyncDatabase
    let given: Notes

    var name: String { base.name }
    var scope: Database.Scope { base.scope }
    var limits: RequestLimits { base.limits }

    func download(_ target: AssetTarget, account: String) async throws(SyncError) {
        let start = target.receivedByteCount
        given.add("\(start)")
        let whole = AssetTarget(target.asset) { offset, bytes throws(SyncError) in
            let end = offset + Int64(bytes.count)
            guard end > start else { return }
            guard offset < start + 100_000 else {
                throw SyncError(.networkFailure, "broken off")
            }
            let from = Int(max(0, start - offset))
            let to = min(bytes.count, Int(start + 100_000 - offset))
            try target.append(Array(bytes[from..<to]))
        }
        try await base.download(whole, account: account)
        guard target.receivedByteCount == target.asset.byteCount else {
            throw SyncError(.networkFailure, "broken off")
        }
    }

    func accountStatus() async throws(SyncError) -> AccountStatus {
        try await base.accountStatus()
    }

    func databaseChanges(
        _ request: DatabaseChangesRequest,
        account: String
    ) async throws(SyncError) -> DatabaseChangesReply {
        try await base.databaseChanges(request, account: account)
    }

    func zoneChanges(
        _ request: ZoneChangesRequest,
        account: String
    ) async throws(SyncError) -> ZoneChangesReply {
        try await base.zoneChanges(request, account: account)
    }

    func modifyZones(
        _ request: ModifyZonesRequest,
        account: String
    ) async throws(SyncError) -> ModifyZonesReply {
        try await base.modifyZones(request, account: account)
    }

    func modifyRecords(
        _ request: ModifyRecordsRequest,
        account: String
    ) async throws(SyncError) -> ModifyRecordsReply {
        try await base.modifyRecords(request, account: account)
    }

    func lookUpRecords(
        _ request: LookUpRecordsRequest,
        account: String
    ) async throws(SyncError) -> LookUpRecordsReply {
        try await base.lookUpRecords(request, account: account)
    }

    func outcome(
        of request: SendOutcomeRequest,
        account: String
    ) async throws(SyncError) -> SendOutcome {
        try await base.outcome(of: request, account: account)
    }

    func notifications() -> AsyncStream<DatabaseNotification> { base.notifications() }
}
