/// How much one request, record or name may hold.
public struct RequestLimits: Hashable, Sendable {
    /// Saves and deletions together in one batch.
    public var batchCountMax: Int
    /// The records of one batch, assets not counted; a single record is always allowed.
    public var batchByteCountMax: Int
    /// One record, assets not counted.
    public var recordByteCountMax: Int
    /// The file of one asset.
    public var assetByteCountMax: Int

    /// CloudKit's figures: 250 changes, 2 MB a request, 1 MB a record, 50 MB an asset.
    public static let standard = RequestLimits()

    /// Makes limits; each is at least 1.
    public init(
        batchCountMax: Int = 250,
        batchByteCountMax: Int = 2_000_000,
        recordByteCountMax: Int = 1_000_000,
        assetByteCountMax: Int = 50_000_000
    ) {
        self.batchCountMax = max(1, batchCountMax)
        self.batchByteCountMax = max(1, batchByteCountMax)
        self.recordByteCountMax = max(1, recordByteCountMax)
        self.assetByteCountMax = max(1, assetByteCountMax)
    }

    /// Record, zone and owner names, in characters.
    public static let nameLengthMax = 255
    /// Records with a `deleteSelf` link to one record.
    public static let deleteSelfReferenceCountMax = 750
}
