import RecordModel
import RecordSync
import ServerCore

// Files: the rules are the server's, the bytes are here.

extension CloudWorld {
    mutating func take(
        _ bytes: [UInt8],
        of asset: Asset,
        from caller: ServerCaller
    ) throws(SyncError) {
        try server.admitUpload(of: asset, from: caller)
        guard let checksum = asset.checksum, SHA256.hash(bytes) == checksum,
            asset.byteCount == Int64(bytes.count)
        else {
            throw SyncError(.assetFileModified, "the bytes are not those of the checksum")
        }
        try server.keepAsset(asset, from: caller, at: now)
        files[caller.account, default: [:]][checksum] = bytes
    }

    mutating func bytes(
        of asset: Asset,
        for caller: ServerCaller
    ) throws(SyncError) -> [UInt8] {
        let stored = try server.asset(asset, from: caller)
        return files[caller.account]?[stored.checksum] ?? []
    }

    /// Deletes the bytes of files that no record holds any more.
    mutating func removeUnheldFiles() throws(SyncError) {
        for removed in try server.removeUnheldAssets(at: now) {
            files[removed.account]?[removed.checksum] = nil
        }
    }
}

extension AssetSource {
    static let chunkByteCount = 1 << 16

    /// The whole file.
    func allBytes() throws(SyncError) -> [UInt8] {
        var bytes: [UInt8] = []
        while case let next = try self.bytes(
            at: Int64(bytes.count),
            countMax: Self.chunkByteCount
        ), !next.isEmpty {
            bytes += next
        }
        return bytes
    }
}
