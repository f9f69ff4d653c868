import RecordModel
import SyncCore
import TestSupport
import Testing

private let photo: [UInt8] = [1, 2, 3]
private let scan: [UInt8] = [9, 9]

/// Files of a batch, from the app's path to the server.
struct AssetSendTests {
    /// A device with two notes that have files, and one that has none.
    private func makeDevice() -> CoreFixture {
        var device = CoreFixture()
        device.server.files = ["/photo": photo, "/scan": scan]
        for (name, path) in [("a", "/photo"), ("b", "/scan")] {
            var record = Record(recordType: "Note", recordID: note(name))
            record["file"] = Asset(filePath: path)
            device.records[note(name)] = record
        }
        device.edit(note("a"), note("b"), note("c"))
        return device
    }

    @Test(.holds("P100"))
    func bringsTheFilesToTheServerBeforeTheirBatch() {
        var device = makeDevice()
        device.send()
        let steps = device.transcript.filter { line in
            ["stage", "askMissing", "upload", "modifyRecords", "discard"].contains {
                line.hasPrefix($0)
            }
        }
        #expect(
            steps.map { String($0.prefix { $0 != " " }) }
                == ["stage", "askMissing", "upload", "upload", "discard", "modifyRecords"]
        )
        #expect(
            device.server.records[note("a")]?["file"]
                == Asset(byteCount: 3, checksum: SHA256.hash(photo))
        )
    }

    @Test(.holds("P100"))
    func copiesTheFileAsItTakesTheBatch() {
        var device = makeDevice()
        device.callSend()
        device.runUntilAsked()
        device.provideBatch()
        device.reply()
        // The app changes one file and deletes the other before anything of them was sent.
        device.server.files = ["/photo": [7]]
        device.run()
        #expect(device.server.contents == [SHA256.hash(photo), SHA256.hash(scan)])
        #expect(device.pending == [])
    }

    @Test(.holds("P100"))
    func sendsNoContentThatTheServerHas() {
        var device = makeDevice()
        device.server.contents = [SHA256.hash(photo)]
        device.send()
        #expect(device.transcript.filter { $0.hasPrefix("upload") } == ["upload #12 2 bytes"])
        #expect(device.server.records.count == 3)
    }

    @Test(.holds("P100"))
    func sendsTheSameBytesOfTwoRecordsOnce() {
        var device = makeDevice()
        device.server.files["/scan"] = photo
        device.send()
        #expect(device.transcript.filter { $0.hasPrefix("upload") }.count == 1)
        #expect(device.server.records[note("b")]?["file"] as Asset? != nil)
    }

    @Test(.holds("P100", "P106"))
    func tellsTheAppItsOwnPathWithTheContent() {
        var device = makeDevice()
        device.send()
        let saved = device.sentEvents.flatMap(\.savedRecords).first { $0.recordID == note("a") }
        #expect(
            saved?["file"]
                == Asset(filePath: "/photo", byteCount: 3, checksum: SHA256.hash(photo))
        )
    }

    @Test(.holds("P101"))
    func aMissingFileFailsItsRecordAlone() {
        var device = makeDevice()
        device.server.files["/photo"] = nil
        device.send()
        #expect(device.failedCodes == [note("a"): .assetFileNotFound])
        #expect(device.server.records.keys.sorted() == [note("b"), note("c")])
        #expect(device.pending == [])
    }

    @Test(.holds("P101"))
    func anUploadThatBreaksOffFailsItsRecordAloneAndIsTriedAgain() {
        var device = makeDevice()
        device.server.fileErrors = [SHA256.hash(photo): SyncError(.networkFailure)]
        device.send()
        #expect(device.failedCodes == [note("a"): .networkFailure])
        #expect(device.server.records.keys.sorted() == [note("b"), note("c")])
        #expect(device.pending == [.saveRecord(note("a"))])
        device.server.fileErrors = [:]
        device.send()
        #expect(device.server.records.keys.sorted() == [note("a"), note("b"), note("c")])
    }

    @Test(.holds("P101"))
    func anUploadWithoutRoomParksItsRecordAlone() {
        var device = makeDevice()
        device.server.fileErrors = [SHA256.hash(photo): SyncError(.quotaExceeded)]
        device.send()
        #expect(device.server.records.keys.sorted() == [note("b"), note("c")])
        // Parked: the next send does not offer it, a resumed one does.
        device.server.fileErrors = [:]
        device.send()
        #expect(device.server.records[note("a")] == nil)
        device.handle(.parkedChangesResumed)
        device.send()
        #expect(device.server.records[note("a")] != nil)
    }

    @Test(.holds("P101"), arguments: [(3, true), (2, false)])
    func aFileAboveTheLimitFailsItsRecordAlone(_ limit: Int, _ isTaken: Bool) {
        var limits = RequestLimits.standard
        limits.assetByteCountMax = limit
        var device = CoreFixture(limits: limits)
        device.server.files = ["/photo": photo]
        var record = Record(recordType: "Note", recordID: note("a"))
        record["file"] = Asset(filePath: "/photo")
        device.records[note("a")] = record
        device.edit(note("a"), note("c"))
        device.send()
        #expect(device.failedCodes == (isTaken ? [:] : [note("a"): .limitExceeded]))
        #expect((device.server.records[note("a")] != nil) == isTaken)
        #expect(device.server.records[note("c")] != nil)
        #expect(device.pending == [])
    }

    @Test(.holds("P101"))
    func inAnAtomicBatchItsZoneSharesTheFate() {
        var device = makeDevice()
        device.isAtomic = true
        device.server.files["/photo"] = nil
        device.edit(note("d", in: tasks))
        device.send()
        #expect(
            device.failedCodes == [
                note("a"): .assetFileNotFound, note("b"): .batchRequestFailed,
                note("c"): .batchRequestFailed,
            ]
        )
        #expect(device.server.records.keys.sorted() == [note("d", in: tasks)])
        #expect(device.pending == [.saveRecord(note("b")), .saveRecord(note("c"))])
    }

    @Test(.holds("P101"))
    func aChildDoesNotGoWithoutItsParent() {
        var device = makeDevice()
        device.edit(note("child"), under: note("a"))
        device.server.files["/photo"] = nil
        device.send()
        #expect(
            device.failedCodes
                == [note("a"): .assetFileNotFound, note("child"): .batchRequestFailed]
        )
        #expect(device.pending == [.saveRecord(note("child"))])
    }

    @Test(.holds("P101"))
    func aServerThatCannotBeReachedFailsNoRecord() {
        var device = makeDevice()
        device.server.missingErrors = [SyncError(.networkUnavailable)]
        let outcome = device.send()
        #expect(outcome == .failed(SyncError(.networkUnavailable)))
        #expect(device.failedCodes == [:])
        #expect(device.pending.count == 3)
        #expect(device.folders == [])
    }

    @Test(.holds("P102"))
    func anEditMadeWhileItsFileIsSentGoesOutAfterwards() {
        var device = makeDevice()
        device.callSend()
        device.runUntilAsked()
        device.provideBatch()
        device.reply()
        device.server.files["/photo"] = [7]
        device.records[note("a")]?["file"] = Asset(filePath: "/photo")
        device.edit(note("a"))
        device.run()
        device.send()
        #expect(device.server.contents.contains(SHA256.hash([7])))
        #expect(
            device.server.records[note("a")]?["file"]
                == Asset(byteCount: 1, checksum: SHA256.hash([7]))
        )
    }

    @Test(.holds("P102"))
    func whatIsTakenBackWhileItsFileIsSentDoesNotGoOut() {
        var device = makeDevice()
        device.callSend()
        device.runUntilAsked()
        device.provideBatch()
        device.reply()
        device.handle(.recordZoneChangesRemoved([.saveRecord(note("a"))]))
        device.run()
        #expect(device.server.records.keys.sorted() == [note("b"), note("c")])
        #expect(device.pending == [])
    }

    @Test(.holds("P102", "P105"))
    func aCancelledSendKeepsItsChangesAndNoFile() {
        var device = makeDevice()
        let call = device.callSend()
        device.runUntilAsked()
        device.provideBatch()
        device.reply()
        device.handle(.operationsCancelled)
        device.run()
        #expect(
            device.ended[call]
                == .failed(SyncError(.operationCancelled, "the operation was cancelled"))
        )
        #expect(device.pending.count == 3)
        #expect(device.folders == [])
        #expect(device.requests.isEmpty)
        #expect(device.server.records.isEmpty)
    }

    @Test(.holds("P105"))
    func anAccountThatChangesMidwayGetsNoFileOfTheOther() {
        var device = makeDevice()
        device.callSend()
        device.runUntilAsked()
        device.provideBatch()
        device.reply()
        device.server.account = .success(.available(userRecordName: "bob"))
        device.handle(.accountMayHaveChanged)
        device.run()
        #expect(device.server.contents == [])
        #expect(device.folders == [])
    }

    @Test(.holds("P101", "P88"))
    func anUploadWithoutAnAnswerFailsItsRecordInTheEnd() {
        var device = makeDevice()
        device.server.files["/scan"] = nil
        device.callSend()
        device.run { $0.transcript.last?.hasPrefix("upload") == true }
        device.requests = []
        device.advance(by: .seconds(119))
        device.handle(.woke)
        #expect(device.failedCodes == [:])
        device.advance(by: .seconds(1))
        device.handle(.woke)
        device.run()
        #expect(device.failedCodes[note("a")] == .serverResponseLost)
        #expect(device.server.records.keys.sorted() == [note("c")])
    }

    @Test(.holds("P100", "P9"))
    func aLostAnswerIsAskedForWithoutTheFiles() {
        var device = makeDevice()
        device.server.lostAnswerCount = 1
        device.send()
        #expect(device.transcript.filter { $0.hasPrefix("stage") }.count == 1)
        #expect(device.server.batches.count == 1)
        #expect(device.sentEvents.flatMap(\.savedRecords).count == 3)
        #expect(device.faults == [])
    }

    @Test(.holds("P100"))
    func aRelaunchWhileFilesAreSentSendsThemAnew() {
        var device = makeDevice()
        device.callSend()
        device.run { $0.transcript.last?.hasPrefix("askMissing") == true }
        var next = device.relaunched(from: (device.core.serialization, device.records))
        next.send()
        #expect(next.server.records.count == 3)
        #expect(next.pending == [])
        #expect(next.folders == [])
    }
}

extension CoreFixture {
    /// The saves that failed, and why.
    var failedCodes: [Record.ID: SyncError.Code] {
        var failures: [Record.ID: SyncError.Code] = [:]
        for failure in sentEvents.flatMap(\.failedRecordSaves) {
            failures[failure.record.recordID] = failure.error.code
        }
        return failures
    }
}
