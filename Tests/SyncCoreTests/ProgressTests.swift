import RecordModel
import SyncCore
import TestSupport
import Testing

@Suite struct ProgressTests {
    /// A device with five edits, of which a batch holds two.
    private func device() -> CoreFixture {
        var device = CoreFixture(limits: RequestLimits(batchCountMax: 2))
        device.edit(["a", "b", "c", "d", "e"].map { note($0) })
        return device
    }

    /// What the newest send has done to the zone of notes.
    private func counts(
        pending: Int = 0,
        inFlight: Int = 0,
        unknown: Int = 0,
        sent: Int,
        confirmed: Int
    ) -> SyncProgress.Counts {
        SyncProgress.Counts(
            remaining: RemainingChanges(
                pending: ChangeCounts(recordSaves: pending),
                inFlight: ChangeCounts(recordSaves: inFlight),
                outcomeUnknown: ChangeCounts(recordSaves: unknown)
            ),
            sentCount: sent,
            confirmedCount: confirmed
        )
    }

    @Test(.holds("P56"))
    func followsASendStepByStep() {
        var device = device()
        #expect(device.core.progress.total == counts(pending: 5, sent: 0, confirmed: 0))
        #expect(!device.core.progress.isSending)
        device.callSend()
        device.runUntilSent()
        let sent = counts(pending: 3, inFlight: 2, sent: 2, confirmed: 0)
        #expect(device.core.progress[notes] == sent)
        #expect(device.core.progress.isSending)
        device.reply()
        // Confirmed once the delegate has heard of it.
        #expect(device.core.progress[notes] == sent)
        device.handleEvent()
        #expect(device.core.progress[notes] == counts(pending: 3, sent: 2, confirmed: 2))
        device.run()
        #expect(device.core.progress[notes] == counts(sent: 5, confirmed: 5))
        #expect(!device.core.progress.isSending)
    }

    @Test(.holds("P57"))
    func beginsAnewWithTheNextSend() {
        var device = device()
        device.send()
        device.edit(note("f"))
        #expect(device.core.progress[notes] == counts(pending: 1, sent: 5, confirmed: 5))
        device.callSend()
        #expect(device.core.progress[notes] == counts(pending: 1, sent: 0, confirmed: 0))
        device.run()
        #expect(device.core.progress[notes] == counts(sent: 1, confirmed: 1))
    }

    @Test(.holds("P56"))
    func countsWhatFailedAsSentButNotAsConfirmed() {
        var device = CoreFixture()
        device.edit(note("a"), note("b"), note("x", in: tasks))
        device.server.recordErrors = [note("a"): SyncError(.zoneBusy)]
        device.send()
        #expect(device.core.progress[notes] == counts(pending: 1, sent: 2, confirmed: 1))
        #expect(device.core.progress[tasks] == counts(sent: 1, confirmed: 1))
        #expect(device.core.progress.total == counts(pending: 1, sent: 3, confirmed: 2))
    }

    @Test(.holds("P56"))
    func countsAChangeOnceThoughItsBatchWasTooLarge() {
        var device = CoreFixture()
        device.server.batchCountMax = 1
        device.edit(note("a"), note("b"), note("c"), note("d"))
        device.send()
        #expect(device.core.progress[notes] == counts(sent: 4, confirmed: 4))
    }

    @Test(.holds("P56"))
    func countsAChangeOnceThoughItWasTooLargeBesideOthers() {
        var device = CoreFixture()
        device.edit(note("a"), note("b"), note("c"))
        device.callSend()
        device.runUntilSent()
        device.reply(failing: [note("b"): SyncError(.limitExceeded)])
        #expect(device.core.progress[notes] == counts(inFlight: 3, sent: 2, confirmed: 0))
        device.run()
        #expect(device.core.progress[notes] == counts(sent: 3, confirmed: 3))
    }

    @Test(.holds("P56"))
    func countsAChangeOnceThoughItsAnswerWasLost() {
        var device = device()
        device.callSend()
        device.runUntilSent()
        device.reply(failing: SyncError(.networkFailure))
        #expect(
            device.core.progress[notes] == counts(pending: 3, unknown: 2, sent: 2, confirmed: 0)
        )
        device.reply()
        #expect(device.core.progress[notes] == counts(pending: 5, sent: 0, confirmed: 0))
        device.run()
        #expect(device.core.progress[notes] == counts(sent: 5, confirmed: 5))
    }

    @Test(.holds("P56"))
    func countsChangesOfZonesWithTheirZone() {
        var device = CoreFixture()
        let new = RecordZone(zoneName: "new")
        device.handle(.databaseChangesAdded([.saveZone(new)]))
        device.edit(note("x", in: new.zoneID))
        device.send()
        #expect(device.core.progress[new.zoneID] == counts(sent: 2, confirmed: 2))
    }

    @Test(.holds("P56"))
    func knowsNoTotalWhileTheAppHasChangesThatItDoesNotList() {
        var device = device()
        #expect(device.core.progress.isSendTotalKnown)
        device.handle(.untrackedChangesSet(true))
        #expect(!device.core.progress.isSendTotalKnown)
        device.send()
        #expect(device.core.progress.isSendTotalKnown)
    }

    @Test(.holds("P57"))
    func showsNothingOfAFormerAccountsWork() {
        var device = device()
        device.send()
        device.accountBecomes(bob)
        device.run()
        #expect(device.core.progress.zones.allSatisfy { $0.counts == .init() })
    }
}

@Suite struct FetchProgressTests {
    /// A device that has asked for the first of two pages, beside another changed zone.
    private func fetching(_ options: FetchChangesOptions = .init()) -> CoreFixture {
        var device = CoreFixture()
        for name in ["a", "b", "c"] { device.server.saveElsewhere(record(note(name))) }
        device.server.saveElsewhere(record(note("x", in: tasks)))
        device.server.pageCountMax = 2
        device.callFetch(options)
        device.runUntilPageAsked()
        return device
    }

    private func state(_ device: CoreFixture) -> [String] {
        let progress = device.core.progress
        let zones = progress.zones.sorted { $0.zoneID < $1.zoneID }.map { zone in
            "\(zone.zoneID.zoneName) \(zone.counts.fetchedCount)"
                + (zone.isFetchTotalKnown ? "" : "+")
        }
        return zones + [
            "all \(progress.total.fetchedCount)" + (progress.isFetchTotalKnown ? "" : "+")
        ]
    }

    @Test(.holds("P56"))
    func followsAFetchPageByPage() {
        var device = fetching()
        #expect(state(device) == ["notes 0+", "tasks 0+", "all 0+"])
        #expect(device.core.progress.isFetching)
        device.replyPage()
        // Fetched once the delegate has it.
        #expect(state(device) == ["notes 0+", "tasks 0+", "all 0+"])
        device.handleEvent()
        #expect(state(device) == ["notes 2+", "tasks 0+", "all 2+"])
        device.replyPage()
        device.handleEvent()
        #expect(state(device) == ["notes 3", "tasks 0+", "all 3+"])
        device.run()
        #expect(state(device) == ["notes 3", "tasks 1", "all 4"])
        #expect(!device.core.progress.isFetching)
    }

    @Test(.holds("P56"))
    func knowsItsTotalWhenTheZonesItIsAboutAreFetched() {
        var device = fetching(FetchChangesOptions(scope: .zoneIDs([notes])))
        device.run()
        #expect(state(device) == ["notes 3", "tasks 0+", "all 3"])
    }

    @Test(.holds("P57"))
    func beginsAnewWithTheNextFetch() {
        var device = fetching()
        device.run()
        device.server.deleteElsewhere(note("a"))
        device.callFetch()
        #expect(state(device) == ["all 0+"])
        device.run()
        #expect(state(device) == ["notes 1", "all 1"])
    }

    @Test(.holds("P56"))
    func doesNotCountAPageThatTheDelegateThrewAt() {
        var device = fetching()
        device.replyPage()
        device.handleEvent(throwing: true)
        #expect(device.core.progress[notes]?.fetchedCount == 0)
        device.run()
        #expect(device.core.progress.isFetchTotalKnown == false)
        device.fetch()
        #expect(device.core.progress[notes]?.fetchedCount == 3)
    }

    @Test(.holds("P57"))
    func leavesTheCountsOfTheOtherOperationAlone() {
        var device = fetching()
        device.run()
        device.edit(note("own"))
        device.send()
        #expect(device.core.progress[notes]?.fetchedCount == 3)
        device.fetch()
        #expect(device.core.progress[notes]?.sentCount == 1)
    }
}

extension SyncProgress {
    fileprivate subscript(zoneID: RecordZone.ID) -> Counts? {
        zones.first { $0.zoneID == zoneID }?.counts
    }
}
