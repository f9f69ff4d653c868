/// What a device asks an `InMemoryCloud` for.
public enum RequestKind: Hashable, Sendable, CaseIterable {
    /// Who is signed in.
    case accountStatus
    /// Which zones changed.
    case databaseChanges
    /// Which records of a zone changed.
    case zoneChanges
    /// Save and delete zones.
    case modifyZones
    /// Save and delete records.
    case modifyRecords
    /// Give single records.
    case lookUpRecords
    /// What became of a send.
    case outcome
    /// Which files are missing.
    case missingAssets
    /// Take a file.
    case uploadAsset
    /// Give a file.
    case downloadAsset

    /// True for what changes zones or records.
    public var isWrite: Bool {
        switch self {
        case .modifyZones, .modifyRecords: true
        case .accountStatus, .databaseChanges, .zoneChanges, .lookUpRecords, .outcome,
            .missingAssets, .uploadAsset, .downloadAsset:
            false
        }
    }
}
