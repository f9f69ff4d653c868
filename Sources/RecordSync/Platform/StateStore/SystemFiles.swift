#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The system's own files.
package struct SystemFiles: FileSystem {
    package init() {}

    package func makeFolder(_ path: String) throws(FileFailure) -> Bool {
        if mkdir(path, 0o700) == 0 { return true }
        guard errno == EEXIST else { throw failure("mkdir", path) }
        return false
    }

    package func lock(_ path: String) throws(FileFailure) -> OpenFile? {
        let file = try opened(path, O_RDWR | O_CREAT)
        while flock(file.descriptor, LOCK_EX | LOCK_NB) != 0 {
            if errno == EINTR { continue }
            let failure = failure("flock", path)
            release(file)
            if failure.code == EWOULDBLOCK { return nil }
            throw failure
        }
        return file
    }

    package func names(in folder: String) throws(FileFailure) -> [String] {
        guard let stream = opendir(folder) else { throw failure("opendir", folder) }
        defer { closedir(stream) }
        let offset = MemoryLayout<dirent>.offset(of: \.d_name) ?? 0
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = UnsafeRawPointer(entry).advanced(by: offset)
            names.append(String(cString: name.assumingMemoryBound(to: CChar.self)))
        }
        return names
    }

    package func contents(of path: String) throws(FileFailure) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw failure("open", path)
        }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(descriptor, &chunk, chunk.count)
            if count > 0 {
                bytes += chunk[..<count]
            } else if count == 0 {
                return bytes
            } else if errno != EINTR {
                throw failure("read", path)
            }
        }
    }

    package func create(_ path: String) throws(FileFailure) -> OpenFile {
        try opened(path, O_WRONLY | O_CREAT | O_TRUNC)
    }

    package func reopen(_ path: String) throws(FileFailure) -> OpenFile {
        try opened(path, O_WRONLY)
    }

    package func write(
        _ bytes: [UInt8],
        at offset: Int,
        to file: OpenFile
    ) throws(FileFailure) {
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                let rest = UnsafeRawBufferPointer(rebasing: buffer[done...])
                return pwrite(file.descriptor, rest.baseAddress, rest.count, off_t(offset + done))
            }
            if count > 0 {
                done += count
            } else if count == 0 || errno != EINTR {
                throw failure("write", file)
            }
        }
    }

    package func truncate(_ file: OpenFile, to count: Int) throws(FileFailure) {
        while ftruncate(file.descriptor, off_t(count)) != 0 {
            if errno != EINTR { throw failure("ftruncate", file) }
        }
    }

    package func sync(_ file: OpenFile) throws(FileFailure) {
        #if canImport(Darwin)
            // fsync alone leaves the bytes in the drive's cache; a volume may not know the other.
            if fcntl(file.descriptor, F_FULLFSYNC) == 0 { return }
        #endif
        while fsync(file.descriptor) != 0 {
            if errno != EINTR { throw failure("fsync", file) }
        }
    }

    package func syncFolder(_ path: String) throws(FileFailure) {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("open", path) }
        defer { close(descriptor) }
        while fsync(descriptor) != 0 {
            // Some network file systems keep their names in order without being told.
            if errno == EINVAL { return }
            if errno != EINTR { throw failure("fsync", path) }
        }
    }

    package func move(_ path: String, to newPath: String) throws(FileFailure) {
        guard rename(path, newPath) == 0 else { throw failure("rename", newPath) }
    }

    package func remove(_ path: String) throws(FileFailure) {
        guard unlink(path) == 0 || errno == ENOENT else { throw failure("unlink", path) }
    }

    package func release(_ file: OpenFile) {
        // A process that is being started shares the lock until it has let go of its copy.
        flock(file.descriptor, LOCK_UN)
        close(file.descriptor)
    }

    private func opened(_ path: String, _ flags: Int32) throws(FileFailure) -> OpenFile {
        let descriptor = open(path, flags | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure("open", path) }
        return OpenFile(descriptor: descriptor, path: path)
    }

    private func failure(_ call: String, _ path: String) -> FileFailure {
        FileFailure(call: call, path: path, code: errno)
    }

    private func failure(_ call: String, _ file: OpenFile) -> FileFailure {
        failure(call, file.path)
    }
}

extension FileFailure {
    /// What the system calls the error.
    package var reason: String {
        guard let text = strerror(code) else { return "error \(code)" }
        return "\(String(cString: text)) (error \(code))"
    }

    /// The call was refused because the disk or the user's share of it is full.
    package var isDiskFull: Bool { code == ENOSPC || code == EDQUOT }
}
