/// Asks which zones changed since a token.
public struct DatabaseChangesRequest: Hashable, Sendable {
    /// Where the last page ended; nil asks from the beginning.
    public var since: ServerChangeToken?
    /// How many zones the caller wants at most; the server may give fewer.
    public var resultsLimit: Int?
    /// Zones that the caller knows, where it asks from the beginning of a history that it knows.
    ///
    /// A listing from the beginning names the zones that there are. Of those that the caller names
    /// the first page also says which are gone and why, as far as the server remembers.
    public var knownZoneIDs: [RecordZone.ID]

    /// Makes a request.
    public init(
        since: ServerChangeToken?,
        resultsLimit: Int? = nil,
        knownZoneIDs: [RecordZone.ID] = []
    ) {
        self.since = since
        self.resultsLimit = resultsLimit
        self.knownZoneIDs = knownZoneIDs
    }
}

/// A page of changed zones; each zone stands in it once, with its last change.
public struct DatabaseChangesReply: Hashable, Sendable {
    /// Zones that are new or have changed records, in the server's order.
    public var modifications: [Database.DatabaseChange.Modification]
    /// Zones that are gone, in the server's order.
    public var deletions: [Database.DatabaseChange.Deletion]
    /// Where this page ends.
    public var changeToken: ServerChangeToken
    /// True if there is another page.
    public var moreComing: Bool
    /// Names the history of the server's storage; nil for a server that cannot tell.
    ///
    /// Another one than before means that the server was restored from a backup, or wiped.
    public var historyID: String?

    /// Makes a page.
    public init(
        modifications: [Database.DatabaseChange.Modification],
        deletions: [Database.DatabaseChange.Deletion],
        changeToken: ServerChangeToken,
        moreComing: Bool,
        historyID: String? = nil
    ) {
        self.modifications = modifications
        self.deletions = deletions
        self.changeToken = changeToken
        self.moreComing = moreComing
        self.historyID = historyID
    }
}

/// Asks which records of a zone changed since a token.
public struct ZoneChangesRequest: Hashable, Sendable {
    /// The zone.
    public var zoneID: RecordZone.ID
    /// Where the last page ended; nil asks from the beginning.
    public var since: ServerChangeToken?
    /// The fields wanted; nil wants all.
    public var desiredKeys: [Record.FieldKey]?
    /// How many changes the caller wants at most; the server may give fewer.
    public var resultsLimit: Int?
    /// Whether a listing from the beginning names the deletions that the server remembers.
    ///
    /// A new device has nothing to delete. One that saved records before its first fetch, or whose
    /// token expired, must learn which of its records are gone.
    public var includesDeletions: Bool
    /// The change tag of a save in the zone by this caller, where it asks from the beginning.
    ///
    /// If the zone has been deleted and made again since that save, the server answers with
    /// `changeTokenExpired`: what the caller has of the zone belongs to its former life.
    public var ownChangeTag: String?

    /// Makes a request.
    public init(
        zoneID: RecordZone.ID,
        since: ServerChangeToken?,
        desiredKeys: [Record.FieldKey]? = nil,
        resultsLimit: Int? = nil,
        includesDeletions: Bool = false,
        ownChangeTag: String? = nil
    ) {
        self.zoneID = zoneID
        self.since = since
        self.desiredKeys = desiredKeys
        self.resultsLimit = resultsLimit
        self.includesDeletions = includesDeletions
        self.ownChangeTag = ownChangeTag
    }
}

/// A page of a zone's changes; each record stands in it once, with its last change.
public struct ZoneChangesReply: Hashable, Sendable {
    /// Records that are new or changed, in the server's order.
    public var modifications: [Database.RecordZoneChange.Modification]
    /// Records that are gone, in the server's order.
    public var deletions: [Database.RecordZoneChange.Deletion]
    /// Where this page ends.
    public var changeToken: ServerChangeToken
    /// True if there is another page.
    public var moreComing: Bool
    /// Names the history of the server's storage; nil for a server that cannot tell.
    ///
    /// Another one than before means that the server was restored from a backup, or wiped.
    public var historyID: String?

    /// Makes a page.
    public init(
        modifications: [Database.RecordZoneChange.Modification],
        deletions: [Database.RecordZoneChange.Deletion],
        changeToken: ServerChangeToken,
        moreComing: Bool,
        historyID: String? = nil
    ) {
        self.modifications = modifications
        self.deletions = deletions
        self.changeToken = changeToken
        self.moreComing = moreComing
        self.historyID = historyID
    }
}

/// Asks for single records.
public struct LookUpRecordsRequest: Hashable, Sendable {
    /// The records.
    public var recordIDs: [Record.ID]
    /// The fields wanted; nil wants all.
    public var desiredKeys: [Record.FieldKey]?

    /// Makes a request.
    public init(recordIDs: [Record.ID], desiredKeys: [Record.FieldKey]? = nil) {
        self.recordIDs = recordIDs
        self.desiredKeys = desiredKeys
    }
}

/// The server's answer to a look-up: a result for each record, in the request's order.
public struct LookUpRecordsReply: Hashable, Sendable {
    /// For each record what the server has, or why it could not be had.
    public var results: [Result<Record, SyncError>]

    /// Makes a reply.
    public init(results: [Result<Record, SyncError>]) { self.results = results }
}
