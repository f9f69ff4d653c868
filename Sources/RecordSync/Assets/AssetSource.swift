public import RecordModel

/// A file to send to the server: its bytes in whatever pieces the connection likes.
public struct AssetSource: Sendable {
    /// The file's length and checksum; the server keeps it under these.
    public let asset: Asset
    /// The file's length in bytes.
    public let byteCount: Int64
    private let read: @Sendable (Int64, Int) throws(SyncError) -> [UInt8]

    /// Makes a source of a function that gives up to so many bytes from an offset on.
    ///
    /// An empty answer stands for the end.
    public init(
        byteCount: Int64,
        checksum: [UInt8],
        read: @escaping @Sendable (_ offset: Int64, _ countMax: Int) throws(SyncError) -> [UInt8]
    ) {
        asset = Asset(byteCount: byteCount, checksum: checksum)
        self.byteCount = byteCount
        self.read = read
    }

    /// Gives bytes of the file from an offset on, at least one unless that is the end.
    public func bytes(at offset: Int64, countMax: Int) throws(SyncError) -> [UInt8] {
        try read(offset, countMax)
    }
}
