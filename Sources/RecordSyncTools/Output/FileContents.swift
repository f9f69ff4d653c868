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

private func reason(of code: Int32) -> String {
    switch code {
    case ENOENT, ENOTDIR: "there is no such file"
    case EISDIR: "this is a folder"
    case EACCES, EPERM: "the file may not be read"
    case let other: "the file cannot be read (error \(other))"
    }
}
