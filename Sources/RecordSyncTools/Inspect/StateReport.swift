#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif
internal import RecordModel
internal import RecordSync
internal import SyncCore

/// What a stored state holds, for a person or another program.
struct StateReport: Sendable, Encodable {
    let formatVersion: Int
    let byteCount: Int
    let database: String?
    let account: Account
    let databaseToken: Token?
    let zones: [Zone]
    let pendingRecordChanges: [PendingChanges]
    let pendingZoneChanges: [PendingZoneChange]
    let openSends: [OpenSend]
    let retryDelay: RetryDelay?
    let hasPendingUntrackedChanges: Bool
    let writers: [Writer]
    let recentSaveCount: Int
    let nextFullFetchID: UInt64

    init(_ stored: StoredState) {
        let state = stored.state
        formatVersion = stored.formatVersion
        byteCount = stored.bytes.count
        database = state.databaseName
        account = Account(state.account)
        databaseToken = state.databaseToken.map(Token.init)
        zones = state.zones.pairs.map(Zone.init)
        pendingRecordChanges = PendingChanges.byZone(of: state)
        pendingZoneChanges = state.databaseChanges.changes.map(PendingZoneChange.init)
        openSends = state.openSends.map(OpenSend.init)
        retryDelay = state.retryDelay.map(RetryDelay.init)
        hasPendingUntrackedChanges = state.hasPendingUntrackedChanges
        writers = state.writers.map(Writer.init)
        recentSaveCount = state.recentSaves.saves.count
        nextFullFetchID = state.nextFullFetchID
    }
}

extension StateReport {
    /// Whose data it is.
    struct Account: Sendable, Encodable {
        let status: String
        let userRecordName: String?

        init(_ account: EngineState.AccountState) {
            switch account {
            case .unidentified: (status, userRecordName) = ("unidentified", nil)
            case .signedIn(let name): (status, userRecordName) = ("signedIn", name)
            case .signedOut(let name): (status, userRecordName) = ("signedOut", name)
            }
        }
    }

    /// A server's token: it is opaque, so only its fingerprint says anything.
    struct Token: Sendable, Encodable {
        /// The first 16 digits of its SHA-256.
        let digest: String
        let byteCount: Int

        init(_ token: ServerChangeToken) {
            digest = String(hexadecimal(SHA256.hash(token.bytes)).prefix(16))
            byteCount = token.bytes.count
        }
    }

    struct Zone: Sendable, Encodable {
        let zone: String
        let token: Token?
        let hasUnfetchedChanges: Bool
        let hasOwnRecords: Bool
        let fullFetch: FullFetch?

        struct FullFetch: Sendable, Encodable {
            let id: UInt64
            let reason: String
        }

        init(_ pair: (key: RecordZone.ID, value: EngineState.ZoneState)) {
            zone = pair.key.description
            token = pair.value.token.map(Token.init)
            hasUnfetchedChanges = pair.value.hasUnfetchedChanges
            hasOwnRecords = pair.value.hasOwnRecords
            fullFetch = pair.value.fullFetch.map {
                FullFetch(id: $0.id, reason: $0.reason.description)
            }
        }
    }

    /// The pending changes of one zone.
    struct PendingChanges: Sendable, Encodable {
        let zone: String
        var saves = 0
        var deletions = 0
        var parkedSaves = 0
        var parkedDeletions = 0
        var quarantinedSaves = 0
        var quarantinedDeletions = 0
        /// The first of them, in the queue's order.
        var first: [String] = []

        static let firstCountMax = 10

        static func byZone(of state: EngineState) -> [PendingChanges] {
            var table = OrderedTable<RecordZone.ID, PendingChanges>()
            for (change, slot) in state.records.slots.all() {
                let zoneID = change.recordID.zoneID
                table[zoneID, default: PendingChanges(zone: "\(zoneID)")].add(change, slot.status)
            }
            return table.values
        }

        private mutating func add(_ change: PendingRecordZoneChange, _ status: SlotTree.Status) {
            switch status {
            case .save, .blockedSave: saves += 1
            case .delete: deletions += 1
            case .parkedSave: parkedSaves += 1
            case .parkedDelete: parkedDeletions += 1
            case .quarantinedSave: quarantinedSaves += 1
            case .quarantinedDelete: quarantinedDeletions += 1
            case .dead: return
            }
            guard first.count < Self.firstCountMax else { return }
            first.append("\(status.words) \(change.recordID.recordName)")
        }
    }

    struct PendingZoneChange: Sendable, Encodable {
        let kind: String
        let zone: String

        init(_ change: PendingDatabaseChange) {
            switch change {
            case .saveZone: kind = "save"
            case .deleteZone: kind = "delete"
            }
            zone = change.zoneID.description
        }
    }

    /// A send that left or was to leave, and whose outcome is not settled.
    struct OpenSend: Sendable, Encodable {
        let key: String
        let saves: Int
        let deletions: Int
        /// How many of them the app removed meanwhile: they do not return to the queue.
        let withdrawn: Int
        /// The first of its records.
        let first: [String]

        init(_ send: EngineState.OpenSend) {
            let changes = send.changes.map(\.change)
            key = send.key.description
            saves = changes.count { $0 == .saveRecord($0.recordID) }
            deletions = changes.count - saves
            withdrawn = send.returns.count { $0 == .nowhere }
            first = changes.prefix(PendingChanges.firstCountMax).map(\.description)
        }
    }

    struct RetryDelay: Sendable, Encodable {
        /// The instant in ISO 8601.
        let until: String
        let seconds: Double

        init(_ delay: EngineState.RetryDelay) {
            until = delay.until.wall.date.formatted(.iso8601)
            seconds = delay.length.inSeconds
        }
    }

    /// A launch of an engine whose journal entries the state holds.
    struct Writer: Sendable, Encodable {
        let writer: String
        let highestNumber: UInt64

        init(_ coverage: EngineState.WriterCoverage) {
            writer = coverage.writer.description
            highestNumber = coverage.covered.highest
        }
    }
}

extension SlotTree.Status {
    /// The kind of a pending change, in words.
    var words: String {
        switch self {
        case .dead: "gone"
        case .save, .blockedSave: "save"
        case .delete: "delete"
        case .parkedSave: "parked save"
        case .parkedDelete: "parked delete"
        case .quarantinedSave: "quarantined save"
        case .quarantinedDelete: "quarantined delete"
        }
    }
}
