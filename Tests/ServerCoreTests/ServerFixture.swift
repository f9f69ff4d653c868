import RecordModel
import ServerCore

/// A server with one account, a zone and two devices, and a clock that a test moves.
struct ServerFixture {
    var server: Server<MemoryStorage>
    var now = Timestamp(millisecondsSince1970: 1_000_000)

    static let day: Int64 = 24 * 60 * 60 * 1000

    init(configure: (inout ServerConfiguration) -> Void = { _ in }) throws {
        var configuration = ServerConfiguration(tokenKey: Array(0..<32))
        configure(&configuration)
        server = Server(storage: MemoryStorage(), configuration: configuration)
        try server.createAccount("ann", at: now)
        _ = try save(zone: notes)
    }

    // MARK: Sending

    @discardableResult
    mutating func send(
        _ records: [Record] = [],
        deleting deletions: [RecordDeletion] = [],
        from caller: ServerCaller = phone,
        policy: RecordSavePolicy = .ifServerRecordUnchanged,
        isAtomic: Bool = false,
        key: IdempotencyKey? = nil
    ) throws -> ModifyRecordsReply {
        let request = ModifyRecordsRequest(
            recordsToSave: records,
            recordsToDelete: deletions,
            savePolicy: policy,
            isAtomicByZone: isAtomic,
            idempotencyKey: key
        )
        return try server.modifyRecords(request, from: caller, at: now)
    }

    /// Saves one record and gives the stored version, or throws why not.
    @discardableResult
    mutating func save(
        _ record: Record,
        from caller: ServerCaller = phone,
        policy: RecordSavePolicy = .ifServerRecordUnchanged,
        key: IdempotencyKey? = nil
    ) throws -> Record {
        try send([record], from: caller, policy: policy, key: key).saveResults[0].get()
    }

    /// Deletes one record, or throws why not.
    mutating func delete(
        _ recordID: Record.ID,
        expectedChangeTag: String? = nil,
        from caller: ServerCaller = phone
    ) throws {
        let deletion = RecordDeletion(recordID: recordID, expectedChangeTag: expectedChangeTag)
        if let error = try send(deleting: [deletion], from: caller).deleteErrors[0] { throw error }
    }

    @discardableResult
    mutating func save(
        zone zoneID: RecordZone.ID,
        from caller: ServerCaller = phone
    ) throws -> RecordZone {
        let request = ModifyZonesRequest(zonesToSave: [RecordZone(zoneID: zoneID)])
        return try server.modifyZones(request, from: caller, at: now).saveResults[0].get()
    }

    mutating func delete(zone zoneID: RecordZone.ID, from caller: ServerCaller = phone) throws {
        let request = ModifyZonesRequest(zoneIDsToDelete: [zoneID])
        if let error = try server.modifyZones(request, from: caller, at: now).deleteErrors[0] {
            throw error
        }
    }

    // MARK: Fetching

    mutating func page(
        of zoneID: RecordZone.ID = notes,
        since token: ServerChangeToken? = nil,
        limit: Int? = nil,
        desiredKeys: [String]? = nil,
        from caller: ServerCaller = phone
    ) throws -> ZoneChangesReply {
        let request = ZoneChangesRequest(
            zoneID: zoneID,
            since: token,
            desiredKeys: desiredKeys,
            resultsLimit: limit
        )
        return try server.zoneChanges(request, from: caller, at: now)
    }

    mutating func databasePage(
        since token: ServerChangeToken? = nil,
        limit: Int? = nil,
        knowing zoneIDs: [RecordZone.ID] = [],
        from caller: ServerCaller = phone
    ) throws -> DatabaseChangesReply {
        let request = DatabaseChangesRequest(
            since: token,
            resultsLimit: limit,
            knownZoneIDs: zoneIDs
        )
        return try server.databaseChanges(request, from: caller, at: now)
    }

    mutating func lookUp(
        _ recordID: Record.ID,
        from caller: ServerCaller = phone
    ) throws -> Record {
        let request = LookUpRecordsRequest(recordIDs: [recordID])
        return try server.lookUpRecords(request, from: caller, at: now).results[0].get()
    }

    mutating func pass(days: Int64) {
        now.millisecondsSince1970 += days * Self.day
    }
}

let phone = ServerCaller(account: "ann", deviceID: "phone")
let laptop = ServerCaller(account: "ann", deviceID: "laptop")
let notes = RecordZone.ID(zoneName: "notes")
let lists = RecordZone.ID(zoneName: "lists")

func id(_ name: String, in zoneID: RecordZone.ID = notes) -> Record.ID {
    Record.ID(recordName: name, zoneID: zoneID)
}

func note(
    _ name: String,
    _ text: String? = nil,
    in zoneID: RecordZone.ID = notes,
    parent: String? = nil,
    deletedWith target: String? = nil
) -> Record {
    var record = Record(recordType: "Note", recordID: id(name, in: zoneID))
    record["text"] = text
    if let parent { record.setParent(id(parent, in: zoneID)) }
    if let target {
        record["link"] = Record.Reference(recordID: id(target, in: zoneID), action: .deleteSelf)
    }
    return record
}

func key(_ number: UInt64) -> IdempotencyKey {
    IdempotencyKey(writer: WriterID(high: 1, low: 2), number: number)
}

func deletions(_ names: String...) -> [RecordDeletion] {
    names.map { RecordDeletion(recordID: id($0)) }
}

/// The code of the error that the body throws; nil if it throws none.
func code(_ body: () throws -> Void) -> SyncError.Code? {
    do {
        try body()
        return nil
    } catch {
        return (error as? SyncError)?.code
    }
}

extension ModifyRecordsReply {
    /// For each save the code of its error, or nil.
    var saveCodes: [SyncError.Code?] {
        saveResults.map { result in
            switch result {
            case .success: nil
            case .failure(let error): error.code
            }
        }
    }

    /// For each deletion the code of its error, or nil.
    var deleteCodes: [SyncError.Code?] { deleteErrors.map { $0?.code } }
}

extension ZoneChangesReply {
    var savedNames: [String] { modifications.map(\.record.recordID.recordName) }
    var deletedNames: [String] { deletions.map(\.recordID.recordName) }
}

extension DatabaseChangesReply {
    var changedNames: [String] { modifications.map(\.zoneID.zoneName) }
}
