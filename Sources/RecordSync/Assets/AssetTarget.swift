public import RecordModel

/// Takes in a file that the server has: its bytes in order, in whatever pieces they come.
///
/// After a break the connection goes on where the last bytes ended; nothing comes twice.
public final class AssetTarget: Sendable {
    /// The file's length and checksum, under which the server keeps it.
    public let asset: Asset
    private let write: @Sendable (Int64, [UInt8]) throws(SyncError) -> Void
    private let protected: Guarded<Protected>

    private struct Protected {
        var receivedByteCount: Int64 = 0
        var hash = SHA256()
        var failure: SyncError?
    }

    /// Makes a target of a function that keeps bytes at an offset.
    public init(
        _ asset: Asset,
        write: @escaping @Sendable (_ offset: Int64, _ bytes: [UInt8]) throws(SyncError) -> Void
    ) {
        self.asset = asset
        self.write = write
        protected = Guarded(Protected())
    }

    /// How many bytes are here: where the connection goes on.
    public var receivedByteCount: Int64 { protected.withLock { $0.receivedByteCount } }

    /// Takes the next bytes of the file.
    public func append(_ bytes: [UInt8]) throws(SyncError) {
        try protected.withLock { protected throws(SyncError) in
            if let failure = protected.failure { throw failure }
            let end = protected.receivedByteCount + Int64(bytes.count)
            do throws(SyncError) {
                if let length = asset.byteCount, end > length { throw .otherBytes }
                try write(protected.receivedByteCount, bytes)
            } catch {
                protected.failure = error
                throw error
            }
            protected.hash.update(bytes)
            protected.receivedByteCount = end
        }
    }

    /// What went wrong with the bytes on this side; nil if they are well so far.
    package var failure: SyncError? { protected.withLock { $0.failure } }

    /// Throws unless the bytes are all there, and are those of the checksum.
    package func finish() throws(SyncError) {
        try protected.withLock { protected throws(SyncError) in
            if let failure = protected.failure { throw failure }
            var hash = protected.hash
            let isLong = asset.byteCount.map { $0 == protected.receivedByteCount } ?? true
            guard isLong, hash.finish() == asset.checksum else { throw SyncError.otherBytes }
        }
    }
}

extension SyncError {
    fileprivate static let otherBytes = SyncError(
        .assetNotAvailable,
        "the server gave other bytes than those of the asset's checksum"
    )
}
