public import RecordModel
import SyncCore

extension SyncEngine {
    /// Fetches the file of an asset and puts it where the app says.
    ///
    /// For files that did not come with their records: those of `failedAssets`, and those of the
    /// server's version in a conflict. May be called anywhere, also in a method of the delegate.
    /// The file is there once it is complete and checked; one that had the path before stays until
    /// then. Throws `assetNotAvailable` if the server has no such file, or the disk is full.
    public func download(_ asset: Asset, to filePath: String) async throws {
        if let refusal = shell.refusal { throw refusal }
        guard let account = shell.read({ $0.signedInAccount }) else {
            throw SyncError(.notAuthenticated, "no account is known yet")
        }
        guard asset.checksum != nil else {
            throw SyncError(.invalidArguments, "the asset has no checksum, so no server has it")
        }
        let database = shell.database
        let beside = "\(filePath).part-\(String(shell.environment.random(), radix: 16))"
        let files = shell.staging.files
        try await fetchFile(asset, to: beside, with: files) { target throws(SyncError) in
            try await database.downloadWhole(target, account: account)
        }
        do {
            try files.move(beside, to: filePath)
        } catch {
            try? files.remove(beside)
            throw error.asStagingError
        }
    }
}

extension Asset {
    /// Moves the file to a path of the app's, and gives the asset as it is then.
    ///
    /// What to do with fetched files before the delegate returns. A file that has the path keeps it
    /// until the new one is in place, whatever fails; across volumes the bytes are copied beside it
    /// first. Its bytes are the same, so setting the result in its record is no change.
    public func movingFile(to filePath: String) throws(SyncError) -> Asset {
        try movingFile(to: filePath, with: SystemFiles())
    }

    package func movingFile(
        to newPath: String,
        with files: some AssetFileSystem
    ) throws(SyncError) -> Asset {
        guard let filePath else {
            throw SyncError(.assetFileNotFound, "the asset has no file on this device")
        }
        do {
            try files.move(filePath, to: newPath)
        } catch let failure where failure.isOtherVolume {
            try copyThenRename(filePath, newPath, files)
        } catch {
            throw error.asStagingError
        }
        return Asset(filePath: newPath, byteCount: byteCount, checksum: checksum)
    }

    private func copyThenRename(
        _ oldPath: String,
        _ newPath: String,
        _ files: some AssetFileSystem
    ) throws(SyncError) {
        let beside = "\(newPath).part"
        do throws(FileFailure) {
            try files.copyBytes(of: oldPath, to: beside)
            try files.move(beside, to: newPath)
        } catch {
            try? files.remove(beside)
            throw error.asStagingError
        }
        try? files.remove(oldPath)
    }
}

extension AssetFileSystem {
    /// Copies a file; what the copy holds is on the disk when this returns.
    fileprivate func copyBytes(of oldPath: String, to newPath: String) throws(FileFailure) {
        let source = try openToRead(oldPath)
        defer { release(source) }
        let target = try create(newPath)
        defer { release(target) }
        var offset = 0
        while case let bytes = try readBytes(of: source, at: Int64(offset), countMax: 1 << 18),
            !bytes.isEmpty
        {
            try write(bytes, at: offset, to: target)
            offset += bytes.count
        }
        try sync(target)
    }
}
