internal import RecordModel
internal import RecordSync

/// What a store or a server holds, by content: two that hold the same have the same digest.
struct DemoImage: Sendable {
    /// In the order of the names.
    private let entries: [(id: Record.ID, digest: [UInt8])]

    var count: Int { entries.count }

    init(of records: [Record]) {
        entries = records.map { ($0.recordID, $0.contentDigest) }.sorted { $0.id < $1.id }
    }

    /// The SHA-256 of the records' content digests, in the order of their names.
    var digest: String {
        var hash = SHA256()
        for entry in entries { hash.update(entry.digest) }
        return hexadecimal(hash.finish())
    }

    /// Where a device's store and the server differ, a sentence for each record.
    func differences(on device: String, from server: DemoImage) -> [String] {
        var differences: [String] = []
        var mine = entries[...]
        var theirs = server.entries[...]
        while true {
            switch (mine.first, theirs.first) {
            case (nil, nil):
                return differences
            case (let own?, let other?) where own.id == other.id:
                if own.digest != other.digest {
                    differences.append("device \(device) has another \(own.id) than the server")
                }
                mine.removeFirst()
                theirs.removeFirst()
            case (let own?, let other) where other.map({ own.id < $0.id }) ?? true:
                differences.append("device \(device) has \(own.id), which the server lacks")
                mine.removeFirst()
            case (_, let other?):
                differences.append("device \(device) lacks \(other.id), which the server has")
                theirs.removeFirst()
            case (_?, nil):
                preconditionFailure("what only the device has was told above")
            }
        }
    }
}

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
