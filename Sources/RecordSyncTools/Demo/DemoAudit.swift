internal import RecordModel
internal import RecordSync

/// Everything that a database holds, asked for without an engine.
func allRecords(in database: any SyncDatabase) async throws -> [Record] {
    guard case .available(let account) = try await database.accountStatus() else {
        throw SyncError(.notAuthenticated, "nobody is signed in")
    }
    var zoneIDs: [RecordZone.ID] = []
    var request = DatabaseChangesRequest(since: nil)
    while true {
        let page = try await database.databaseChanges(request, account: account)
        zoneIDs += page.modifications.map(\.zoneID)
        request.since = page.changeToken
        if !page.moreComing { break }
    }
    var records: [Record] = []
    for zoneID in zoneIDs {
        var request = ZoneChangesRequest(zoneID: zoneID, since: nil)
        while true {
            let page = try await database.zoneChanges(request, account: account)
            records += page.modifications.map(\.record)
            request.since = page.changeToken
            if !page.moreComing { break }
        }
    }
    return records
}
