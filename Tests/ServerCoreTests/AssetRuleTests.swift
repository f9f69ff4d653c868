import RecordModel
import ServerCore
import TestSupport
import Testing

private let bob = ServerCaller(account: "bob", deviceID: "tablet")

private func file(_ bytes: [UInt8]) -> Asset {
    Asset(byteCount: Int64(bytes.count), checksum: SHA256.hash(bytes))
}

private func photo(_ name: String, _ assets: Asset...) -> Record {
    var record = note(name)
    if assets.count == 1 { record["file"] = assets[0] } else { record["files"] = assets }
    return record
}

/// What the server's rules say of files.
struct AssetRuleTests {
    @Test(.holds("P107", "H95"))
    func refusesARecordAloneWhoseFileItDoesNotHave() throws {
        var device = try ServerFixture()
        try device.server.keepAsset(file([1]), from: phone, at: device.now)
        let reply = try device.send([
            photo("a", file([1])), photo("b", file([2])), photo("c", file([1]), file([2])),
            note("d"),
        ])
        #expect(reply.saveCodes == [nil, .assetNotAvailable, .assetNotAvailable, nil])
        #expect(try device.page().savedNames == ["a", "d"])
    }

    @Test(.holds("P107", "H95"))
    func refusesARecordWhoseFileHasAnotherLength() throws {
        var device = try ServerFixture()
        try device.server.keepAsset(file([1]), from: phone, at: device.now)
        var wrong = file([1])
        wrong.byteCount = 2
        #expect(code { try device.save(photo("a", wrong)) } == .assetNotAvailable)
        wrong.byteCount = nil
        #expect(code { try device.save(photo("a", wrong)) } == .invalidArguments)
    }

    @Test(.holds("P107"))
    func keepsThePathOfADeviceToItself() throws {
        var device = try ServerFixture()
        try device.server.keepAsset(file([1]), from: phone, at: device.now)
        var asset = file([1])
        asset.filePath = "/home/ann/photo"
        let saved = try device.save(photo("a", asset))
        #expect(saved["file"] == file([1]))
    }

    @Test(.holds("P107"))
    func givesNoFileOfAnotherAccountToWhoeverKnowsItsChecksum() throws {
        var device = try ServerFixture()
        try device.server.createAccount("bob", at: device.now)
        try device.server.keepAsset(file([1]), from: phone, at: device.now)
        #expect(code { _ = try device.server.asset(file([1]), from: bob) } == .assetNotAvailable)
        // Nor does it say that somebody has it.
        #expect(
            try device.server.missingAssets([file([1])], from: bob, at: device.now) == [file([1])]
        )
        try device.save(zone: notes, from: bob)
        #expect(code { try device.save(photo("a", file([1])), from: bob) } == .assetNotAvailable)
        #expect(try device.server.asset(file([1]), from: laptop).byteCount == 1)
    }

    @Test(.holds("P107"))
    func namesOnlyWhatIsMissing() throws {
        var device = try ServerFixture()
        try device.server.keepAsset(file([1]), from: phone, at: device.now)
        let missing = try device.server.missingAssets(
            [file([1]), file([2])],
            from: laptop,
            at: device.now
        )
        #expect(missing == [file([2])])
    }

    @Test(.holds("P108"), arguments: [(7, true), (8, false)])
    func keepsAFileThatNoRecordHoldsForTheGrace(_ days: Int, _ isKept: Bool) throws {
        var device = try ServerFixture()
        try device.server.keepAsset(file([1]), from: phone, at: device.now)
        device.pass(days: Int64(days))
        let removed = try device.server.removeUnheldAssets(at: device.now)
        #expect(removed.map(\.checksum) == (isKept ? [] : [SHA256.hash([1])]))
        #expect(
            code { _ = try device.server.asset(file([1]), from: phone) }
                == (isKept ? nil : .assetNotAvailable)
        )
    }

    @Test(.holds("P108"))
    func aQuestionForAFileBeginsItsGraceAnew() throws {
        var device = try ServerFixture()
        try device.server.keepAsset(file([1]), from: phone, at: device.now)
        device.pass(days: 5)
        _ = try device.server.missingAssets([file([1])], from: laptop, at: device.now)
        device.pass(days: 5)
        #expect(try device.server.removeUnheldAssets(at: device.now) == [])
    }

    @Test(.holds("P108"))
    func keepsAFileAsLongAsARecordHoldsIt() throws {
        var device = try ServerFixture()
        try device.server.keepAsset(file([1]), from: phone, at: device.now)
        var first = try device.save(photo("a", file([1])))
        try device.save(photo("b", file([1])))
        device.pass(days: 100)
        #expect(try device.server.removeUnheldAssets(at: device.now) == [])
        // One lets go of it, the other is deleted; then the grace begins.
        first["file"] = nil as Asset?
        try device.save(first)
        device.pass(days: 100)
        #expect(try device.server.removeUnheldAssets(at: device.now) == [])
        try device.delete(id("b"))
        #expect(try device.server.removeUnheldAssets(at: device.now) == [])
        device.pass(days: 8)
        #expect(
            try device.server.removeUnheldAssets(at: device.now).map(\.account) == ["ann"]
        )
    }

    @Test(.holds("P108"))
    func aDeletedZoneLetsGoOfItsFiles() throws {
        var device = try ServerFixture()
        try device.server.keepAsset(file([1]), from: phone, at: device.now)
        try device.save(photo("a", file([1])))
        try device.delete(zone: notes)
        device.pass(days: 8)
        #expect(try device.server.removeUnheldAssets(at: device.now).count == 1)
        #expect(try device.server.usedByteCount(of: "ann") == 0)
    }

    @Test(.holds("P108"))
    func aRecordWithOtherEditsGoesOnHoldingItsFile() throws {
        var device = try ServerFixture()
        try device.server.keepAsset(file([1]), from: phone, at: device.now)
        var record = try device.save(photo("a", file([1])))
        record["text"] = "new"
        try device.save(record)
        device.pass(days: 100)
        #expect(try device.server.removeUnheldAssets(at: device.now) == [])
    }

    @Test(.holds("P108"), arguments: [(100, true), (99, false)])
    func countsFilesTowardsTheQuota(_ quota: Int, _ isTaken: Bool) throws {
        var device = try ServerFixture { $0.quotaByteCount = quota }
        let bytes = [UInt8](repeating: 1, count: 60)
        try device.server.keepAsset(file(bytes), from: phone, at: device.now)
        // The same file again takes no more room.
        try device.server.keepAsset(file(bytes), from: laptop, at: device.now)
        let other = file([UInt8](repeating: 2, count: 40))
        let refusal: SyncError.Code? = isTaken ? nil : .quotaExceeded
        #expect(code { try device.server.admitUpload(of: other, from: phone) } == refusal)
        #expect(
            code { try device.server.keepAsset(other, from: phone, at: device.now) } == refusal
        )
        #expect(try device.server.usedByteCount(of: "ann") == (isTaken ? 100 : 60))
    }

    @Test(.holds("P108"))
    func aFileThatGoesGivesItsRoomBack() throws {
        var device = try ServerFixture { $0.quotaByteCount = 10 }
        try device.server.keepAsset(file([1, 2, 3]), from: phone, at: device.now)
        device.pass(days: 8)
        _ = try device.server.removeUnheldAssets(at: device.now)
        #expect(try device.server.usedByteCount(of: "ann") == 0)
    }

    @Test(.holds("P107"), arguments: [(5, true), (4, false)])
    func refusesAFileAboveTheLimit(_ limit: Int, _ isTaken: Bool) throws {
        var device = try ServerFixture { $0.limits.assetByteCountMax = limit }
        #expect(
            code { try device.server.admitUpload(of: file([1, 2, 3, 4, 5]), from: phone) }
                == (isTaken ? nil : .limitExceeded)
        )
    }
}
