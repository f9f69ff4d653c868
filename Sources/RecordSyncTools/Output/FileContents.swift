#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The bytes of a file or a pipe; throws a `JobError` that says why there are none, without its
/// name.
func contents(of path: String) throws(JobError) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw JobError(reason(of: errno)) }
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
            throw JobError(reason(of: errno))
        }
    }
}

/// Writes a text into a file, in place of what it held; throws a `JobError` that says why not.
func write(_ text: String, to path: String) throws(JobError) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw JobError("\(path) cannot be written (error \(errno))") }
    defer { close(descriptor) }
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
        let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        if count > 0 {
            rest = rest.dropFirst(count)
        } else if errno != EINTR {
            throw JobError("\(path) cannot be written (error \(errno))")
        }
    }
}

private func reason(of code: Int32) -> String {
    switch code {
    case ENOENT, ENOTDIR: "there is no such file"
    case EISDIR: "this is a folder"
    case EACCES, EPERM: "the file may not be read"
    case let other: "the file cannot be read (error \(other))"
    }
}
