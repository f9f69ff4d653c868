import MemoryCloud
import RecordModel
import RecordSync

/// A cloud with two devices of one account, asked without an engine.
struct CloudFixture {
    let cloud = InMemoryCloud(clock: { Timestamp(millisecondsSince1970: 1_800_000_000_000) })
    let account = "alice"
    let zoneID = RecordZone.ID(zoneName: "Notes")
    let a: any SyncDatabase
    let b: any SyncDatabase

    init() throws {
        a = cloud.database(.private, account: account, device: "A")
        b = cloud.database(.private, account: account, device: "B")
        try cloud.save([], account: account)
        try cloud.save([record("old")], account: account)
    }

    func id(_ name: String) -> Record.ID { Record.ID(recordName: name, zoneID: zoneID) }

    func record(_ name: String, text: String = "text") -> Record {
        var record = Record(recordType: "Note", recordID: id(name))
        record["text"] = text
        return record
    }

    func save(
        _ names: String...,
        from device: (any SyncDatabase)? = nil,
        isAtomic: Bool = false,
        key: UInt64? = nil
    ) async throws(SyncError) -> ModifyRecordsReply {
        let request = ModifyRecordsRequest(
            recordsToSave: names.map { record($0) },
            isAtomicByZone: isAtomic,
            idempotencyKey: key.map(Self.key)
        )
        return try await (device ?? a).modifyRecords(request, account: account)
    }

    func zones(
        since: ServerChangeToken? = nil,
        from device: (any SyncDatabase)? = nil
    ) async throws(SyncError) -> DatabaseChangesReply {
        try await (device ?? a).databaseChanges(
            DatabaseChangesRequest(since: since),
            account: account
        )
    }

    func changes(since: ServerChangeToken? = nil) async throws(SyncError) -> ZoneChangesReply {
        try await a.zoneChanges(
            ZoneChangesRequest(zoneID: zoneID, since: since),
            account: account
        )
    }

    func outcome(ofKey number: UInt64) async throws(SyncError) -> SendOutcome {
        let request = SendOutcomeRequest(idempotencyKey: Self.key(number))
        return try await a.outcome(of: request, account: account)
    }

    /// The names of the records that the server has.
    var names: [String] {
        cloud.records(in: zoneID, account: account).map(\.recordID.recordName)
    }

    static func key(_ number: UInt64) -> IdempotencyKey {
        IdempotencyKey(writer: WriterID(high: 1, low: 2), number: number)
    }
}

extension ModifyRecordsReply {
    /// The code of each save's error; nil where it was saved.
    var codes: [SyncError.Code?] {
        saveResults.map { result in
            switch result {
            case .success: nil
            case .failure(let error): error.code
            }
        }
    }
}

/// The code of the error that a call throws; nil if it returns.
func code(_ body: () async throws(SyncError) -> Void) async -> SyncError.Code? {
    do {
        try await body()
        return nil
    } catch {
        return error.code
    }
}
