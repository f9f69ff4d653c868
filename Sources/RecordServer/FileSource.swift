#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The part of a file that an answer consists of.
package struct FileBody: Hashable, Sendable {
    package var path: String
    package var offset: Int64
    package var byteCount: Int64
}

/// A file that is being sent, a piece at a time.
final class FileSource: Sendable {
    private let descriptor: Int32

    /// Opens a file; nil if it is not there.
    init?(_ body: FileBody) {
        descriptor = open(body.path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        if descriptor < 0 { return nil }
    }

    deinit { close(descriptor) }

    /// The bytes from an offset on; none if they cannot be read.
    func bytes(at offset: Int64, countMax: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: countMax) { buffer, count in
            count = max(0, pread(descriptor, buffer.baseAddress, countMax, off_t(offset)))
        }
    }
}
