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
        let folder = try ServerFolder(existing: try folderPath(arguments))
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
        summary: "Saves the records of a file for an account; none of them may be there yet.",
        operands: [
            Operand("ACCOUNT", help: "The account."),
            Operand("FILE", help: "The records, one a line of JSON."),
        ],
        options: [data.option, onlyChecks.option]
    ) { arguments, output in
        let folder = try ServerFolder(existing: try folderPath(arguments))
        let path = arguments.operands[1]
        guard let input = try readInput(path, output) else { return .failed }
        var run = ImportRun(
            server: try folder.server(),
            account: arguments.operands[0],
            records: input
        )
        let faults = try run.faults()
        for fault in faults.prefix(faultCountMax) { output.printError("\(path): \(fault)") }
        if faults.count > faultCountMax {
            output.printError("and \(faults.count - faultCountMax) more")
        }
        guard faults.isEmpty else {
            output.printError("nothing was imported")
            return .failed
        }
        guard !arguments.has(onlyChecks) else {
            output.print("\(counted(input.count, "record")) can be imported")
            return .done
        }
        try run.run { done in output.showProgress("imported \(done) of \(input.count)") }
        output.clearProgress()
        output.print("imported \(counted(input.count, "record"))")
        return .done
    }

    private static let onlyChecks = Flag("check", help: "Only says whether all could be imported.")
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

    /// Why the records cannot be imported; empty if they can.
    mutating func faults() throws -> [String] {
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

    /// Saves all; after each batch it says how many are saved.
    mutating func run(_ progress: (Int) -> Void) throws {
        let zoneIDs = Set(records.map(\.recordID.zoneID)).sorted()
        let zones = ModifyZonesRequest(zonesToSave: zoneIDs.map { RecordZone(zoneID: $0) })
        for case .failure(let error) in try server.modifyZones(
            zones,
            from: caller,
            at: wallClock()
        ).saveResults {
            throw error
        }
        var done = 0
        while done < records.count {
            let batch = batch(from: done)
            let request = ModifyRecordsRequest(recordsToSave: batch)
            for case .failure(let error) in try server.modifyRecords(
                request,
                from: caller,
                at: wallClock()
            ).saveResults {
                throw JobError("after \(done) records: \(error)")
            }
            done += batch.count
            progress(done)
        }
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
