package import RecordModel

// Files beside records. A server keeps of each its length and checksum, by account: what an account
// did not bring itself is not there for it, whoever knows its checksum. Whoever runs the server
// keeps the bytes, and lets the rules decide first.

/// A file of an account as a storage keeps it.
package struct StoredAsset: Hashable, Sendable {
    /// The SHA-256 of its bytes.
    package let checksum: [UInt8]
    package let byteCount: Int64
    /// When it was last brought, asked about, or let go of.
    package var touched: Timestamp
    /// How many records hold it; the storage counts.
    package var holderCount = 0

    package init(checksum: [UInt8], byteCount: Int64, touched: Timestamp) {
        self.checksum = checksum
        self.byteCount = byteCount
        self.touched = touched
    }
}

/// A file whose bytes are to be deleted.
package struct RemovedAsset: Hashable, Sendable {
    package let account: String
    package let checksum: [UInt8]
}

extension Server {
    /// Which of some files the caller's account has not brought.
    ///
    /// Those that it has stay for the grace period at least.
    package mutating func missingAssets(
        _ assets: [Asset],
        from caller: ServerCaller,
        at now: Timestamp
    ) throws(SyncError) -> [Asset] {
        try write { server in
            _ = try server.admit(caller)
            guard assets.count <= server.configuration.assetQuestionCountMax else {
                throw SyncError(
                    .limitExceeded,
                    "a question has at most \(server.configuration.assetQuestionCountMax) files"
                )
            }
            var missing: [Asset] = []
            for asset in assets {
                let (checksum, byteCount) = try asset.content()
                guard var stored = try server.storage.asset(checksum, of: caller.account),
                    stored.byteCount == byteCount
                else {
                    missing.append(asset)
                    continue
                }
                guard stored.holderCount == 0 else { continue }
                stored.touched = max(stored.touched, now)
                try server.storage.put(stored, of: caller.account)
            }
            return missing
        }
    }

    /// Throws unless the caller may bring a file of this length: before any of its bytes is taken.
    package mutating func admitUpload(
        of asset: Asset,
        from caller: ServerCaller
    ) throws(SyncError) {
        try read { server in
            let account = try server.admit(caller)
            let (checksum, byteCount) = try asset.content()
            guard byteCount <= Int64(server.configuration.limits.assetByteCountMax) else {
                throw SyncError(
                    .limitExceeded,
                    "an asset has at most \(server.configuration.limits.assetByteCountMax) bytes"
                )
            }
            guard try server.storage.asset(checksum, of: caller.account) == nil else { return }
            try server.checkQuota(of: account, growth: byteCount)
        }
    }

    /// Notes that the bytes of a file are here, complete and checked.
    package mutating func keepAsset(
        _ asset: Asset,
        from caller: ServerCaller,
        at now: Timestamp
    ) throws(SyncError) {
        try write { server in
            var account = try server.admit(caller)
            let (checksum, byteCount) = try asset.content()
            if var stored = try server.storage.asset(checksum, of: caller.account) {
                stored.touched = max(stored.touched, now)
                return try server.storage.put(stored, of: caller.account)
            }
            try server.checkQuota(of: account, growth: byteCount)
            account.usedByteCount += Int(byteCount)
            try server.storage.put(account)
            try server.storage.put(
                StoredAsset(checksum: checksum, byteCount: byteCount, touched: now),
                of: caller.account
            )
        }
    }

    /// A file of the caller's account; throws `assetNotAvailable` for any other.
    package mutating func asset(
        _ asset: Asset,
        from caller: ServerCaller
    ) throws(SyncError) -> StoredAsset {
        try read { server in
            _ = try server.admit(caller)
            guard let checksum = asset.checksum,
                let stored = try server.storage.asset(checksum, of: caller.account)
            else { throw SyncError.noSuchAsset }
            return stored
        }
    }

    /// Forgets files that no record holds and nobody asked about for the grace period, and says
    /// whose bytes may go.
    package mutating func removeUnheldAssets(at now: Timestamp) throws(SyncError) -> [RemovedAsset]
    {
        let end = Timestamp(
            millisecondsSince1970: now.millisecondsSince1970
                - configuration.assetGraceMilliseconds
        )
        var removed: [RemovedAsset] = []
        var last: String?
        while let name = try read({
            try $0.storage.accounts(after: last, countMax: 1).first?.name
        }) {
            last = name
            while case let some = try removeUnheldAssets(of: name, before: end), !some.isEmpty {
                removed += some.map { RemovedAsset(account: name, checksum: $0.checksum) }
            }
        }
        return removed
    }

    private mutating func removeUnheldAssets(
        of name: String,
        before end: Timestamp
    ) throws(SyncError) -> [StoredAsset] {
        try write { server in
            let assets = try server.storage.unheldAssets(of: name, before: end, countMax: 1000)
            guard !assets.isEmpty, var account = try server.storage.account(name) else {
                return []
            }
            for asset in assets {
                try server.storage.removeAsset(asset.checksum, of: name)
                account.usedByteCount -= Int(asset.byteCount)
            }
            try server.storage.put(account)
            return assets
        }
    }

    private func checkQuota(of account: StoredAccount, growth: Int64) throws {
        guard let quota = configuration.quotaByteCount,
            Int64(account.usedByteCount) + growth > Int64(quota)
        else { return }
        throw SyncError(
            .quotaExceeded,
            "the file does not fit: the account's records and files may take \(quota) bytes"
        )
    }
}

extension Server {
    /// Throws `assetNotAvailable` for a record that would hold a file which its account has not
    /// brought, so that no device is told of a file that is not there.
    func checkAssets(of record: Record, old: Record?, account: String) throws {
        guard record.holdsAssets else { return }
        let held = old?.assets(ofChangedKeys: false).map(\.asset) ?? []
        for (place, asset) in record.assets(ofChangedKeys: false) {
            if held.contains(where: { $0.hasContent(of: asset) }) { continue }
            let (checksum, byteCount) = try asset.content()
            guard let stored = try storage.asset(checksum, of: account),
                stored.byteCount == byteCount
            else {
                throw SyncError(
                    .assetNotAvailable,
                    "the file of field \(place.key) of \(record.recordID) is not on the server"
                )
            }
        }
    }

    /// Says which files a record holds now.
    mutating func linkAssets(
        of record: Record?,
        old: Record?,
        named recordName: String,
        in zone: ZoneKey,
        at now: Timestamp
    ) throws {
        guard record?.holdsAssets == true || old?.holdsAssets == true else { return }
        let checksums = record?.assetChecksums ?? []
        try storage.putAssetLinks(checksums, of: recordName, in: zone)
        for checksum in old?.assetChecksums ?? [] where !checksums.contains(checksum) {
            guard var stored = try storage.asset(checksum, of: zone.database.account) else {
                continue
            }
            // Devices that were told of it may be fetching it.
            stored.touched = max(stored.touched, now)
            try storage.put(stored, of: zone.database.account)
        }
    }
}

extension Record {
    /// The files that the record holds, each once.
    fileprivate var assetChecksums: [[UInt8]] {
        var seen: Set<[UInt8]> = []
        return assets(ofChangedKeys: false).compactMap(\.asset.checksum)
            .filter { seen.insert($0).inserted }
    }
}

extension Asset {
    /// Length and checksum; throws `invalidArguments` for an asset that names no content.
    fileprivate func content() throws -> (checksum: [UInt8], byteCount: Int64) {
        guard let checksum, checksum.count == 32, let byteCount, byteCount >= 0 else {
            throw SyncError(
                .invalidArguments,
                "an asset needs its length and its SHA-256: send the file with it"
            )
        }
        return (checksum, byteCount)
    }
}

extension SyncError {
    fileprivate static let noSuchAsset = SyncError(
        .assetNotAvailable,
        "the account has no such file"
    )
}
