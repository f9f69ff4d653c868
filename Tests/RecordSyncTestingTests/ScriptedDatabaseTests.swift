import RecordModel
import RecordSync
import RecordSyncTesting
import TestSupport
import Testing

struct ScriptedDatabaseTests {
    private let world = TestWorld()
    private let database = ScriptedDatabase()
    private let token = ServerChangeToken(bytes: [1])

    private func engine(_ delegate: RecordingDelegate) -> SyncEngine {
        var configuration = SyncEngine.Configuration(
            database: database,
            stateSerialization: nil,
            delegate: delegate
        )
        configuration.automaticallySync = false
        configuration.run(on: world)
        return SyncEngine(configuration)
    }

    @Test func givesEachKindOfRequestItsOwnAnswersInOrder() async throws {
        database.answerDatabaseChanges(.failure(SyncError(.zoneBusy)), .reply(page))
        database.answerOutcome(.reply(.closed))
        let request = DatabaseChangesRequest(since: nil)
        await #expect(throws: SyncError(.zoneBusy)) {
            try await database.databaseChanges(request, account: "user")
        }
        let key = IdempotencyKey(writer: WriterID(high: 1, low: 2), number: 3)
        let question = SendOutcomeRequest(idempotencyKey: key)
        #expect(try await database.outcome(of: question, account: "other") == .closed)
        #expect(try await database.databaseChanges(request, account: "user") == page)
        #expect(
            database.requests == [
                .databaseChanges(request), .outcome(question), .databaseChanges(request),
            ]
        )
        #expect(database.accounts == ["user", "other", "user"])
        #expect(database.unanswered == [])
    }

    @Test func failsARequestWithoutAnAnswerAndSaysWhich() async throws {
        database.answerZoneChanges(.failure(SyncError(.zoneBusy)))
        let request = ZoneChangesRequest(zoneID: .default, since: nil)
        _ = try? await database.zoneChanges(request, account: "user")
        let error = await #expect(throws: SyncError.self) {
            try await database.zoneChanges(request, account: "user")
        }
        #expect(error?.code == .internalError)
        #expect(error?.message == "the script has no answer to zoneChanges number 2")
        #expect(database.unanswered == [.zoneChanges(request)])
    }

    @Test func computesAnAnswerFromTheRequest() async throws {
        database.answerModifyZones(
            .computed { request in
                ModifyZonesReply(
                    saveResults: request.zonesToSave.map { .success($0) },
                    deleteErrors: request.zoneIDsToDelete.map { _ in nil }
                )
            }
        )
        let zone = RecordZone(zoneName: "Notes")
        let reply = try await database.modifyZones(
            ModifyZonesRequest(zonesToSave: [zone]),
            account: "user"
        )
        #expect(reply == ModifyZonesReply(saveResults: [.success(zone)], deleteErrors: []))
    }

    @Test func saysWhoIsSignedInUntilToldOtherwise() async throws {
        #expect(try await database.accountStatus() == .available(userRecordName: "user"))
        database.answerAccountStatus(.reply(.restricted))
        #expect(try await database.accountStatus() == .restricted)
        database.setAccountStatus(.noAccount)
        #expect(try await database.accountStatus() == .noAccount)
    }

    @Test func hintsItsListeners() async {
        var hints = database.notifications().makeAsyncIterator()
        database.notify(.databaseChanged)
        database.notify(.accountChanged)
        #expect(await hints.next() == .databaseChanged)
        #expect(await hints.next() == .accountChanged)
    }

    @Test func drivesAnEngine() throws {
        let delegate = RecordingDelegate()
        let engine = engine(delegate)
        database.answerDatabaseChanges(.reply(page))
        try world.run { try await engine.fetchChanges() }
        #expect(
            database.requests == [
                .accountStatus, .databaseChanges(DatabaseChangesRequest(since: nil)),
            ]
        )
        #expect(delegate.eventKinds == [.accountChange, .willFetchChanges, .didFetchChanges])
        #expect(throws: SyncError.self) { try world.run { try await engine.fetchChanges() } }
    }

    private var page: DatabaseChangesReply {
        DatabaseChangesReply(
            modifications: [],
            deletions: [],
            changeToken: token,
            moreComing: false
        )
    }
}
