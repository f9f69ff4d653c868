import RecordModel
import SyncCore

// What goes into a staging folder, and comes out of it.

extension StagingFolder {
    private static let chunkByteCount = 1 << 18

    /// Copies files of the app, and says of each copy where it lies and what it holds.
    package func stage(
        _ assets: [Asset],
        in id: AssetFolderID
    ) async -> [Result<Asset, SyncError>] {
        do {
            return try await write(into: id) { folder in
                assets.enumerated().map { position, asset in
                    do throws(SyncError) {
                        return .success(try copy(asset, to: "\(folder)/\(position)"))
                    } catch {
                        return .failure(error)
                    }
                }
            }
        } catch {
            return assets.map { _ in .failure(error) }
        }
    }

    private func copy(_ asset: Asset, to path: String) throws(SyncError) -> Asset {
        let source: OpenFile
        do {
            source = try files.openToRead(asset.filePath ?? "")
        } catch {
            throw SyncError(
                .assetFileNotFound,
                "\(asset.filePath ?? "nothing"): \(error.reason)"
            )
        }
        defer { files.release(source) }
        let copy = try copyBytes(of: source, to: path)
        // A checksum that the app gives says which bytes it means.
        if let checksum = asset.checksum, checksum != copy.checksum {
            throw SyncError(
                .assetFileModified,
                "\(source.path) has other bytes than its checksum says: set the field to "
                    + "Asset(filePath:) to send them"
            )
        }
        return copy
    }

    private func copyBytes(of source: OpenFile, to path: String) throws(SyncError) -> Asset {
        var hash = SHA256()
        var offset: Int64 = 0
        do {
            let version = try files.version(of: source)
            let target = try files.create(path)
            defer { files.release(target) }
            while !Task.isCancelled {
                let bytes = try files.readBytes(
                    of: source,
                    at: offset,
                    countMax: Self.chunkByteCount
                )
                if bytes.isEmpty { break }
                try files.write(bytes, at: Int(offset), to: target)
                hash.update(bytes)
                offset += Int64(bytes.count)
            }
            guard try files.version(of: source) == version, offset == version.byteCount else {
                throw Modified()
            }
        } catch let failure as FileFailure {
            guard failure.path == source.path else { throw failure.asStagingError }
            throw SyncError(.assetFileNotFound, "\(source.path): \(failure.reason)")
        } catch {
            throw SyncError(.assetFileModified, "\(source.path) changed while it was copied")
        }
        return Asset(filePath: path, byteCount: offset, checksum: hash.finish())
    }

    private struct Modified: Error {}

    /// A staged file as a connection reads it.
    package func source(of asset: Asset) throws(SyncError) -> AssetSource {
        let files = files
        let file: OpenReading
        do {
            file = OpenReading(try files.openToRead(asset.filePath ?? ""), files)
        } catch {
            throw SyncError(.assetFileNotFound, "\(asset.filePath ?? ""): \(error.reason)")
        }
        return AssetSource(byteCount: asset.byteCount ?? 0, checksum: asset.checksum ?? []) {
            offset,
            countMax throws(SyncError) in
            do throws(FileFailure) {
                return try files.readBytes(of: file.file, at: offset, countMax: countMax)
            } catch {
                throw error.asStagingError
            }
        }
    }

    /// Lets a body fetch a file, and gives where it lies, complete and checked.
    package func fetch(
        _ asset: Asset,
        into id: AssetFolderID,
        number: UInt64,
        _ body: (AssetTarget) async throws(SyncError) -> Void
    ) async throws(SyncError) -> Asset {
        try await write(into: id) { folder throws(SyncError) in
            // Nobody learns the name before the file is whole.
            let path = "\(folder)/\(number)"
            try await fetchFile(asset, to: path, with: files, body)
            return Asset(filePath: path, byteCount: asset.byteCount, checksum: asset.checksum)
        }
    }
}

/// Lets a body fetch a file to a path, and throws unless it is complete and checked; a part of a
/// file is removed.
func fetchFile(
    _ asset: Asset,
    to path: String,
    with files: any AssetFileSystem,
    _ body: (AssetTarget) async throws(SyncError) -> Void
) async throws(SyncError) {
    let file: OpenFile
    do throws(FileFailure) {
        file = try files.create(path)
    } catch {
        throw error.asStagingError
    }
    let target = AssetTarget(asset) { offset, bytes throws(SyncError) in
        do throws(FileFailure) {
            try files.write(bytes, at: Int(offset), to: file)
        } catch {
            throw error.asStagingError
        }
    }
    defer { files.release(file) }
    do throws(SyncError) {
        try await body(target)
        try target.finish()
    } catch {
        try? files.remove(path)
        // What went wrong here says more than that the connection then gave up.
        throw target.failure ?? error
    }
}

/// A file that stays open as long as somebody may read it.
private final class OpenReading: Sendable {
    let file: OpenFile
    private let files: any AssetFileSystem

    init(_ file: OpenFile, _ files: any AssetFileSystem) {
        self.file = file
        self.files = files
    }

    deinit { files.release(file) }
}
