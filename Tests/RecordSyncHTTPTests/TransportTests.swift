import LoopbackSupport
import RecordModel
import RecordServer
import RecordSync
import RecordSyncHTTP
import TestSupport
import Testing

/// What the engine is told of a server that does not answer as it should.
@Suite(.timeLimit(.minutes(1))) struct TransportTests {
    private let save = ModifyRecordsRequest(
        recordsToSave: [Record(recordType: "Note", recordID: Record.ID(recordName: "a"))],
        idempotencyKey: IdempotencyKey(writer: WriterID(high: 1, low: 2), number: 3)
    )

    @Test(
        .holds("P94"),
        arguments: [
            ("http://192.0.2.1:8080", "192.0.2.1"), ("http://[2001:db8::1]", "2001:db8::1"),
            ("https://sync.example.org/path", "sync.example.org"),
        ]
    )
    func theNetworkThatCountsIsTheOneTowardsTheServer(url: String, host: String) throws {
        #expect(try RemoteServer(url).database(.private).serverAddress == host)
    }

    @Test(arguments: [
        ("", SyncError.Code.networkFailure, SyncError.Code.networkFailure),
        ("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}", .networkFailure, .networkFailure),
        ("SSH-2.0-OpenSSH\r\n\r\n", .networkFailure, .networkFailure),
        ("HTTP/1.1 200 OK\r\n\r\n<html>", .serverResponseLost, .internalError),
        ("HTTP/1.1 200 OK\r\n\r\n{}", .serverResponseLost, .internalError),
        ("HTTP/1.1 502 Bad\r\n\r\n<html>", .serverResponseLost, .serviceUnavailable),
        ("HTTP/1.1 503 Busy\r\n\r\n<html>", .serviceUnavailable, .serviceUnavailable),
        ("HTTP/1.1 500 No\r\n\r\n", .serverResponseLost, .serviceUnavailable),
        ("HTTP/1.1 401 No\r\n\r\n", .notAuthenticated, .notAuthenticated),
        ("HTTP/1.1 403 No\r\n\r\n", .permissionFailure, .permissionFailure),
        ("HTTP/1.1 413 No\r\n\r\n", .limitExceeded, .limitExceeded),
        ("HTTP/1.1 302 Go\r\nLocation: /x\r\n\r\n", .serverRejectedRequest, .serverRejectedRequest),
        (
            "HTTP/1.1 400 No\r\n\r\n{\"serverErrorCode\":\"QUOTA_EXCEEDED\",\"reason\":\"full\"}",
            .quotaExceeded, .quotaExceeded
        ),
    ])
    func everyFailureIsAnErrorOfTheEngine(
        answer: String,
        ofAWrite: SyncError.Code,
        ofARead: SyncError.Code
    ) async throws {
        let peer = try ScriptedPeer { _, _ in .bytes(answer) }
        defer { peer.end() }
        let database = try RemoteServer(peer.url).database(.private)
        let write = await code { _ = try await database.modifyRecords(save, account: "me") }
        #expect(write == ofAWrite)
        let read = await code {
            _ = try await database.databaseChanges(.init(since: nil), account: "me")
        }
        #expect(read == ofARead)
    }

    @Test func nothingWasSentToAServerThatIsNotThere() async throws {
        let peer = try ScriptedPeer { _, _ in .silence }
        peer.end()
        let database = try RemoteServer("http://127.0.0.1:1").database(.private)
        let failure = await code { _ = try await database.modifyRecords(save, account: "me") }
        #expect(failure == .networkUnavailable)
    }

    @Test func aServerSaysHowLongToWait() async throws {
        let peer = try ScriptedPeer { _, _ in
            .bytes("HTTP/1.1 429 Slow\r\nRetry-After: 12\r\n\r\n")
        }
        defer { peer.end() }
        let database = try RemoteServer(peer.url).database(.private)
        do {
            _ = try await database.modifyRecords(save, account: "me")
            Issue.record("no error")
        } catch {
            #expect(error.code == .requestRateLimited)
            #expect(error.retryAfterSeconds == 12)
        }
    }

    @Test func aCancelledRequestEndsAtOnceAndMayHaveArrived() async throws {
        let peer = try ScriptedPeer { _, _ in .silence }
        defer { peer.end() }
        let database = try RemoteServer(peer.url).database(.private)
        let failure = await withTaskGroup(of: SyncError.Code?.self) { group in
            group.addTask {
                await code { _ = try await database.modifyRecords(save, account: "me") }
            }
            while peer.requests.isEmpty { await Task.yield() }
            group.cancelAll()
            return await group.next() ?? nil
        }
        #expect(failure == .networkFailure)
    }

    @Test func cancellingAtAnyMomentEndsNoProcess() async throws {
        let server = try LoopbackServer()
        let database = try RemoteServer(server.url).database(.private)
        for round in 0..<200 {
            await withTaskGroup(of: Void.self) { group in
                for _ in 1...4 {
                    group.addTask { _ = try? await database.accountStatus() }
                }
                for _ in 0..<round * 5 { await Task.yield() }
                group.cancelAll()
            }
        }
        #expect(try await database.accountStatus() == .available(userRecordName: "me"))
    }

    @Test func usesAConnectionAgainAndANewOneWhereItWasClosed() async throws {
        let body = #"{"userRecordName":"me"}"#
        let reply = "HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
        // The second request of the first connection is not answered: it was closed meanwhile.
        let peer = try ScriptedPeer { _, number in number == 2 ? .bytes("") : .open(reply) }
        defer { peer.end() }
        let database = try RemoteServer(peer.url).database(.private)
        for _ in 1...3 {
            #expect(try await database.accountStatus() == .available(userRecordName: "me"))
        }
        #expect(peer.requests.count == 4)
    }

    @Test func sendsTheTokenInAHeaderAndNowhereElse() async throws {
        let peer = try ScriptedPeer { _, _ in .bytes("HTTP/1.1 302 Go\r\nLocation: /x\r\n\r\n") }
        defer { peer.end() }
        let server = try RemoteServer(peer.url, accessToken: "rst_secret")
        _ = try? await server.database(.private).accountStatus()
        #expect(peer.requests.count == 1)
        let head = try #require(peer.requests.first?.head)
        #expect(head.value("authorization") == "Bearer rst_secret")
        #expect(!head.path.contains("secret") && !head.query.contains("secret"))
    }

    @Test(arguments: [
        "", "x", "ftp://x", "http://", "http://:80", "http://x:0", "http://x:65536", "http://x:y",
        "http://a b", "http://user@host", "http://[::1", "http://[::1]x", "http://x/?a",
        "http://x/#a",
    ])
    func refusesWhatIsNoAddress(url: String) {
        #expect(throws: SyncError.self) { _ = try RemoteServer(url) }
    }

    @Test(arguments: ["a b", "a\r\nx: y", "", "é", "../x"])
    func refusesWhatCannotBeSent(text: String) {
        #expect(throws: SyncError.self) { _ = try RemoteServer("http://x", accessToken: text) }
        #expect(throws: SyncError.self) { _ = try RemoteServer("http://x", container: text) }
    }

    private func code(_ body: () async throws -> Void) async -> SyncError.Code? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? SyncError)?.code
        }
    }
}
