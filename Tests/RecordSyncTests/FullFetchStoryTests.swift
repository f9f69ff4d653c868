import RecordModel
import RecordSync
import RecordSyncTesting
import TestSupport
import Testing

/// Fetches from the beginning: why, and what absence from a listing means.
struct FullFetchStoryTests {
    private let story = Story()

    /// The kinds of the fetches of zones that a device was told of since `clear`.
    private func kinds(_ device: TestDevice) -> [SyncEvent.FullFetchReason] {
        device.delegate.events.compactMap { event in
            guard case .willFetchRecordZoneChanges(let fetch) = event,
                case .full(_, let reason) = fetch.kind
            else { return nil }
            return reason
        }
    }

    @Test(.holds("J10", "H18", "P30"))
    func aRowThatAListingAfterAnExpiredTokenDoesNotNameWasDeleted() throws {
        let (a, b) = (story.device("A"), story.device("B"))
        a.save("kept", text: "1")
        a.save("gone", text: "1")
        try story.meet(a, b)
        a.delete("gone")
        try story.send(a)
        story.world.advanceServer(story.cloud, days: 60)
        b.delegate.forgetEvents()
        try story.fetch(b)
        #expect(kinds(b) == [.tokenExpired])
        let unlisted = [b.id("gone")]
        let rows = SyncEvent.FullFetchReason.tokenExpired.reconcile(unlisted: unlisted) { _ in
            false
        }
        #expect(rows.drop == unlisted)
        #expect(rows.sendAgain == [])
    }

    @Test(.holds("J10", "H37", "H38", "H39", "I6"))
    func aRestoredServerIsANewHistoryInWhichAbsenceIsNoDeletion() throws {
        let (a, b) = (story.device("A"), story.device("B"))
        a.save("old", text: "1")
        try story.meet(a, b)
        let backup = story.cloud.backup()
        a.save("new", text: "1")
        try story.meet(a, b)
        try story.cloud.restore(backup)
        a.delegate.forgetEvents()
        try story.fetch(a)
        #expect(kinds(a).allSatisfy { $0 == .newHistory })
        #expect(!kinds(a).isEmpty)
        #expect(a.text("new") == "1")
        let rows = SyncEvent.FullFetchReason.newHistory.reconcile(unlisted: [a.id("new")]) { _ in
            false
        }
        #expect(rows.drop == [])
        #expect(rows.sendAgain == [a.id("new")])
    }

    @Test(.holds("J10", "H108"))
    func resettingTokensListsEverythingAgainAndKeepsWhatIsPending() throws {
        let a = story.device("A")
        a.save("one", text: "1")
        try story.meet(a)
        a.save("two", text: "1")
        a.engine.state.resetTokens()
        a.delegate.forgetEvents()
        try story.fetch(a)
        #expect(Set(kinds(a)) == [.tokensReset])
        let listed = a.delegate.events.flatMap { event -> [Record.ID] in
            guard case .fetchedRecordZoneChanges(let page) = event else { return [] }
            return page.modifications.map(\.record.recordID)
        }
        #expect(listed.contains(a.id("one")))
        #expect(a.pending == [.saveRecord(a.id("two"))])
        a.delegate.forgetEvents()
        try story.fetch(a)
        #expect(kinds(a) == [])
    }

    @Test(.holds("J10")) func resettingTheTokensOfOneZoneLeavesTheOthers() throws {
        let a = story.device("A")
        a.save("one", text: "1")
        try story.meet(a)
        a.engine.state.resetTokens(scope: .zoneIDs([a.id("one").zoneID]))
        a.delegate.forgetEvents()
        try story.fetch(a)
        #expect(kinds(a) == [.tokensReset])
    }

    @Test(.holds("J10")) func aZoneThatAListingDoesNotNameWasDeleted() throws {
        let (a, b) = (story.device("A"), story.device("B"))
        a.save("one", text: "1")
        try story.meet(a, b)
        let zoneID = a.id("one").zoneID
        try story.cloud.deleteZone(zoneID, account: "alice")
        story.world.advanceServer(story.cloud, days: 60)
        b.delegate.forgetEvents()
        try story.fetch(b)
        let deletions = b.delegate.events.flatMap { event -> [RecordZone.ID] in
            guard case .fetchedDatabaseChanges(let page) = event else { return [] }
            return page.deletions.map(\.zoneID)
        }
        #expect(deletions == [zoneID])
    }

    @Test(
        .holds("P69", "P31", "H93"),
        arguments: [
            Database.DatabaseChange.Deletion.Reason.purged, .encryptedDataReset, .deleted,
        ]
    )
    func theReasonOfAZonesDeletionIsToldThoughTheDatabasesTokenExpired(
        reason: Database.DatabaseChange.Deletion.Reason
    ) throws {
        let (a, b) = (story.device("A"), story.device("B"))
        a.save("one", text: "1")
        try story.meet(a, b)
        let zoneID = a.id("one").zoneID
        switch reason {
        case .purged: try story.cloud.purgeZone(zoneID, account: "alice")
        case .encryptedDataReset:
            try story.cloud.resetEncryptedData(in: zoneID, account: "alice")
        case .deleted: try story.cloud.deleteZone(zoneID, account: "alice")
        }
        try story.cloud.expireAllTokens(account: "alice")
        b.delegate.forgetEvents()
        try story.fetch(b)
        let deletions = b.delegate.events.flatMap { event -> [Database.DatabaseChange.Deletion] in
            guard case .fetchedDatabaseChanges(let page) = event else { return [] }
            return page.deletions
        }
        #expect(deletions == [.init(zoneID: zoneID, reason: reason)])
    }

    @Test(.holds("P69", "I6"))
    func aRestoredServersWordThatAZoneIsGoneEndsNoZoneOfALaterHistory() throws {
        let (a, b) = (story.device("A"), story.device("B"))
        a.save("one", text: "1")
        try story.meet(a, b)
        let zoneID = a.id("one").zoneID
        try story.cloud.deleteZone(zoneID, account: "alice")
        try story.fetch(b)
        let backup = story.cloud.backup()
        b.engine.state.add(pendingDatabaseChanges: [.saveZone(RecordZone(zoneID: zoneID))])
        b.save("two", text: "2")
        try story.sync(b)
        try story.cloud.restore(backup)
        try story.cloud.expireAllTokens(account: "alice")
        b.delegate.forgetEvents()
        try? story.fetch(b)
        let deletions = b.delegate.events.flatMap { event -> [RecordZone.ID] in
            guard case .fetchedDatabaseChanges(let page) = event else { return [] }
            return page.deletions.map(\.zoneID)
        }
        #expect(deletions == [])
        #expect(b.text("two") == "2")
    }

    @Test(.holds("P70", "J10"))
    func rowsOfAZonesFormerLifeAreToldApartAtItsFirstFetch() throws {
        let a = story.device("A")
        a.save("old", text: "1")
        try story.send(a)
        let zoneID = a.id("old").zoneID
        try story.cloud.deleteZone(zoneID, account: "alice")
        a.engine.state.add(pendingDatabaseChanges: [.saveZone(RecordZone(zoneID: zoneID))])
        a.save("new", text: "1")
        try story.send(a)
        a.delegate.forgetEvents()
        try story.fetch(a)
        #expect(kinds(a) == [.firstFetch, .tokenExpired])
        let listed = a.delegate.events.flatMap { event -> [Record.ID] in
            guard case .fetchedRecordZoneChanges(let page) = event else { return [] }
            return page.modifications.map(\.record.recordID)
        }
        // The app stamps what is listed, and drops the rest: the reason says that it may.
        #expect(listed == [a.id("new")])
    }

    @Test func aDeviceThatHasOnlySentLearnsThatItsZoneIsGone() throws {
        let a = story.device("A")
        a.save("one", text: "1")
        try story.send(a)
        let zoneID = a.id("one").zoneID
        try story.cloud.deleteZone(zoneID, account: "alice")
        story.world.advanceServer(story.cloud, days: 60)
        a.delegate.forgetEvents()
        #expect(throws: SyncError.self) { try story.fetch(a) }
        let told = a.delegate.events.compactMap { event -> SyncError.Code? in
            guard case .didFetchRecordZoneChanges(let fetch) = event else { return nil }
            return fetch.error?.code
        }
        #expect(told == [.zoneNotFound])
        try story.fetch(a)
    }

    @Test(.holds("J10", "H33")) func afterADamagedStateAbsenceIsNoDeletion() throws {
        let (a, b) = (story.device("A"), story.device("B"))
        a.save("one", text: "1")
        try story.meet(a, b)
        var bytes = try #require(b.delegate.state).bytes
        bytes[bytes.count / 2] ^= 1
        let delegate = RecordingDelegate()
        do {
            _ = try StateSerialization(bytes: bytes)
            Issue.record("damaged bytes were taken")
        } catch {
            let engine = story.engine(
                delegate,
                device: "B",
                state: StateSerialization(afterDamage: error)
            )
            try story.world.run { try await engine.fetchChanges() }
        }
        let reasons = delegate.events.compactMap { event -> SyncEvent.FullFetchReason? in
            guard case .willFetchRecordZoneChanges(let fetch) = event,
                case .full(_, let reason) = fetch.kind
            else { return nil }
            return reason
        }
        #expect(Set(reasons) == [.stateDamaged])
        #expect(!SyncEvent.FullFetchReason.stateDamaged.isAbsenceDeletion)
    }

    @Test func nothingWithAPendingChangeIsReconciled() {
        let rows = [Record.ID(recordName: "a"), Record.ID(recordName: "b")]
        for reason in [SyncEvent.FullFetchReason.tokenExpired, .newHistory] {
            let sorted = reason.reconcile(unlisted: rows) { $0 == rows[0] }
            #expect(sorted.drop + sorted.sendAgain == [rows[1]])
        }
    }
}

extension TestWorld {
    /// Lets the server's clock go on, and the server forget what it need not remember.
    fileprivate func advanceServer(_ cloud: InMemoryCloud, days: Int) {
        cloud.moveClock(by: .seconds(days * 24 * 60 * 60))
        do {
            try cloud.removeExpired()
        } catch {
            Issue.record("the server did not forget: \(error)")
        }
    }
}
