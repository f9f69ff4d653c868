internal import Synchronization

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
        standardOutput: { text in
            let error = write(text, to: STDOUT_FILENO)
            if error != 0 { outputError.store(error, ordering: .relaxed) }
        },
        standardError: { _ = write($0, to: STDERR_FILENO) },
        isErrorTerminal: isatty(STDERR_FILENO) == 1
    )

    /// Why a line of the result could not be written; nil if all of them were, or if nobody reads
    /// them any more.
    static var lostOutput: String? {
        switch outputError.load(ordering: .relaxed) {
        case 0, EPIPE: nil
        case let error: String(cString: strerror(error))
        }
    }
}

/// The last error of standard output.
private let outputError = Atomic<Int32>(0)

/// Writes all of the text; gives the error that prevented it, or 0.
private func write(_ text: String, to descriptor: Int32) -> Int32 {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
        let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        if count > 0 {
            rest = rest.dropFirst(count)
        } else if errno != EINTR {
            return errno
        }
    }
    return 0
}
