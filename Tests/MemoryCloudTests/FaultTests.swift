import MemoryCloud
import RecordModel
import RecordSync
import TestSupport
import Testing

struct FaultTests {
    private let fixture: CloudFixture
    private var cloud: InMemoryCloud { fixture.cloud }
    private let busy = SyncError(.zoneBusy, "busy")

    init() throws { fixture = try CloudFixture() }

    /// The codes of so many requests for changed zones.
    private func codes(
        _ count: Int,
        from device: (any SyncDatabase)? = nil
    ) async -> [SyncError.Code?] {
        var codes: [SyncError.Code?] = []
        for _ in 0..<count {
            codes.append(
                await code { () throws(SyncError) in _ = try await fixture.zones(from: device) }
            )
        }
        return codes
    }

    // MARK: When

    @Test func befallsTheNextRequestAndNoOther() async {
        let id = cloud.inject(.next(.fail(busy)))
        #expect(cloud.isWaiting(id))
        #expect(await codes(2) == [.zoneBusy, nil])
        #expect(!cloud.isWaiting(id))
    }

    @Test func befallsAsManyRequestsAsGiven() async {
        cloud.inject(.next(.fail(busy), count: 2))
        #expect(await codes(3) == [.zoneBusy, .zoneBusy, nil])
    }

    @Test func befallsTheNthRequestAlone() async {
        cloud.inject(.nth(3, .fail(busy)))
        #expect(await codes(4) == [nil, nil, .zoneBusy, nil])
    }

    @Test func befallsEveryKthRequestUntilItIsLifted() async {
        let id = cloud.inject(.every(2, .fail(busy)))
        #expect(await codes(5) == [nil, .zoneBusy, nil, .zoneBusy, nil])
        cloud.lift(id)
        #expect(await codes(2) == [nil, nil])
    }

    @Test func befallsEveryRequestUntilAllAreLifted() async {
        cloud.inject(.always(.outage))
        #expect(await codes(2) == [.serviceUnavailable, .serviceUnavailable])
        cloud.liftAllFaults()
        #expect(await codes(1) == [nil])
    }

    @Test func befallsOnlyTheKindsItIsMeantFor() async throws {
        cloud.inject(.next(.fail(busy)).on(.modifyRecords, .outcome))
        #expect(await codes(2) == [nil, nil])
        await #expect(throws: busy) { try await fixture.save("n") }
    }

    @Test func befallsOnlyTheDeviceItIsMeantFor() async {
        cloud.inject(.always(.fail(busy)).from("B"))
        #expect(await codes(1) == [nil])
        #expect(await codes(1, from: fixture.b) == [.zoneBusy])
    }

    @Test func oneRequestTakesOneFaultOfTheQueue() async {
        cloud.inject(.next(.fail(busy)))
        cloud.inject(.next(.outage))
        #expect(await codes(3) == [.zoneBusy, .serviceUnavailable, nil])
    }

    @Test(arguments: RequestKind.allCases)
    func canBefallEveryKind(kind: RequestKind) async throws {
        cloud.inject(.always(.fail(busy)).on(kind))
        let account = fixture.account
        let zoneID = fixture.zoneID
        let ask: [(RequestKind, () async throws(SyncError) -> Void)] = [
            (.accountStatus, { () throws(SyncError) in _ = try await fixture.a.accountStatus() }),
            (.databaseChanges, { () throws(SyncError) in _ = try await fixture.zones() }),
            (.zoneChanges, { () throws(SyncError) in _ = try await fixture.changes() }),
            (
                .modifyZones,
                { () throws(SyncError) in
                    let request = ModifyZonesRequest(zonesToSave: [RecordZone(zoneID: zoneID)])
                    _ = try await fixture.a.modifyZones(request, account: account)
                }
            ),
            (.modifyRecords, { () throws(SyncError) in _ = try await fixture.save("n") }),
            (
                .lookUpRecords,
                { () throws(SyncError) in
                    let request = LookUpRecordsRequest(recordIDs: [fixture.id("old")])
                    _ = try await fixture.a.lookUpRecords(request, account: account)
                }
            ),
            (.outcome, { () throws(SyncError) in _ = try await fixture.outcome(ofKey: 1) }),
            (
                .missingAssets,
                { () throws(SyncError) in
                    _ = try await fixture.a.missingAssets([], account: account)
                }
            ),
            (
                .uploadAsset,
                { () throws(SyncError) in
                    let source = AssetSource(byteCount: 0, checksum: SHA256.hash([])) { _, _ in [] }
                    try await fixture.a.upload(source, account: account)
                }
            ),
            (
                .downloadAsset,
                { () throws(SyncError) in
                    // It has none before the upload went well.
                    do throws(SyncError) {
                        let asset = Asset(byteCount: 0, checksum: SHA256.hash([]))
                        let target = AssetTarget(asset) { _, _ in }
                        try await fixture.a.download(target, account: account)
                    } catch  where error.code == .assetNotAvailable {}
                }
            ),
        ]
        #expect(ask.map(\.0) == RequestKind.allCases)
        for (asked, body) in ask {
            #expect(await code(body) == (asked == kind ? .zoneBusy : nil))
        }
    }

    // MARK: What

    @Test func aFailedRequestHasNoEffect() async throws {
        cloud.inject(.next(.fail(busy)).on(.modifyRecords))
        await #expect(throws: busy) { try await fixture.save("n") }
        #expect(fixture.names == ["old"])
    }

    @Test func aLostRequestHasNoEffectThatTheCallerCouldKnow() async throws {
        cloud.inject(.next(.loseRequest).on(.modifyRecords))
        let error = await code { () throws(SyncError) in _ = try await fixture.save("n", key: 1) }
        #expect(error == .networkFailure)
        #expect(fixture.names == ["old"])
        #expect(try await fixture.outcome(ofKey: 1) == .closed)
    }

    @Test(.holds("I11", "H109"))
    func aLostAnswerIsOfARequestThatTheServerTook() async throws {
        cloud.inject(.next(.loseAnswer).on(.modifyRecords))
        let error = await code { () throws(SyncError) in _ = try await fixture.save("n", key: 1) }
        #expect(error == .serverResponseLost)
        #expect(fixture.names == ["n", "old"])
        guard case .known(let reply) = try await fixture.outcome(ofKey: 1) else {
            Issue.record("the server does not know the send")
            return
        }
        #expect(reply.codes == [nil])
        // Sent once more under its key, it has no second effect.
        #expect(try await fixture.save("n", key: 1) == reply)
        #expect(cloud.history(of: fixture.id("n"), account: fixture.account).count == 1)
    }

    @Test func anAnswerCanBeLostUnderAnotherError() async throws {
        let lost = SyncError(.networkFailure, "cut")
        cloud.inject(.next(.loseAnswerAs(lost)).on(.modifyRecords))
        await #expect(throws: lost) { try await fixture.save("n") }
        #expect(fixture.names == ["n", "old"])
    }

    @Test func aLateRequestArrivesWhenToldTo() async throws {
        cloud.inject(.next(.arriveLate).on(.modifyRecords))
        let error = await code { () throws(SyncError) in _ = try await fixture.save("n") }
        #expect(error == .networkFailure)
        #expect(fixture.names == ["old"])
        #expect(cloud.deliverLateRequests() == 1)
        #expect(fixture.names == ["n", "old"])
        #expect(cloud.deliverLateRequests() == 0)
    }

    @Test func aRequestThatArrivesAfterItsKeyWasClosedHasNoEffect() async throws {
        cloud.inject(.next(.arriveLate).on(.modifyRecords))
        _ = await code { () throws(SyncError) in _ = try await fixture.save("n", key: 1) }
        #expect(try await fixture.outcome(ofKey: 1) == .closed)
        #expect(cloud.deliverLateRequests() == 1)
        #expect(fixture.names == ["old"])
    }

    @Test func aDuplicateUnderAKeyHasOneEffect() async throws {
        cloud.inject(.next(.duplicate).on(.modifyRecords))
        let reply = try await fixture.save("n", key: 1)
        #expect(reply.codes == [nil])
        #expect(cloud.history(of: fixture.id("n"), account: fixture.account).count == 1)
    }

    @Test func aDuplicateWithoutAKeyArrivesTwice() async throws {
        cloud.inject(.next(.duplicate).on(.modifyRecords))
        let reply = try await fixture.save("n")
        #expect(reply.codes == [nil])
        let actions = cloud.history(of: fixture.id("n"), account: fixture.account).map(\.action)
        #expect(actions.count == 2)
        guard case .refused(_, .serverRecordChanged) = actions.last else {
            Issue.record("the second arrival was not a conflict")
            return
        }
    }

    @Test func aRateLimitSaysHowLongToWait() async throws {
        cloud.inject(.next(.rateLimit(retryAfterSeconds: 30)))
        let error = await #expect(throws: SyncError.self) { try await fixture.zones() }
        #expect(error?.code == .requestRateLimited)
        #expect(error?.retryAfterSeconds == 30)
    }

    // MARK: Items

    @Test func aRefusedItemFailsAloneAsOftenAsGiven() async throws {
        let error = SyncError(.permissionFailure, "no")
        cloud.inject(.next(.refuse(.record(fixture.id("x")), error), count: 2))
        #expect(try await fixture.save("n", "x", "m").codes == [nil, .permissionFailure, nil])
        #expect(try await fixture.save("y").codes == [nil])
        #expect(try await fixture.save("x").codes == [.permissionFailure])
        #expect(try await fixture.save("x").codes == [nil])
    }

    @Test func anAdministratorsSaveIsNotRefused() async throws {
        cloud.inject(.next(.refuse(.record(fixture.id("x")), busy), count: 2))
        #expect(try await fixture.save("x").codes == [.zoneBusy])
        try cloud.save([fixture.record("x")], account: fixture.account)
        #expect(fixture.names == ["old", "x"])
    }

    @Test func severalItemsOfARequestAreRefusedTogether() async throws {
        for name in ["x", "y"] {
            cloud.inject(.next(.refuse(.record(fixture.id(name)), busy)))
        }
        #expect(try await fixture.save("x", "n", "y").codes == [.zoneBusy, nil, .zoneBusy])
        #expect(try await fixture.save("x", "y").codes == [nil, nil])
    }

    @Test func aRefusedItemOfAnAtomicBatchTakesItsSiblingsAlong() async throws {
        cloud.inject(.next(.refuse(.record(fixture.id("x")), busy)))
        let reply = try await fixture.save("n", "x", isAtomic: true)
        #expect(reply.codes == [.batchRequestFailed, .zoneBusy])
        #expect(fixture.names == ["old"])
    }

    @Test func aDeletionCanBeRefused() async throws {
        cloud.inject(.next(.refuse(.record(fixture.id("old")), busy)))
        let request = ModifyRecordsRequest(
            recordsToDelete: [RecordDeletion(recordID: fixture.id("old"))]
        )
        let reply = try await fixture.a.modifyRecords(request, account: fixture.account)
        #expect(reply.deleteErrors == [busy])
        #expect(fixture.names == ["old"])
    }

    @Test func aZoneCanBeRefused() async throws {
        let zone = RecordZone(zoneName: "New")
        cloud.inject(.next(.refuse(.zone(zone.zoneID), busy)))
        cloud.inject(.next(.refuse(.zone(fixture.zoneID), busy)))
        let request = ModifyZonesRequest(
            zonesToSave: [zone],
            zoneIDsToDelete: [fixture.zoneID]
        )
        let reply = try await fixture.a.modifyZones(request, account: fixture.account)
        #expect(reply == ModifyZonesReply(saveResults: [.failure(busy)], deleteErrors: [busy]))
        #expect(cloud.zoneIDs(account: fixture.account) == [fixture.zoneID])
    }

    @Test func aRefusalIsKeptWithTheKeyLikeAnyAnswer() async throws {
        cloud.inject(.next(.refuse(.record(fixture.id("x")), busy)))
        let reply = try await fixture.save("n", "x", key: 1)
        #expect(reply.codes == [nil, .zoneBusy])
        #expect(try await fixture.save("n", "x", key: 1) == reply)
        #expect(try await fixture.outcome(ofKey: 1) == .known(reply))
    }
}
