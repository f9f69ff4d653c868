import RecordModel

/// What the newest send and the newest fetch have done; each begins anew with its operation.
struct OperationProgress: Sendable {
    /// Changes that left and came to an end, by zone.
    var send = OrderedTable<RecordZone.ID, Send>()
    /// Records that the delegate has, by zone.
    var fetched = OrderedTable<RecordZone.ID, Int>()
    /// What the newest fetch is about.
    var fetchScope = FetchChangesOptions.Scope.all
    /// True once the newest fetch has the whole list of changed zones.
    var hasZoneList = false

    struct Send: Sendable {
        var sentCount = 0
        var confirmedCount = 0
    }

    mutating func beginSend() { send = OrderedTable() }

    mutating func beginFetch(of scope: FetchChangesOptions.Scope) {
        fetched = OrderedTable()
        fetchScope = scope
        hasZoneList = false
    }

    /// What was done for another account is no news.
    mutating func beginAnew() {
        beginSend()
        beginFetch(of: fetchScope)
    }

    mutating func noteSent(_ zoneIDs: some Sequence<RecordZone.ID>) {
        for (zoneID, count) in runs(of: zoneIDs) {
            send[zoneID, default: Send()].sentCount += count
        }
    }

    /// They had no effect and are sent once more.
    mutating func noteNotSent(_ zoneIDs: some Sequence<RecordZone.ID>) {
        for (zoneID, count) in runs(of: zoneIDs) {
            send[zoneID, default: Send()].sentCount -= count
        }
    }

    mutating func noteConfirmed(_ zoneIDs: some Sequence<RecordZone.ID>) {
        for (zoneID, count) in runs(of: zoneIDs) {
            send[zoneID, default: Send()].confirmedCount += count
        }
    }

    /// Zones with how often each stands in a row: a batch is mostly of one zone, which is looked up
    /// once then.
    private func runs(
        of zoneIDs: some Sequence<RecordZone.ID>
    ) -> [(zoneID: RecordZone.ID, count: Int)] {
        var runs: [(zoneID: RecordZone.ID, count: Int)] = []
        var present: RecordZone.ID?
        var count = 0
        for zoneID in zoneIDs {
            if zoneID != present {
                if let present { runs.append((present, count)) }
                (present, count) = (zoneID, 0)
            }
            count += 1
        }
        if let present { runs.append((present, count)) }
        return runs
    }
}
