import RecordModel
import SyncCore
import TestSupport
import Testing

private let photo: [UInt8] = [1, 2, 3]
private let scan: [UInt8] = [9, 9]

/// Files of a fetched page, from the server to the delegate's hands.
struct AssetFetchTests {
    /// A device before its first fetch of two notes with files and one without.
    private func makeDevice() -> CoreFixture {
        var other = CoreFixture()
        other.server.files = ["/photo": photo, "/scan": scan]
        for (name, path) in [("a", "/photo"), ("b", "/scan")] {
            var record = Record(recordType: "Note", recordID: note(name))
            record["file"] = Asset(filePath: path)
            other.records[note(name)] = record
        }
        other.edit(note("a"), note("b"), note("c"))
        other.send()
        return CoreFixture(server: other.server, writer: WriterID(high: 8, low: 8))
    }

    @Test(.holds("P103"))
    func theFilesAreThereWhenTheAppIsTold() throws {
        var device = makeDevice()
        device.callFetch()
        device.run { $0.pageInHand != nil }
        let page = try #require(device.pageInHand)
        #expect(page.modifications.map(\.record.recordID) == [note("a"), note("b"), note("c")])
        let file: Asset? = page.modifications[0].record["file"]
        #expect(file?.filePath != nil)
        #expect(file?.checksum == SHA256.hash(photo))
        #expect(page.modifications[0].record.changedKeys() == [])
        #expect(page.failedAssets == [])
        #expect(device.folders.count == 1)
    }

    @Test(.holds("P103", "P105"))
    func theFilesGoWhenTheDelegateHasReturned() {
        var device = makeDevice()
        device.callFetch()
        device.run { $0.pageInHand != nil }
        device.handleEvent()
        #expect(device.folders == [])
    }

    @Test(.holds("P103"))
    func theFilesStayForAnEventThatComesAgain() {
        var device = makeDevice()
        device.callFetch()
        device.run { $0.pageInHand != nil }
        let page = device.pageInHand
        device.handleEvent(throwing: true)
        device.run()
        #expect(device.folders.count == 1)
        device.callFetch()
        device.run { $0.pageInHand != nil }
        #expect(device.pageInHand == page)
        device.run()
        #expect(device.folders == [])
    }

    @Test(.holds("P103"))
    func theFilesStayInTheDelegatesHandsWhenTheAccountChanges() {
        var device = makeDevice()
        device.callFetch()
        device.run { $0.pageInHand != nil }
        device.server.account = .success(.available(userRecordName: "bob"))
        device.handle(.accountMayHaveChanged)
        device.reply()
        #expect(device.pageInHand != nil)
        #expect(device.folders.count == 1)
        device.handleEvent()
        device.run()
        #expect(device.folders == [])
    }

    @Test(.holds("P104"), arguments: [(3, 2), (2, 1)])
    func aFileAboveTheLimitIsNotFetched(_ limit: Int, _ fetchedCount: Int) {
        let server = makeDevice().server
        var limits = RequestLimits.standard
        limits.assetByteCountMax = limit
        var device = CoreFixture(
            server: server,
            limits: limits,
            writer: WriterID(high: 8, low: 8)
        )
        device.fetch()
        #expect(device.transcript.filter { $0.hasPrefix("download") }.count == fetchedCount)
        #expect(device.pages.first?.failedAssets.count == 2 - fetchedCount)
        #expect(device.pages.first?.modifications.count == 3)
    }

    @Test(.holds("P104"))
    func aFileThatCannotBeHadIsToldWithItsRecord() {
        var device = makeDevice()
        device.server.fileErrors = [SHA256.hash(photo): SyncError(.assetNotAvailable)]
        let outcome = device.fetch()
        let page = device.pages.first
        let asset = Asset(byteCount: 3, checksum: SHA256.hash(photo))
        #expect(outcome == .returned)
        #expect(page?.modifications.first?.record["file"] == asset)
        #expect(
            page?.failedAssets == [
                .init(
                    recordID: note("a"),
                    key: "file",
                    asset: asset,
                    error: SyncError(.assetNotAvailable)
                )
            ]
        )
        let other: Asset? = page?.modifications[1].record["file"]
        #expect(other?.filePath != nil)
    }

    @Test(.holds("P104"))
    func aPageWhoseFilesBreakOffComesAgain() {
        var device = makeDevice()
        device.server.fileErrors = [SHA256.hash(photo): SyncError(.networkFailure)]
        device.fetch()
        #expect(device.pages == [])
        #expect(device.folders == [])
        device.server.fileErrors = [:]
        device.fetch()
        #expect(device.pages.first?.modifications.count == 3)
        #expect(device.pages.first?.failedAssets == [])
    }

    @Test(.holds("P104"))
    func aFileThatBreaksOffEachTimeHoldsNothingUp() {
        var device = makeDevice()
        device.server.fileErrors = [SHA256.hash(photo): SyncError(.networkFailure)]
        for _ in 1...2 {
            device.fetch()
            #expect(device.pages == [])
        }
        device.fetch()
        #expect(device.pages.first?.failedAssets.map(\.error.code) == [.networkFailure])
        #expect(device.pages.first?.modifications.count == 3)
    }

    @Test(.holds("P103", "P105"))
    func aCancelledFetchLeavesNoFile() {
        var device = makeDevice()
        device.callFetch()
        device.run { $0.transcript.last?.hasPrefix("download") == true }
        device.handle(.operationsCancelled)
        device.run()
        #expect(device.pages == [])
        #expect(device.folders == [])
        #expect(device.requests.isEmpty)
    }

    @Test(.holds("P103"))
    func aSendThatOvertakesThePageMeanwhileIsNotUndone() {
        var device = makeDevice()
        device.callFetch()
        device.run { $0.transcript.last?.hasPrefix("download") == true }
        let downloads = device.requests
        device.requests = []
        device.edit(note("c"))
        device.callSend()
        device.run()
        device.requests += downloads
        device.run()
        // The page was asked for again, with what the send met.
        #expect(device.transcript.filter { $0.hasPrefix("fetchZoneChanges") }.count >= 2)
        #expect(device.folders == [])
        #expect(device.faults == [])
    }

    @Test(.holds("P103"))
    func anOwnSaveThatComesBackBringsNoFile() {
        var device = makeDevice()
        device.fetch()
        device.server.files = ["/new": [5]]
        var record = Record(recordType: "Note", recordID: note("d"))
        record["file"] = Asset(filePath: "/new")
        device.records[note("d")] = record
        device.edit(note("d"))
        device.send()
        device.transcript = []
        device.fetch()
        #expect(device.transcript.filter { $0.hasPrefix("download") } == [])
    }

    @Test(.holds("P103"))
    func filesTravelAFewAtATime() {
        var other = CoreFixture()
        for number in 0..<10 {
            other.server.files["/\(number)"] = [UInt8(number)]
            var record = Record(recordType: "Note", recordID: note("\(number)"))
            record["file"] = Asset(filePath: "/\(number)")
            other.records[note("\(number)")] = record
            other.edit(note("\(number)"))
        }
        other.send()
        var device = CoreFixture(server: other.server, writer: WriterID(high: 8, low: 8))
        device.callFetch()
        device.run { $0.transcript.last?.hasPrefix("download") == true }
        #expect(device.requests.count == 4)
        device.run()
        #expect(device.transcript.filter { $0.hasPrefix("download") }.count == 10)
        #expect(device.folders == [])
    }
}

extension CoreFixture {
    /// The page of records that the delegate is being told of.
    var pageInHand: SyncEvent.FetchedRecordZoneChanges? {
        guard case .event(_, .fetchedRecordZoneChanges(let page)) = hand else { return nil }
        return page
    }

    /// The pages of records that it was told of.
    var pages: [SyncEvent.FetchedRecordZoneChanges] {
        events.compactMap { event in
            if case .fetchedRecordZoneChanges(let page) = event { page } else { nil }
        }
    }
}
