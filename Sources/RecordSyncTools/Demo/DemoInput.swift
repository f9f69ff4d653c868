internal import RecordModel
internal import RecordWire

/// The records that a demonstration begins with; all of them can be imported.
struct DemoInput: Sendable {
    /// As they stand in the file, each made new, without the tag and stamps of another server.
    private(set) var records: [Record] = []
    /// The line of each record.
    private(set) var lines: [Record.ID: Int] = [:]
    /// In the order of their first records.
    private(set) var zoneIDs: [RecordZone.ID] = []
    /// Records with a parent.
    private(set) var childCount = 0
    /// Records that stand before their parent.
    private(set) var earlyChildCount = 0
    private var seenZoneIDs: Set<RecordZone.ID> = []

    /// A line of the file that cannot be imported.
    struct BadLine: Hashable, Sendable {
        let line: Int
        /// What is wrong and what was expected.
        let message: String
    }

    /// Reads the whole of a file: its records, and every line that is no such record.
    static func read(_ bytes: [UInt8]) -> (input: DemoInput, badLines: [BadLine]) {
        var input = DemoInput()
        var badLines: [BadLine] = []
        var reader = NDJSONReader(bytes, refusingUnknownKeys: true)
        while true {
            do {
                guard let (line, record) = try reader.next() else { break }
                if let message = refusal(of: record.recordID.zoneID) {
                    badLines.append(BadLine(line: line, message: message))
                }
                input.add(record, at: line)
            } catch {
                badLines.append(BadLine(line: error.line, message: error.message))
            }
        }
        badLines += input.parentFaults()
        if input.records.isEmpty, badLines.isEmpty {
            let message = "the file holds no record; expected one record a line"
            badLines = [BadLine(line: 1, message: message)]
        }
        return (input, badLines.sorted { $0.line < $1.line })
    }

    private static func refusal(of zoneID: RecordZone.ID) -> String? {
        guard zoneID.ownerName != RecordZone.ID.currentUserName else { return nil }
        return "zone \"\(zoneID.zoneName)\" belongs to \"\(zoneID.ownerName)\"; "
            + "expected a zone of the account itself, without \"ownerRecordName\""
    }

    private mutating func add(_ record: Record, at line: Int) {
        let zoneID = record.recordID.zoneID
        if seenZoneIDs.insert(zoneID).inserted { zoneIDs.append(zoneID) }
        if let parentID = record.parent?.recordID {
            childCount += 1
            if lines[parentID] == nil { earlyChildCount += 1 }
        }
        lines[record.recordID] = line
        records.append(record.asNew)
    }

    /// The records whose parent is not there, or stands below them.
    private func parentFaults() -> [BadLine] {
        var parents: [Record.ID: Record.ID] = [:]
        var faults: [BadLine] = []
        for record in records {
            guard let parentID = record.parent?.recordID else { continue }
            if lines[parentID] == nil {
                faults.append(
                    fault(
                        of: record.recordID,
                        "parent \"\(parentID.recordName)\" is not in the file; "
                            + "expected a record of that name in zone \"\(parentID.zoneID)\""
                    )
                )
            } else {
                parents[record.recordID] = parentID
            }
        }
        return faults + circles(in: parents)
    }

    private func circles(in parents: [Record.ID: Record.ID]) -> [BadLine] {
        var settled: Set<Record.ID> = []
        var faults: [BadLine] = []
        for record in records {
            var path: [Record.ID] = []
            var isOnPath: Set<Record.ID> = []
            var next: Record.ID? = record.recordID
            while let id = next, !settled.contains(id), isOnPath.insert(id).inserted {
                path.append(id)
                next = parents[id]
            }
            if let id = next, let start = path.firstIndex(of: id) {
                faults += path[start...].map { id in
                    fault(
                        of: id,
                        "the parents of \"\(id.recordName)\" lead back to it; "
                            + "expected parents that end at a record without one"
                    )
                }
            }
            settled.formUnion(path)
        }
        return faults
    }

    private func fault(of id: Record.ID, _ message: String) -> BadLine {
        BadLine(line: lines[id] ?? 0, message: message)
    }
}

extension Record {
    /// The same content in a record that no server has seen, without the files that it names: their
    /// bytes are not in the input, and no server takes a record without them.
    fileprivate var asNew: Record {
        var record = Record(recordType: recordType, recordID: recordID)
        record.parent = parent
        for field in fields.entries {
            switch field.value?.type {
            case .asset, .assets, nil: continue
            case _: break  // Whatever else there is stands in the input itself.
            }
            record.setField(
                field.key,
                to: field.value,
                isEncrypted: field.isEncrypted,
                isChanged: true
            )
        }
        return record
    }
}
