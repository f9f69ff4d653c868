package import RecordModel

extension MemoryStorage {
    package func asset(_ checksum: [UInt8], of account: String) -> StoredAsset? {
        assets[account]?[checksum]
    }

    package mutating func put(_ asset: StoredAsset, of account: String) {
        var asset = asset
        let old = assets[account]?[asset.checksum]
        asset.holderCount = old?.holderCount ?? 0
        replace(asset.checksum, of: account, by: asset)
    }

    package mutating func removeAsset(_ checksum: [UInt8], of account: String) {
        replace(checksum, of: account, by: nil)
    }

    package mutating func putAssetLinks(
        _ checksums: [[UInt8]],
        of recordName: String,
        in zone: ZoneKey
    ) {
        let old = assetLinks[zone]?[recordName] ?? []
        let checksums = checksums.filter { asset($0, of: zone.database.account) != nil }
        for checksum in old { count(checksum, of: zone.database.account, by: -1) }
        for checksum in checksums { count(checksum, of: zone.database.account, by: 1) }
        assetLinks[zone, default: [:]][recordName] = checksums.isEmpty ? nil : checksums
        undo { $0.assetLinks[zone, default: [:]][recordName] = old.isEmpty ? nil : old }
    }

    package func unheldAssets(
        of account: String,
        before timestamp: Timestamp,
        countMax: Int
    ) -> [StoredAsset] {
        let unheld = (assets[account] ?? [:]).values.filter {
            $0.holderCount == 0 && $0.touched < timestamp
        }
        return Array(
            unheld.sorted { left, right in
                left.touched == right.touched
                    ? left.checksum.lexicographicallyPrecedes(right.checksum)
                    : left.touched < right.touched
            }.prefix(countMax)
        )
    }

    /// Records of a life of a zone hold nothing any more.
    mutating func removeAssetLinks(in zone: ZoneKey) {
        for recordName in (assetLinks[zone] ?? [:]).keys.sorted() {
            putAssetLinks([], of: recordName, in: zone)
        }
    }

    private mutating func count(_ checksum: [UInt8], of account: String, by change: Int) {
        guard var asset = assets[account]?[checksum] else { return }
        asset.holderCount += change
        replace(checksum, of: account, by: asset)
    }

    private mutating func replace(
        _ checksum: [UInt8],
        of account: String,
        by asset: StoredAsset?
    ) {
        let old = assets[account]?[checksum]
        assets[account, default: [:]][checksum] = asset
        undo { $0.assets[account, default: [:]][checksum] = old }
    }
}
