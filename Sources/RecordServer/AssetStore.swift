package import RecordModel
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Where a server keeps the bytes of files: one file each, under a name that it makes of the
/// account and the checksum.
///
/// A file comes in pieces, so that a broken connection costs one piece; it gets its name once it is
/// whole and its hash is right. No name that a client gave is ever part of a path.
package final class AssetStore: Sendable {
    package let folder: String
    /// What is known of files on their way, so that no byte is hashed twice.
    private let hashes = Mutex<[String: PartHash]>([:])

    private struct PartHash {
        var hash = SHA256()
        var byteCount: Int64 = 0
    }

    /// Files of one account on their way at the same time.
    static let partCountMax = 16
    /// Files on their way whose hashes are kept in memory.
    private static let hashCountMax = 64
    /// How long a file on its way is kept that nobody goes on with.
    private static let partSecondsMax = 24 * 60 * 60

    /// Opens a folder, and makes it if it is not there.
    package init(folder: String) throws(SyncError) {
        self.folder = folder
        try make(folder)
        try make("\(folder)/parts")
    }

    /// The path of an account's whole file.
    package func path(of checksum: [UInt8], account: String) -> String {
        let name = name(checksum, account)
        return "\(folder)/\(name.prefix(2))/\(name)"
    }

    /// How many bytes of a file on its way are here.
    func receivedByteCount(of checksum: [UInt8], account: String) -> Int64 {
        byteCount(partPath(checksum, account)) ?? 0
    }

    /// Takes a piece of a file; gives how many bytes are here then.
    ///
    /// A piece that does not begin where the last one ended is not taken.
    func append(
        _ bytes: [UInt8],
        at offset: Int64,
        to checksum: [UInt8],
        account: String
    ) throws(SyncError) -> Int64 {
        let path = partPath(checksum, account)
        let present = byteCount(path)
        guard present ?? 0 == offset else { return present ?? 0 }
        if present == nil, partCount(of: account) >= Self.partCountMax {
            throw SyncError(.zoneBusy, "too many files of one account are on their way")
        }
        let descriptor = open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure("open") }
        defer { close(descriptor) }
        var done = 0
        while done < bytes.count {
            let place = off_t(offset) + off_t(done)
            let count = bytes.withUnsafeBytes { buffer in
                let rest = UnsafeRawBufferPointer(rebasing: buffer[done...])
                return pwrite(descriptor, rest.baseAddress, rest.count, place)
            }
            if count > 0 {
                done += count
            } else if count == 0 || errno != EINTR {
                let error = failure("write")
                // What was written of the piece would be taken for all of it.
                _ = ftruncate(descriptor, off_t(offset))
                throw error
            }
        }
        note(bytes, at: offset, of: path)
        return offset + Int64(bytes.count)
    }

    /// Gives a file its name if its bytes are all here and have the checksum; else it is deleted.
    func finish(_ checksum: [UInt8], account: String) throws(SyncError) {
        let part = partPath(checksum, account)
        var hash = try hash(of: part)
        forgetHash(of: part)
        guard hash.finish() == checksum else {
            unlink(part)
            throw SyncError(.assetFileModified, "the bytes are not those of the checksum")
        }
        let path = path(of: checksum, account: account)
        let parent = String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)])
        try make(parent)
        try sync(part)
        guard rename(part, path) == 0 else { throw failure("rename") }
        try sync(parent)
    }

    /// Keeps a whole file that came in one piece, and gives its checksum.
    func keep(_ bytes: [UInt8], account: String) throws(SyncError) -> [UInt8] {
        let checksum = SHA256.hash(bytes)
        discardPart(checksum, account: account)
        _ = try append(bytes, at: 0, to: checksum, account: account)
        try finish(checksum, account: account)
        return checksum
    }

    /// Forgets a file on its way.
    func discardPart(_ checksum: [UInt8], account: String) {
        let path = partPath(checksum, account)
        forgetHash(of: path)
        unlink(path)
    }

    /// Deletes a whole file.
    func remove(_ checksum: [UInt8], account: String) {
        unlink(path(of: checksum, account: account))
    }

    /// Deletes files on their way with which nobody went on.
    func removeStaleParts() {
        for name in names("\(folder)/parts") {
            let path = "\(folder)/parts/\(name)"
            var status = stat()
            guard lstat(path, &status) == 0 else { continue }
            #if canImport(Darwin)
                let modified = Int(status.st_mtimespec.tv_sec)
            #else
                let modified = Int(status.st_mtim.tv_sec)
            #endif
            guard Int(time(nil)) - modified > Self.partSecondsMax else { continue }
            forgetHash(of: path)
            unlink(path)
        }
    }

    // MARK: Names

    private func name(_ checksum: [UInt8], _ account: String) -> String {
        hexadecimal(SHA256.hash(Array(account.utf8) + [0] + checksum))
    }

    private func partPath(_ checksum: [UInt8], _ account: String) -> String {
        "\(folder)/parts/\(partPrefix(account))\(name(checksum, account))"
    }

    private func partPrefix(_ account: String) -> String {
        hexadecimal(SHA256.hash(Array(account.utf8)).prefix(8)) + "-"
    }

    private func partCount(of account: String) -> Int {
        let prefix = partPrefix(account)
        return names("\(folder)/parts").count { $0.hasPrefix(prefix) }
    }

    // MARK: Hashes

    private func note(_ bytes: [UInt8], at offset: Int64, of path: String) {
        hashes.withLock { hashes in
            var part = hashes[path] ?? PartHash()
            guard part.byteCount == offset else { return hashes[path] = nil }
            part.hash.update(bytes)
            part.byteCount += Int64(bytes.count)
            if hashes[path] == nil, hashes.count >= Self.hashCountMax { hashes.removeAll() }
            hashes[path] = part
        }
    }

    private func forgetHash(of path: String) { hashes.withLock { $0[path] = nil } }

    /// The hash of a file on its way, read anew unless all its pieces came since the start.
    private func hash(of path: String) throws(SyncError) -> SHA256 {
        let known = hashes.withLock { $0[path] }
        if let known, known.byteCount == byteCount(path) { return known.hash }
        var hash = SHA256()
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("open") }
        defer { close(descriptor) }
        var chunk = [UInt8](repeating: 0, count: 1 << 18)
        while true {
            let count = read(descriptor, &chunk, chunk.count)
            guard count > 0 else {
                if count < 0, errno == EINTR { continue }
                guard count == 0 else { throw failure("read") }
                return hash
            }
            hash.update(chunk[..<count])
        }
    }

    // MARK: The system

    private func make(_ folder: String) throws(SyncError) {
        guard mkdir(folder, 0o700) == 0 || errno == EEXIST else { throw failure("mkdir") }
    }

    private func byteCount(_ path: String) -> Int64? {
        var status = stat()
        return lstat(path, &status) == 0 ? Int64(status.st_size) : nil
    }

    private func sync(_ path: String) throws(SyncError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("open") }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 || errno == EINVAL else { throw failure("fsync") }
    }

    private func names(_ folder: String) -> [String] {
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        let offset = MemoryLayout<dirent>.offset(of: \.d_name) ?? 0
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = UnsafeRawPointer(entry).advanced(by: offset)
            names.append(String(cString: name.assumingMemoryBound(to: CChar.self)))
        }
        return names.filter { $0 != "." && $0 != ".." }
    }

    private func failure(_ call: String) -> SyncError {
        SyncError(.serviceUnavailable, "the server cannot keep files now (\(call), \(errno))")
    }
}

/// Lowercase hexadecimal digits.
package func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    for byte in bytes {
        text.append(digits[Int(byte >> 4)])
        text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
}

/// The bytes of hexadecimal digits; nil for anything else.
func bytes(ofHexadecimal text: String) -> [UInt8]? {
    let digits = Array(text.utf8)
    guard digits.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    for place in stride(from: 0, to: digits.count, by: 2) {
        let pair = String(decoding: digits[place...place + 1], as: UTF8.self)
        guard digits[place] != UInt8(ascii: "+"), digits[place] != UInt8(ascii: "-"),
            let byte = UInt8(pair, radix: 16)
        else { return nil }
        bytes.append(byte)
    }
    return bytes
}
