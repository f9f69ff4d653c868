internal import RecordModel
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

extension Command {
    /// Copies a server's records into one file, while it serves.
    static let backup = Command(
        "backup",
        summary: "Copies a server's records into one file, while they may be served.",
        operands: [Operand("FILE", help: "The copy, which must not be there yet.")],
        options: [data.option]
    ) { arguments, output in
        let folder = try ServerFolder(existing: folderPath(arguments))
        let path = arguments.operands[0]
        try copy(folder.recordsPath, to: path)
        output.printError("copied \(folder.path) to \(path)")
        return .done
    }

    /// Makes a server's folder of a backup, and begins a new history in it.
    static let restore = Command(
        "restore",
        summary:
            "Makes a new server's folder of a backup; engines learn that it is an older state.",
        operands: [Operand("FILE", help: "The backup.")],
        options: [newData.option]
    ) { arguments, output in
        let path = arguments.operands[0]
        guard access(path, R_OK) == 0 else { throw JobError("\(path): \(systemReason())") }
        let folder = try ServerFolder(making: folderPath(arguments))
        let lock = try folder.lock()
        defer { lock.release() }
        // A log that is left of other records would be taken for a part of these.
        for end in logEnds where access(folder.recordsPath + end, F_OK) == 0 {
            throw JobError(
                "\(folder.recordsPath + end) is there already; move the whole folder away"
            )
        }
        try copy(path, to: folder.recordsPath) { unfinished in
            var server = try folder.server(over: unfinished)
            // Without this, devices that are ahead of the backup would take what it lacks for
            // deleted; so no records stand under their name before they have it.
            try server.startNewEpoch(at: wallClock())
        }
        output.printError("restored \(folder.path) from \(path), with a new history")
        return .done
    }

    /// Says whether a server's records are sound.
    static let checking = Command(
        "check",
        summary: "Reads everything in a server's folder, and says whether it is sound.",
        options: [data.option, reportJSON.option]
    ) { arguments, output in
        let folder = try ServerFolder(existing: folderPath(arguments))
        let report = try CheckReport(of: try folder.server())
        if arguments.has(reportJSON) {
            try output.print(json: report)
        } else {
            for fault in report.faults { output.printError(fault) }
            output.print(report.summary)
        }
        return report.faults.isEmpty ? .done : .failed
    }

    private static let reportJSON = Flag("json", help: "Prints what was found as a line of JSON.")

    /// The files that SQLite keeps beside a database that is open.
    private static let logEnds = ["-wal", "-shm"]

    /// Copies records to a new file, which gets its name when it is finished.
    private static func copy(
        _ path: String,
        to newPath: String,
        finish: (_ unfinished: String) throws -> Void = { _ in }
    ) throws {
        guard access(newPath, F_OK) != 0 else {
            throw JobError("\(newPath) is there already; expected a new file")
        }
        let unfinished = newPath + ".unfinished"
        removeUnfinished(unfinished)
        do {
            try copyWhole(path, to: unfinished)
            try finish(unfinished)
            // Whoever closes a database last puts its log into it.
            guard access(unfinished + logEnds[0], F_OK) != 0 else {
                throw JobError("\(unfinished) could not be finished")
            }
            guard rename(unfinished, newPath) == 0 else {
                throw JobError("cannot write \(newPath): \(systemReason())")
            }
        } catch {
            removeUnfinished(unfinished)
            throw error
        }
    }

    private static func copyWhole(_ path: String, to newPath: String) throws(JobError) {
        do throws(StorageError) {
            try SQLiteStorage.copy(path, to: newPath)
            let faults = try SQLiteStorage(path: newPath).integrityFaults()
            guard faults.isEmpty else { throw .damaged("it is damaged: \(faults[0])") }
        } catch {
            throw JobError("\(path): \(error.reason)")
        }
    }

    private static func removeUnfinished(_ path: String) {
        for end in [""] + logEnds { unlink(path + end) }
    }
}

/// What a check of a server's folder found.
struct CheckReport: Encodable {
    private(set) var accounts = 0
    private(set) var zones = 0
    private(set) var records = 0
    private(set) var faults: [String] = []

    init(of server: Server<SQLiteStorage>) throws {
        var server = server
        do throws(StorageError) {
            faults = try server.storage.integrityFaults()
        } catch {
            faults = [error.reason]
        }
        let names = try Command.transaction(.reading, in: server.storage) {
            storage throws(StorageError) in
            try storage.accounts(after: nil, countMax: .max)
        }
        for account in names {
            accounts += 1
            let caller = ServerCaller(account: account.name, deviceID: "check")
            var byteCount = 0
            for zoneID in try server.zoneIDs(of: caller) {
                zones += 1
                let found = try server.records(in: zoneID, of: caller)
                records += found.count
                byteCount += found.reduce(0) { $0 + $1.byteCount }
            }
            if byteCount != account.usedByteCount {
                faults.append(
                    "\(account.name) is booked with \(account.usedByteCount) bytes, "
                        + "but has \(byteCount)"
                )
            }
        }
    }

    var summary: String {
        let counts =
            "\(counted(accounts, "account")), \(counted(zones, "zone")), "
            + counted(records, "record")
        return faults.isEmpty ? "sound: \(counts)" : "damaged: \(counts) could be read"
    }
}
