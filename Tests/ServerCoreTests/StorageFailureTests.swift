import RecordModel
import ServerCore
import TestSupport
import Testing

/// For every call of the storage that a request makes: if it fails, the request has no effect, says
/// so, and the same request succeeds afterwards with the answer it would have had.
struct StorageFailureTests {
    private let now = Timestamp(millisecondsSince1970: 1_000_000)

    @Test(.holds("I10", "I11", "H119"))
    func hasNoEffectIfAnyCallOfABatchFails() throws {
        var spare = try server()
        let request = ModifyRecordsRequest(
            recordsToSave: [note("new", "x", parent: "list"), note("list", "stale")],
            recordsToDelete: deletions("list2", "missing"),
            idempotencyKey: key(7)
        )
        let expected = try spare.modifyRecords(request, from: phone, at: now)
        let count = try sweep { server in
            try server.modifyRecords(request, from: phone, at: now) == expected
        }
        #expect(count > 20)
    }

    @Test(.holds("H119"))
    func hasNoEffectIfAnyCallOfAChangeOfZonesFails() throws {
        let request = ModifyZonesRequest(
            zonesToSave: [RecordZone(zoneID: lists)],
            zoneIDsToDelete: [notes]
        )
        var spare = try server()
        let expected = try spare.modifyZones(request, from: phone, at: now)
        let count = try sweep { server in
            try server.modifyZones(request, from: phone, at: now) == expected
        }
        #expect(count > 8)
    }

    @Test func saysThatABusyStorageIsWorthARetry() throws {
        var server = try server()
        server.storage.fail(after: 0)
        let error = code { _ = try server.accountStatus(of: "ann") }
        #expect(error == .serviceUnavailable)
    }

    /// Runs a request with the n-th call failing, for all n, and says for how many one did.
    private func sweep(
        _ request: (inout Server<FailingStorage>) throws -> Bool
    ) throws -> Int {
        var count = 0
        while true {
            var server = try server()
            let before = try state(of: &server)
            server.storage.fail(after: count)
            let failure = code { _ = try request(&server) }
            if server.storage.isArmed { return count }
            #expect(failure == .serviceUnavailable)
            #expect(try state(of: &server) == before)
            #expect(try request(&server))
            count += 1
        }
    }

    private func server() throws -> Server<FailingStorage> {
        let configuration = ServerConfiguration(tokenKey: Array(0..<32))
        var server = Server(storage: FailingStorage(), configuration: configuration)
        try server.createAccount("ann", at: now)
        let zones = ModifyZonesRequest(zonesToSave: [RecordZone(zoneID: notes)])
        _ = try server.modifyZones(zones, from: phone, at: now)
        let records = [note("list"), note("list2"), note("a", deletedWith: "list2")]
        let request = ModifyRecordsRequest(recordsToSave: records)
        _ = try server.modifyRecords(request, from: phone, at: now)
        return server
    }

    private func state(of server: inout Server<FailingStorage>) throws -> State {
        let names = ["list", "list2", "a", "new"]
        return State(
            zones: try server.databaseChanges(.init(since: nil), from: phone, at: now),
            records: try server.zoneChanges(
                .init(zoneID: notes, since: nil),
                from: phone,
                at: now
            ),
            history: try names.map { try server.history(of: id($0), of: phone) },
            usedByteCount: try server.usedByteCount(of: "ann"),
            answer: server.storage.base.answer(to: key(7), of: "ann")
        )
    }

    private struct State: Equatable {
        let zones: DatabaseChangesReply
        let records: ZoneChangesReply
        let history: [[HistoryEntry]]
        let usedByteCount: Int
        let answer: StoredAnswer?
    }
}
