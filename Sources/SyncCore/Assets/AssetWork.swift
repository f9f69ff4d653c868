import RecordModel

/// A batch whose files are being made ready: copied, and brought to the server, before the batch
/// itself is marked and sent.
///
/// Its changes stay pending meanwhile, so that nothing of other devices waits for its files.
struct AssetSend: Sendable {
    let batch: RecordZoneChangeBatch
    let walkBefore: WalkPosition
    let folder: AssetFolderID
    /// What of the batch was pending when the app gave it.
    let listed: Set<PendingRecordZoneChange>
    /// The files to copy, in order.
    let files: [AssetFile]
    /// The copies.
    var copies: [AssetFile: Asset] = [:]
    /// Records whose files failed.
    var failures = OrderedTable<Record.ID, SyncError>()
    var step: Step

    /// What it waits for.
    enum Step: Sendable {
        /// The copies. Then `askingMissing`, or the end.
        case staging(RequestID)
        /// The server's word which of them it lacks. Then `uploading`, or the end.
        case askingMissing(RequestID)
        /// The server's word that it has them.
        case uploading(AssetTransfers)
    }

    /// The batch as the server gets it: each file by its length and checksum.
    var describedBatch: RecordZoneChangeBatch {
        var described = batch
        for position in described.recordsToSave.indices {
            let recordID = described.recordsToSave[position].recordID
            guard described.recordsToSave[position].holdsAssets else { continue }
            described.recordsToSave[position].describeAssets { place, asset in
                guard let copy = copies[AssetFile(recordID: recordID, place: place)] else {
                    return asset
                }
                var described = asset
                described.byteCount = copy.byteCount
                described.checksum = copy.checksum
                return described
            }
        }
        return described
    }

    /// Lets each record fail that holds a file with this content.
    mutating func fail(_ content: Asset, _ error: SyncError) {
        for file in files where copies[file]?.hasContent(of: content) == true {
            if failures[file.recordID] == nil { failures[file.recordID] = error }
        }
    }
}

/// A file of a record.
struct AssetFile: Hashable, Sendable {
    let recordID: Record.ID
    let place: AssetPlace
}

/// Files on their way, a few at a time.
struct AssetTransfers: Sendable {
    private(set) var waiting: [Asset] = []
    private(set) var open: [(id: RequestID, asset: Asset)] = []

    init(_ assets: [Asset]) {
        // The same bytes travel once.
        var seen: Set<[UInt8]> = []
        waiting = assets.filter { seen.insert($0.checksum ?? []).inserted }
    }

    var isDone: Bool { waiting.isEmpty && open.isEmpty }

    /// The next file to begin with; nil while enough are under way.
    mutating func begin(_ id: () -> RequestID) -> (id: RequestID, asset: Asset)? {
        guard open.count < EngineConfiguration.assetTransferCountMax, !waiting.isEmpty else {
            return nil
        }
        open.append((id(), waiting.removeFirst()))
        return open.last
    }

    /// The file whose transfer has ended; nil if the answer belongs to none of these.
    mutating func end(_ id: RequestID) -> Asset? {
        guard let position = open.firstIndex(where: { $0.id == id }) else { return nil }
        return open.remove(at: position).asset
    }
}

/// A page of a zone's changes, and the files that were put beside it.
struct FetchedPage: Sendable {
    var reply: ZoneChangesReply
    /// Where the files are; nil if none were asked for.
    var folder: AssetFolderID?
    /// Files that could not be had.
    var failedAssets: [SyncEvent.FailedAsset] = []

    init(_ reply: ZoneChangesReply) { self.reply = reply }

    /// The files that are to be fetched before the app is told.
    var missingAssets: [Asset] {
        guard folder == nil else { return [] }
        return reply.modifications.flatMap { modification in
            guard modification.record.holdsAssets else { return [Asset]() }
            return modification.record.assets(ofChangedKeys: false).map(\.asset)
                .filter { $0.filePath == nil && $0.checksum != nil }
        }
    }

    /// Says where a file lies.
    mutating func take(_ file: Asset) {
        for (position, modification) in reply.modifications.enumerated() {
            guard modification.record.holdsAssets else { continue }
            var record = modification.record
            record.describeAssets { _, asset in asset.hasContent(of: file) ? file : asset }
            reply.modifications[position] = .init(record: record, origin: modification.origin)
        }
    }

    /// Says that a file could not be had: the records that hold it are told without it.
    mutating func fail(_ file: Asset, _ error: SyncError) {
        for modification in reply.modifications where modification.record.holdsAssets {
            for (place, asset) in modification.record.assets(ofChangedKeys: false)
            where asset.hasContent(of: file) {
                let failed = SyncEvent.FailedAsset(
                    recordID: modification.record.recordID,
                    key: place.key,
                    asset: asset,
                    error: error
                )
                // A list may hold the same file twice.
                if !failedAssets.contains(failed) { failedAssets.append(failed) }
            }
        }
    }
}

/// A page whose files are being fetched.
struct AssetPage: Sendable {
    var page: FetchedPage
    let zoneID: RecordZone.ID
    let folder: AssetFolderID
    var transfers: AssetTransfers
}
