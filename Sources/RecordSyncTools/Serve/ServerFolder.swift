internal import RecordServer
internal import SQLiteStorage
internal import ServerCore

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The folder in which a server keeps everything: its records and files, and the key of its
/// tokens.
///
/// Only the user who runs the server can read it. The key is a file of its own, so that a backup of
/// the records alone gives nobody the means to make tokens.
struct ServerFolder {
    let path: String
    /// True if this call made it.
    private let isNew: Bool

    /// Takes a folder, and makes it if it is not there.
    init(making path: String) throws(JobError) {
        umask(0o077)
        self.path = path
        isNew = mkdir(path, 0o700) == 0
        guard isNew || errno == EEXIST else {
            throw JobError("cannot make the folder \(path): \(systemReason())")
        }
        // The key is made after the records: a start that was killed before leaves none.
        if access(keyPath, F_OK) == 0 { try refuseEmptyRecords() }
    }

    /// Takes a folder that is there.
    init(existing path: String) throws(JobError) {
        umask(0o077)
        self.path = path
        isNew = false
        guard access(recordsPath, F_OK) == 0 else {
            guard errno == ENOENT || errno == ENOTDIR else {
                throw JobError("cannot read \(recordsPath): \(systemReason())")
            }
            throw JobError("\(path) holds no server's data; expected a folder that was served")
        }
        try refuseEmptyRecords()
    }

    /// SQLite takes a file without a byte for a new database.
    private func refuseEmptyRecords() throws(JobError) {
        var status = stat()
        guard stat(recordsPath, &status) == 0, status.st_size == 0 else { return }
        throw JobError("\(recordsPath) is empty: it was damaged; restore a backup")
    }

    /// Keeps other servers off the folder while this one has it.
    ///
    /// The system lets go of it when the process ends, in whatever way.
    func lock() throws(JobError) -> FolderLock {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw JobError("cannot read \(path): \(systemReason())") }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw JobError("\(path) is served already; stop that server first")
        }
        return FolderLock(descriptor: descriptor)
    }

    /// What to tell whoever runs a server in a folder that others can enter; nil if none can.
    var accessWarning: String? {
        var status = stat()
        guard !isNew, stat(path, &status) == 0, status.st_mode & 0o077 != 0 else { return nil }
        return "others may enter \(path), though not read its files; chmod 700 keeps them out"
    }

    var recordsPath: String { path + "/records.sqlite" }
    var assetsPath: String { path + "/assets" }
    private var keyPath: String { path + "/token.key" }

    /// The server over the folder's records.
    func server() throws -> Server<SQLiteStorage> { try server(over: recordsPath) }

    /// The server over other records than those that are in the folder, or not yet.
    func server(over recordsPath: String) throws -> Server<SQLiteStorage> {
        Server(
            storage: try storage(in: recordsPath),
            configuration: ServerConfiguration(tokenKey: try tokenKey())
        )
    }

    func storage() throws(JobError) -> SQLiteStorage { try storage(in: recordsPath) }

    private func storage(in recordsPath: String) throws(JobError) -> SQLiteStorage {
        do throws(StorageError) {
            return try SQLiteStorage(path: recordsPath)
        } catch {
            throw JobError(error.reason)
        }
    }

    /// The key under which change tokens are sealed; made when it is first asked for.
    private func tokenKey() throws -> [UInt8] {
        let byteCount = 32
        if access(keyPath, F_OK) == 0 {
            let bytes = try contents(of: keyPath)
            guard bytes.count == byteCount else {
                throw JobError("\(keyPath) has \(bytes.count) bytes; expected \(byteCount)")
            }
            return bytes
        }
        let key = try randomBytes(byteCount)
        let descriptor = open(keyPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw JobError("cannot make \(keyPath): \(systemReason())")
        }
        defer { close(descriptor) }
        guard write(descriptor, key, key.count) == key.count, fsync(descriptor) == 0 else {
            throw JobError("cannot write \(keyPath): \(systemReason())")
        }
        return key
    }
}

/// A folder that no other server can have.
struct FolderLock {
    fileprivate let descriptor: Int32

    func release() { close(descriptor) }
}

/// True for an address in figures, of either kind.
func isNumericAddress(_ text: String) -> Bool {
    var bytes = in6_addr()
    return inet_pton(AF_INET, text, &bytes) == 1 || inet_pton(AF_INET6, text, &bytes) == 1
}

/// What the system says of its last failure.
func systemReason() -> String { String(cString: strerror(errno)) }

extension StorageError {
    /// What happened, for a person.
    var reason: String {
        switch self {
        case .unavailable(let message), .damaged(let message): message
        }
    }
}
