package import RecordModel

/// What the owner of a server decides.
package struct ServerConfiguration: Sendable {
    /// How much one request and one record may hold.
    package var limits = RequestLimits.standard
    /// Changes in one page of a fetch.
    package var pageCountMax = 400
    /// Bytes of records in one page of a fetch; a single record is always given.
    package var pageByteCountMax = 4_000_000
    /// How long a deletion is remembered; tokens from before the oldest one remembered expire.
    package var tombstoneRetentionMilliseconds: Int64 = 30 * day
    /// How long the answer to an idempotency key is remembered: longer than any client retries.
    package var keyRetentionMilliseconds: Int64 = 90 * day
    /// How long the versions of records, and refused saves, are remembered.
    package var historyRetentionMilliseconds: Int64 = 30 * day
    /// How long a file stays that no record holds: longer than any send takes.
    package var assetGraceMilliseconds: Int64 = 7 * day
    /// Files in one question which of them are missing.
    package var assetQuestionCountMax = 10_000
    /// The bytes that the records and files of one account may take; nil for no limit.
    package var quotaByteCount: Int?
    /// The secret under which tokens are authenticated; 32 random bytes, kept with the storage.
    package var tokenKey: [UInt8]

    #if PLANTED_BUGS
        /// Mistakes that the server makes on purpose.
        package var plantedBugs: Set<PlantedBug> = []
    #endif

    package init(tokenKey: [UInt8]) {
        precondition(tokenKey.count >= 16, "a token key has at least 16 random bytes")
        self.tokenKey = tokenKey
    }
}

private let day: Int64 = 24 * 60 * 60 * 1000
