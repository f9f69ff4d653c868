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

    mutating func noteSent(_ runs: [ZoneRun]) {
        for run in runs { send[run.zoneID, default: Send()].sentCount += run.count }
    }

    /// They had no effect and are sent once more.
    mutating func noteNotSent(_ runs: [ZoneRun]) {
        for run in runs { send[run.zoneID, default: Send()].sentCount -= run.count }
    }

    mutating func noteConfirmed(_ runs: [ZoneRun]) {
        for run in runs { send[run.zoneID, default: Send()].confirmedCount += run.count }
    }
}
