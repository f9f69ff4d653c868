public import RecordModel
import RecordSync
import ServerCore

// What a test looks at; no request, no fault and no log entry is made by it.

extension InMemoryCloud {
    /// The records of a zone as the server has them, by name; none if the zone is not there.
    public func records(in zoneID: RecordZone.ID, account: String) -> [Record] {
        let caller = ServerCaller(account: account, deviceID: "")
        let records = withWorld { try? $0.server.records(in: zoneID, of: caller) }
        return (records ?? []).sorted { $0.recordID.recordName < $1.recordID.recordName }
    }

    /// A record as the server has it; nil if there is none.
    public func record(_ recordID: Record.ID, account: String) -> Record? {
        let caller = ServerCaller(account: account, deviceID: "")
        return withWorld { try? $0.server.record(recordID, of: caller) }
    }

    /// The zones of an account that are there, by name; the default zone counts from its first
    /// record.
    public func zoneIDs(account: String) -> [RecordZone.ID] {
        let caller = ServerCaller(account: account, deviceID: "")
        return (withWorld { try? $0.server.zoneIDs(of: caller) } ?? []).sorted()
    }

    /// What happened to a record in the present life of its zone, the oldest first.
    public func history(of recordID: Record.ID, account: String) -> [RecordVersion] {
        let caller = ServerCaller(account: account, deviceID: "")
        let entries = withWorld { try? $0.server.history(of: recordID, of: caller) }
        return (entries ?? []).map(RecordVersion.init)
    }

    /// How many files the server keeps for an account, held by records or not.
    public func fileCount(account: String) -> Int {
        withWorld { $0.files[account]?.count ?? 0 }
    }

    /// The newest thousand requests, the oldest first.
    public var log: [LoggedRequest] { withWorld { $0.log.newest } }

    /// How many requests of a kind, or of any, came from a device, or from all.
    ///
    /// All that a device tried, those that failed on their way too.
    public func requestCount(of kind: RequestKind? = nil, from device: String? = nil) -> Int {
        let kinds = kind.map { [$0] } ?? RequestKind.allCases
        return withWorld { $0.log.count(of: kinds, from: device) }
    }

    /// How many requests to change zones or records came from a device, or from all.
    public func writeRequestCount(from device: String? = nil) -> Int {
        let kinds = RequestKind.allCases.filter(\.isWrite)
        return withWorld { $0.log.count(of: kinds, from: device) }
    }

    /// Empties the log and sets all counts to zero.
    public func clearLog() { withWorld { $0.log.removeAll() } }
}

/// One thing that happened to a record: what, and who did it, when and from which device.
public struct RecordVersion: Hashable, Sendable {
    /// What happened.
    public let action: Action
    /// Who did it, when by the server's clock, and from which device.
    public let stamp: Record.Stamp
    /// The send that did it, where it was named.
    public let key: IdempotencyKey?

    /// What happened to a record.
    public enum Action: Hashable, Sendable {
        /// This version was stored.
        case saved(Record)
        /// It was deleted.
        case deleted
        /// It was deleted with the record of this name, to which it linked.
        case deletedWith(String)
        /// A save of this was refused.
        case refused(Record, SyncError.Code)
    }

    init(_ entry: HistoryEntry) {
        stamp = entry.stamp
        key = entry.key
        action =
            switch entry.action {
            case .saved(let record): .saved(record)
            case .deleted: .deleted
            case .deletedWith(let name): .deletedWith(name)
            case .refused(let record, let code): .refused(record, code)
            }
    }
}
