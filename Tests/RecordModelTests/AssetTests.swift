import RecordModel
import TestSupport
import Testing

/// Files as values of a record.
struct AssetTests {
    private let id = Record.ID(recordName: "n")

    private func stored(_ record: Record, reading bytes: [UInt8]) -> Record {
        let stamp = Record.Stamp(
            timestamp: Timestamp(millisecondsSince1970: 1),
            userRecordName: "ann"
        )
        var read = record
        read.describeAssets { _, asset in
            var asset = asset
            asset.byteCount = Int64(bytes.count)
            asset.checksum = SHA256.hash(bytes)
            return asset
        }
        return read.withoutFilePaths.stored(
            changeTag: "1",
            creation: stamp,
            modification: stamp
        ).takingFilePaths(of: read)
    }

    private func record(_ path: String) -> Record {
        var record = Record(recordType: "Note", recordID: id)
        record["file"] = Asset(filePath: path)
        return record
    }

    @Test(.holds("P106"))
    func theSamePathSetAnewIsAChange() {
        var saved = stored(record("/a"), reading: [1])
        #expect(saved.changedKeys() == [])
        saved["file"] = Asset(filePath: "/a")
        #expect(saved.changedKeys() == ["file"])
    }

    @Test(.holds("P106"))
    func theSameBytesUnderAnotherPathAreNoChange() {
        var saved = stored(record("/a"), reading: [1])
        var asset: Asset? = saved["file"]
        asset?.filePath = "/b"
        saved["file"] = asset
        #expect(saved.changedKeys() == [])
        #expect((saved["file"] as Asset?)?.filePath == "/b")
    }

    @Test(.holds("P106"))
    func theSavedVersionSettlesTheFileThatWasSent() {
        var local = record("/a")
        local.rebase(on: stored(local, reading: [1]))
        #expect(local.changedKeys() == [])
        #expect(
            local["file"] == Asset(filePath: "/a", byteCount: 1, checksum: SHA256.hash([1]))
        )
    }

    @Test(.holds("P106"))
    func aFileGivenAnewWhileTheOldOneWasSentStaysAChange() {
        var local = record("/a")
        let saved = stored(local, reading: [1])
        // The same path, with other bytes.
        local["file"] = Asset(filePath: "/a")
        local.rebase(on: saved)
        #expect(local.changedKeys() == ["file"])
        #expect((local["file"] as Asset?)?.checksum == nil)
    }

    @Test(.holds("P106"))
    func anotherDevicesFileReplacesOneThatWasSaved() {
        var local = record("/a")
        local.rebase(on: stored(local, reading: [1]))
        var other = stored(record("/b"), reading: [2]).withoutFilePaths
        other["text"] = "by another device"
        local.rebase(on: other)
        #expect((local["file"] as Asset?)?.checksum == SHA256.hash([2]))
    }

    @Test(.holds("P106"))
    func aListOfFilesIsSettledAsOne() {
        var local = Record(recordType: "Note", recordID: id)
        local["files"] = [Asset(filePath: "/a"), Asset(filePath: "/b")]
        let saved = stored(local, reading: [1])
        var settled = local
        settled.rebase(on: saved)
        #expect(settled.changedKeys() == [])
        local["files"] = [Asset(filePath: "/a"), Asset(filePath: "/c")]
        local.rebase(on: saved)
        #expect(local.changedKeys() == ["files"])
    }

    @Test(.holds("P106"))
    func aFileWithoutContentKeepsItsOldMeaning() {
        var record = Record(recordType: "Note", recordID: id)
        record["file"] = Asset(byteCount: 3)
        let same = record
        record["file"] = Asset(byteCount: 3)
        #expect(record == same)
        #expect(!Record(recordType: "Note", recordID: id).holdsAssets)
        #expect(record.holdsAssets)
    }
}
