import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A running program that writes and says what it wrote, until it is killed.
struct WriterProcess {
    private let process = Process()
    private let output = Pipe()
    private var read: [UInt8] = []

    init(folder: String, next: Int, launch: UInt64, syncs: Bool) throws {
        let mode = syncs ? "sync" : "no-sync"
        try self.init("StateStoreWriter", folder, "\(next)", "\(launch)", mode)
    }

    init(_ program: String, _ arguments: String...) throws {
        process.executableURL = Self.products.appendingPathComponent(program)
        process.arguments = arguments
        process.standardOutput = output
        try process.run()
        // The writer's own end alone keeps the pipe open: it is at its end when the writer is.
        try output.fileHandleForWriting.close()
    }

    /// Where the package's programs are, beside its tests.
    private static var products: URL {
        let bundles = Bundle.allBundles.filter { $0.bundlePath.hasSuffix(".xctest") }
        return bundles.first?.bundleURL.deletingLastPathComponent() ?? Bundle.main.bundleURL
    }

    /// The whole lines that were read so far.
    var lines: [String] {
        String(decoding: read, as: UTF8.self).split(
            separator: "\n",
            omittingEmptySubsequences: false
        ).dropLast().map(String.init)
    }

    /// The last record that the writer said is stored; 0 before the first.
    var acknowledged: Int {
        // What stands behind the last line end is no whole line.
        let lines = read.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        return lines.dropLast().last.flatMap { Int(String(decoding: $0, as: UTF8.self)) } ?? 0
    }

    /// Lets the program end by itself, and gives its status.
    mutating func terminate() -> Int32 {
        process.terminate()
        while readSome() {}
        process.waitUntilExit()
        return process.terminationStatus
    }

    /// Waits until the writer said so many things, and then so many microseconds more.
    mutating func wait(lines: Int, microseconds: Int) {
        while read.count(where: { $0 == UInt8(ascii: "\n") }) < lines, readSome() {}
        let end = ContinuousClock.now + .microseconds(microseconds)
        while ContinuousClock.now < end {}
    }

    /// Kills the writer, and says whether that is what it died of.
    mutating func kill() -> Bool {
        _ = Foundation.kill(process.processIdentifier, SIGKILL)
        while readSome() {}
        process.waitUntilExit()
        return process.terminationReason == .uncaughtSignal && process.terminationStatus == SIGKILL
    }

    /// Reads what there is; false once the writer is gone.
    private mutating func readSome() -> Bool {
        let data = output.fileHandleForReading.availableData
        read += data
        return !data.isEmpty
    }
}
