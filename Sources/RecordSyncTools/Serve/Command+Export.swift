internal import RecordModel
internal import RecordServer
internal import RecordWire
internal import SQLiteStorage
internal import ServerCore

extension Command {
    /// Prints an account's records, one a line of JSON.
    static let export = Command(
        "export",
        summary: "Prints the records of an account, one a line of JSON.",
        operands: [Operand("ACCOUNT", help: "The account.")],
        options: [data.option]
    ) { arguments, output in
        let folder = try ServerFolder(existing: folderPath(arguments))
        var server = try folder.server()
        let account = arguments.operands[0]
        guard try server.accountStatus(of: account) != .noAccount else {
            throw JobError("there is no account \(account)")
        }
        let caller = ServerCaller(account: account, deviceID: importer)
        var count = 0
        for zoneID in try server.zoneIDs(of: caller).sorted() {
            let records = try server.records(in: zoneID, of: caller)
            for record in records.sorted(by: { $0.recordID < $1.recordID }) {
                output.print(String(decoding: RecordJSON.line(for: record), as: UTF8.self))
            }
            count += records.count
        }
        output.printError("exported \(counted(count, "record"))")
        return .done
    }

    /// Saves the records of a file for an account.
    static let importing = Command(
        "import",
        summary:
            "Saves all records of a file for an account or none; none of them may be there yet.",
        operands: [
            Operand("ACCOUNT", help: "The account."),
            Operand("FILE", help: "The records, one a line of JSON."),
        ],
        options: [data.option, onlyChecks.option]
    ) { arguments, output in
        let folder = try ServerFolder(existing: folderPath(arguments))
        let path = arguments.operands[1]
        guard let input = try readInput(path, output) else { return .failed }
        var run = ImportRun(
            server: try folder.server(),
            account: arguments.operands[0],
            records: input
        )
        let keepsAll = !arguments.has(onlyChecks)
        let faults = try run.run(keepsAll: keepsAll) { done in
            output.showProgress("\(keepsAll ? "imported" : "checked") \(done) of \(input.count)")
        }
        output.clearProgress()
        for fault in faults.prefix(faultCountMax) { output.printError("\(path): \(fault)") }
        if faults.count > faultCountMax {
            output.printError("and \(faults.count - faultCountMax) more")
        }
        guard faults.isEmpty else {
            output.printError("nothing was imported")
            return .failed
        }
        output.print(
            keepsAll
                ? "imported \(counted(input.count, "record"))"
                : "\(counted(input.count, "record")) can be imported"
        )
        return .done
    }

    private static let onlyChecks = Flag("check", help: "Only says whether all can be imported.")
    private static let importer = "recordsync"
    private static let faultCountMax = 20

    /// The records of a file; nil once it was told what is wrong with them.
    private static func readInput(_ path: String, _ output: Output) throws -> [Record]? {
        var reader: NDJSONReader
        do {
            reader = NDJSONReader(try contents(of: path))
        } catch {
            throw JobError("\(path): \(error)")
        }
        var records: [Record] = []
        var faults: [String] = []
        while true {
            do throws(NDJSONError) {
                guard let (_, record) = try reader.next() else { break }
                records.append(record)
            } catch {
                faults.append("\(path):\(error)")
            }
        }
        for fault in faults.prefix(faultCountMax) { output.printError(fault) }
        if faults.count > faultCountMax {
            output.printError("and \(faults.count - faultCountMax) more bad lines")
        }
        guard faults.isEmpty else {
            output.printError("nothing was imported")
            return nil
        }
        return records
    }
}

/// Saves many records for an account, parents before their children.
struct ImportRun {
    private var server: Server<SQLiteStorage>
    private let caller: ServerCaller
    private let records: [Record]

    init(server: Server<SQLiteStorage>, account: String, records: [Record]) {
        self.server = server
        caller = ServerCaller(account: account, deviceID: "import")
        self.records = Self.parentsFirst(records.map { $0.asNew() })
    }

    /// Saves all records or none, in one transaction, and says why they cannot be saved: nothing
    /// if they can.
    ///
    /// Without `keepsAll` everything is done and taken back. After each batch it says how many
    /// records it has come to.
    mutating func run(keepsAll: Bool, _ progress: (Int) -> Void) throws -> [String] {
        let storage = server.storage
        do {
            try storage.beginGrouping()
            var faults = try missingAndPresent()
            if faults.isEmpty { faults = try saveAll(progress) }
            if faults.isEmpty, keepsAll { try storage.flush() } else { storage.abort() }
            return faults
        } catch let error as StorageError {
            storage.abort()
            throw JobError("nothing was imported: \(error.reason)")
        } catch {
            storage.abort()
            throw error
        }
    }

    /// What the server cannot tell of a record while others of the file are not saved.
    private mutating func missingAndPresent() throws -> [String] {
        guard try server.accountStatus(of: caller.account) != .noAccount else {
            throw JobError("there is no account \(caller.account)")
        }
        let present = Set(try server.zoneIDs(of: caller))
        let own = Set(records.map(\.recordID))
        return try records.compactMap { record in
            let zoneID = record.recordID.zoneID
            let isZoneThere = present.contains(zoneID)
            if isZoneThere, try server.record(record.recordID, of: caller) != nil {
                return "\(record.recordID) is there already"
            }
            guard let parent = record.parent?.recordID, !own.contains(parent) else { return nil }
            let isParentThere = try isZoneThere && server.record(parent, of: caller) != nil
            return isParentThere ? nil : "the parent \(parent) of \(record.recordID) is missing"
        }
    }

    private mutating func saveAll(_ progress: (Int) -> Void) throws -> [String] {
        let zoneIDs = Set(records.map(\.recordID.zoneID)).sorted()
        let request = ModifyZonesRequest(zonesToSave: zoneIDs.map { RecordZone(zoneID: $0) })
        let zones = try server.modifyZones(request, from: caller, at: wallClock())
        var faults = zip(zoneIDs, zones.saveResults).compactMap { zoneID, result in
            result.error.map { "zone \(zoneID): \($0)" }
        }
        guard faults.isEmpty else { return faults }
        var done = 0
        while done < records.count {
            let batch = batch(from: done)
            let request = ModifyRecordsRequest(recordsToSave: batch)
            let reply = try server.modifyRecords(request, from: caller, at: wallClock())
            faults += zip(batch, reply.saveResults).compactMap { record, result in
                result.error.map { "\(record.recordID): \($0)" }
            }
            done += batch.count
            progress(done)
        }
        return faults
    }

    private func batch(from start: Int) -> [Record] {
        let limits = server.configuration.limits
        var batch: [Record] = []
        var byteCount = 0
        for record in records[start...].prefix(limits.batchCountMax) {
            // A request has a little more than its records.
            byteCount += record.byteCount + 200
            if !batch.isEmpty, byteCount > limits.batchByteCountMax { break }
            batch.append(record)
        }
        return batch
    }

    private static func parentsFirst(_ records: [Record]) -> [Record] {
        var waiting = records
        var placed: Set<Record.ID> = []
        var ordered: [Record] = []
        while !waiting.isEmpty {
            let names = Set(waiting.map(\.recordID))
            let ready = waiting.filter { record in
                record.parent.map { !names.contains($0.recordID) } ?? true
            }
            // A ring of parents has no beginning: its members must go together, if at all.
            let next = ready.isEmpty ? waiting : ready
            ordered += next
            placed.formUnion(next.map(\.recordID))
            waiting = waiting.filter { !placed.contains($0.recordID) }
        }
        return ordered
    }
}

extension Result where Failure == SyncError {
    fileprivate var error: SyncError? {
        if case .failure(let error) = self { error } else { nil }
    }
}
