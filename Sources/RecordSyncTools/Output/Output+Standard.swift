#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

extension Output {
    /// The standard output and standard error of the process.
    static let standard = Output(
        standardOutput: { write($0, to: STDOUT_FILENO) },
        standardError: { write($0, to: STDERR_FILENO) },
        isErrorTerminal: isatty(STDERR_FILENO) == 1
    )
}

/// Writes all of the text; gives up where the other end is gone, as there is nobody to tell.
private func write(_ text: String, to descriptor: Int32) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
        let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        if count > 0 {
            rest = rest.dropFirst(count)
        } else if errno != EINTR {
            return
        }
    }
}
