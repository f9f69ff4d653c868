import RecordModel
import SyncCore

// What the fetching side needs: the server's answers word by word, and what was delivered.

extension CoreFixture {
    /// What was delivered and asked so far, in words without numbers.
    var words: [String] { transcript.map(withoutNumber) }

    /// The events that were delivered so far, in words, the state updates left out.
    var delivered: [String] {
        words.filter { $0.hasPrefix("deliver ") && $0 != "deliver stateUpdate" }
            .map { String($0.dropFirst("deliver ".count)) }
    }

    /// Forgets what was written down so far.
    mutating func clear() {
        transcript = []
        events = []
    }

    /// The page of a zone that the engine waits for.
    var askedPage: ZoneChangesRequest? {
        for case .fetchZoneChanges(_, let request, _) in requests { return request }
        return nil
    }

    /// The page of changed zones that the engine waits for.
    var askedZones: DatabaseChangesRequest? {
        for case .fetchDatabaseChanges(_, let request, _) in requests { return request }
        return nil
    }

    /// True if the engine asked who is signed in.
    var isAccountAsked: Bool {
        requests.contains { if case .askAccount = $0 { true } else { false } }
    }

    /// Lets everything happen that leads to the request for a page of a zone.
    mutating func runUntilPageAsked() { run { $0.askedPage != nil } }

    mutating func runUntilZonesAsked() { run { $0.askedZones != nil } }

    /// Answers the request for a page of a zone.
    @discardableResult
    mutating func replyPage(_ result: Result<ZoneChangesReply, SyncError>) -> [EngineEffect] {
        for (place, request) in requests.enumerated() {
            guard case .fetchZoneChanges(let id, _, _) = request else { continue }
            requests.remove(at: place)
            return handle(.zoneChangesFetched(id, result))
        }
        faults.append("no page of a zone was asked for")
        return []
    }

    /// Answers the request for a page of a zone as the server does.
    @discardableResult
    mutating func replyPage() -> [EngineEffect] {
        guard let askedPage else { return [] }
        return replyPage(server.zoneChanges(askedPage))
    }

    /// Answers the request for a page of changed zones.
    @discardableResult
    mutating func replyZones(
        _ result: Result<DatabaseChangesReply, SyncError>
    ) -> [EngineEffect] {
        for (place, request) in requests.enumerated() {
            guard case .fetchDatabaseChanges(let id, _, _) = request else { continue }
            requests.remove(at: place)
            return handle(.databaseChangesFetched(id, result))
        }
        faults.append("no page of zones was asked for")
        return []
    }

    /// Answers the question who is signed in.
    @discardableResult
    mutating func replyAccount(_ result: Result<AccountStatus, SyncError>) -> [EngineEffect] {
        for (place, request) in requests.enumerated() {
            guard case .askAccount(let id) = request else { continue }
            requests.remove(at: place)
            return handle(.accountStatusReceived(id, result))
        }
        faults.append("nobody asked for the account")
        return []
    }

    /// Answers the batch that was sent, as the server does.
    @discardableResult
    mutating func replyBatch() -> [EngineEffect] {
        for (place, request) in requests.enumerated() {
            guard case .modifyRecords = request else { continue }
            requests.remove(at: place)
            return handle(server.answer(request))
        }
        faults.append("no batch was sent")
        return []
    }

    /// The server names this account from now on, and the engine hears of it.
    mutating func accountBecomes(_ status: AccountStatus) {
        server.account = .success(status)
        handle(.accountMayHaveChanged)
    }
}

/// A record of another device.
func record(_ id: Record.ID, version: Int = 1) -> Record {
    var record = Record(recordType: "Note", recordID: id)
    record["version"] = version
    return record
}

func token(_ name: String) -> ServerChangeToken { ServerChangeToken(bytes: Array(name.utf8)) }

/// A page of a zone.
func page(
    _ records: [Record] = [],
    deleting deletions: [Record.ID] = [],
    token name: String,
    moreComing: Bool = false
) -> ZoneChangesReply {
    ZoneChangesReply(
        modifications: records.map { .init(record: $0) },
        deletions: deletions.map { .init(recordID: $0, recordType: "Note") },
        changeToken: token(name),
        moreComing: moreComing
    )
}

/// A page of changed zones.
func zones(
    _ modified: [RecordZone.ID] = [],
    deleting deletions: [Database.DatabaseChange.Deletion] = [],
    token name: String,
    moreComing: Bool = false
) -> DatabaseChangesReply {
    DatabaseChangesReply(
        modifications: modified.map { .init(zoneID: $0) },
        deletions: deletions,
        changeToken: token(name),
        moreComing: moreComing
    )
}

let ann = AccountStatus.available(userRecordName: "ann")
let bob = AccountStatus.available(userRecordName: "bob")
