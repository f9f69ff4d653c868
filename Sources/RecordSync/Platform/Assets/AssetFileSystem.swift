#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The calls of a file system that the staging of files makes besides.
package protocol AssetFileSystem: FileSystem {
    /// Opens a file that is there for reading.
    func openToRead(_ path: String) throws(FileFailure) -> OpenFile
    /// What tells one version of a file from another.
    func version(of file: OpenFile) throws(FileFailure) -> FileVersion
    /// Reads up to so many bytes from an offset on; none at the end.
    func readBytes(
        of file: OpenFile,
        at offset: Int64,
        countMax: Int
    ) throws(FileFailure) -> [UInt8]
    /// Deletes an empty folder, if there is one.
    func removeFolder(_ path: String) throws(FileFailure)
}

/// What tells one version of a file from another.
package struct FileVersion: Hashable, Sendable {
    package let byteCount: Int64
    package let modifiedSeconds: Int
    package let modifiedNanoseconds: Int

    package init(byteCount: Int64, modifiedSeconds: Int, modifiedNanoseconds: Int) {
        self.byteCount = byteCount
        self.modifiedSeconds = modifiedSeconds
        self.modifiedNanoseconds = modifiedNanoseconds
    }
}

extension SystemFiles: AssetFileSystem {
    package func openToRead(_ path: String) throws(FileFailure) -> OpenFile {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileFailure(call: "open", path: path, code: errno) }
        return OpenFile(descriptor: descriptor, path: path)
    }

    package func version(of file: OpenFile) throws(FileFailure) -> FileVersion {
        var status = stat()
        guard fstat(file.descriptor, &status) == 0 else {
            throw FileFailure(call: "fstat", path: file.path, code: errno)
        }
        // A folder or a pipe has no bytes that stay.
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw FileFailure(call: "open", path: file.path, code: EINVAL)
        }
        #if canImport(Darwin)
            let modified = status.st_mtimespec
        #else
            let modified = status.st_mtim
        #endif
        return FileVersion(
            byteCount: Int64(status.st_size),
            modifiedSeconds: Int(modified.tv_sec),
            modifiedNanoseconds: Int(modified.tv_nsec)
        )
    }

    package func readBytes(
        of file: OpenFile,
        at offset: Int64,
        countMax: Int
    ) throws(FileFailure) -> [UInt8] {
        var code: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: countMax) { buffer, count in
            while true {
                let got = pread(file.descriptor, buffer.baseAddress, countMax, off_t(offset))
                if got < 0, errno == EINTR { continue }
                if got < 0 { code = errno }
                count = max(0, got)
                return
            }
        }
        guard code == 0 else { throw FileFailure(call: "pread", path: file.path, code: code) }
        return bytes
    }

    package func removeFolder(_ path: String) throws(FileFailure) {
        guard rmdir(path) == 0 || errno == ENOENT else {
            throw FileFailure(call: "rmdir", path: path, code: errno)
        }
    }

    /// Where files are staged unless the app says otherwise: a folder of this user's alone.
    package static var assetFolder: String {
        let temporary = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        let base = temporary.hasSuffix("/") ? String(temporary.dropLast()) : temporary
        return "\(base)/RecordSync-\(getuid())"
    }

    /// True if somebody else could read or change what is in the folder.
    package func isForeign(_ folder: String) -> Bool {
        var status = stat()
        guard lstat(folder, &status) == 0 else { return true }
        return status.st_mode & S_IFMT != S_IFDIR || status.st_uid != getuid()
    }

    /// True if there is something under the path.
    package func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }
}

extension FileFailure {
    /// The two paths lie on different volumes, between which no file can be renamed.
    package var isOtherVolume: Bool { code == EXDEV }

    /// The code of a call that is not allowed.
    static let notPermitted = EACCES
}
