public import RecordModel

extension SyncEvent {
    /// Whether a fetch goes on from a token or begins anew.
    public enum FetchKind: Hashable, Sendable, CustomStringConvertible {
        /// From the last token: only what changed since.
        case incremental
        /// From no token: everything there is, under an id that stays through all its pages.
        case full(id: UInt64, reason: FullFetchReason)

        /// The kind in words.
        public var description: String {
            switch self {
            case .incremental: "incremental"
            case .full(let id, let reason): "full \(id), \(reason)"
            }
        }
    }

    /// Why everything is fetched again, and so what absence from the listing means.
    ///
    /// `isAbsenceDeletion` tells whether an app may drop what the listing does not name;
    /// `reconcile` sorts its rows by it.
    public enum FullFetchReason: UInt8, Hashable, Sendable, Codable, CustomStringConvertible {
        /// The zone was never fetched by this engine.
        case firstFetch = 0
        /// The server does not take the token any more.
        case tokenExpired = 1
        /// The app asked for it with `resetTokens`.
        case tokensReset = 2
        /// The server has another history: it was restored from a backup, or wiped.
        case newHistory = 3
        /// The stored state was damaged, and the engine began anew.
        case stateDamaged = 4

        /// The reason's name.
        public var description: String {
            switch self {
            case .firstFetch: "firstFetch"
            case .tokenExpired: "tokenExpired"
            case .tokensReset: "tokensReset"
            case .newHistory: "newHistory"
            case .stateDamaged: "stateDamaged"
            }
        }
    }

    /// Other devices created, changed or deleted zones.
    public struct FetchedDatabaseChanges: Hashable, Sendable {
        /// Zones that are new or have changed records.
        public let modifications: [Database.DatabaseChange.Modification]
        /// Zones that are gone, each with its reason.
        public let deletions: [Database.DatabaseChange.Deletion]

        /// Makes a payload.
        public init(
            modifications: [Database.DatabaseChange.Modification] = [],
            deletions: [Database.DatabaseChange.Deletion] = []
        ) {
            self.modifications = modifications
            self.deletions = deletions
        }
    }

    /// Other devices changed or deleted records; all of one zone.
    ///
    /// After a crash the same page may come again: applying it twice must give the same.
    ///
    /// The files of its assets lie in the engine's own folder, complete and checked, and go when
    /// the delegate has returned from the event: move or copy what is to stay.
    public struct FetchedRecordZoneChanges: Hashable, Sendable {
        /// Records that are new or changed, in the server's order.
        public let modifications: [Database.RecordZoneChange.Modification]
        /// Records that are gone, in the server's order.
        public let deletions: [Database.RecordZoneChange.Deletion]
        /// Whether this belongs to an incremental or a full fetch.
        public let kind: FetchKind
        /// Assets whose file could not be had: their records stand above without a path.
        ///
        /// The page does not come again for them; `SyncEngine.download` tries once more.
        public let failedAssets: [FailedAsset]

        /// Makes a payload.
        public init(
            modifications: [Database.RecordZoneChange.Modification] = [],
            deletions: [Database.RecordZoneChange.Deletion] = [],
            kind: FetchKind = .incremental,
            failedAssets: [FailedAsset] = []
        ) {
            self.modifications = modifications
            self.deletions = deletions
            self.kind = kind
            self.failedAssets = failedAssets
        }
    }

    /// A file of a fetched record that could not be had.
    public struct FailedAsset: Hashable, Sendable {
        /// The record.
        public let recordID: Record.ID
        /// The field that holds the asset.
        public let key: Record.FieldKey
        /// The asset, with its length and checksum.
        public let asset: Asset
        /// Why its file could not be had.
        public let error: SyncError

        /// Makes a payload.
        public init(
            recordID: Record.ID,
            key: Record.FieldKey,
            asset: Asset,
            error: SyncError
        ) {
            self.recordID = recordID
            self.key = key
            self.asset = asset
            self.error = error
        }
    }

    /// A fetch begins.
    public struct WillFetchChanges: Sendable {
        /// Why, and of what.
        public let context: FetchChangesContext

        /// Makes a payload.
        public init(context: FetchChangesContext) { self.context = context }
    }

    /// A fetch ended; the next `willFetchChanges` begins another.
    public struct DidFetchChanges: Sendable {
        /// Why, and of what.
        public let context: FetchChangesContext

        /// Makes a payload.
        public init(context: FetchChangesContext) { self.context = context }
    }

    /// The fetch of a zone begins.
    public struct WillFetchRecordZoneChanges: Hashable, Sendable {
        /// The zone.
        public let zoneID: RecordZone.ID
        /// Whether it goes on from a token or lists everything.
        public let kind: FetchKind

        /// Makes a payload.
        public init(zoneID: RecordZone.ID, kind: FetchKind = .incremental) {
            self.zoneID = zoneID
            self.kind = kind
        }
    }

    /// The fetch of a zone ended.
    public struct DidFetchRecordZoneChanges: Hashable, Sendable {
        /// The zone.
        public let zoneID: RecordZone.ID
        /// Why it did not reach the zone's end; nil if it did.
        public let error: SyncError?
        /// Whether it went on from a token or listed everything.
        public let kind: FetchKind

        /// Makes a payload.
        public init(
            zoneID: RecordZone.ID,
            error: SyncError? = nil,
            kind: FetchKind = .incremental
        ) {
            self.zoneID = zoneID
            self.error = error
            self.kind = kind
        }
    }
}
