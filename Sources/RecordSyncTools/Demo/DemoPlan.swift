internal import RecordModel

/// What the devices do to the imported records: the same for the same records.
struct DemoPlan: Sendable {
    private let records: [Record]
    private let importedIDs: Set<Record.ID>

    /// Room that an edit may need.
    private static let editByteCountMax = 10_000
    private static let countMax = 20
    private static let createdCountMax = 10

    /// Takes the records that the devices hold now, and which of them were imported.
    init(_ records: [Record], importedIDs: Set<Record.ID>) {
        self.records = records.sorted { $0.recordID < $1.recordID }
        self.importedIDs = importedIDs
    }

    /// At least one new record, in each zone by turns, below the first record of its zone.
    func newRecords(in zoneIDs: [RecordZone.ID], _ fields: DemoFields) -> [Record] {
        guard !zoneIDs.isEmpty else { return [] }
        let used = Set(records.map(\.recordID)).union(importedIDs)
        var created: [Record] = []
        var number = 0
        let count = Self.share(of: max(1, records.count), outOf: 20, at: Self.createdCountMax)
        while created.count < count {
            let zoneID = zoneIDs[number % zoneIDs.count]
            number += 1
            let id = Record.ID(recordName: "demo-\(number)", zoneID: zoneID)
            guard !used.contains(id) else { continue }
            var record = Record(recordType: "DemoNote", recordID: id)
            record[fields.text] = "note \(number), made on a device"
            record.setParent(records.first { $0.recordID.zoneID == zoneID }?.recordID)
            created.append(record)
        }
        return created
    }

    /// Records for two devices to edit at the same time: imported ones, wherever there is one that
    /// leaves room for an edit.
    var editedIDs: [Record.ID] {
        let byteCountMax = RequestLimits.standard.recordByteCountMax - Self.editByteCountMax
        let editable = records.filter { $0.byteCount <= byteCountMax }
        let imported = editable.filter { importedIDs.contains($0.recordID) }
        let candidates = imported.isEmpty ? editable : imported
        return Self.spread(
            candidates,
            Self.share(of: candidates.count, outOf: 10, at: Self.countMax)
        )
    }

    /// Imported records to delete: none that another one points to, and none that is edited.
    func deletedIDs(besides editedIDs: [Record.ID]) -> [Record.ID] {
        var kept = Set(editedIDs)
        for record in records { kept.formUnion(record.references.map(\.recordID)) }
        let leaves = records.filter {
            importedIDs.contains($0.recordID) && !kept.contains($0.recordID)
        }
        return Self.spread(leaves, Self.share(of: leaves.count, outOf: 10, at: Self.countMax))
    }

    private static func share(of count: Int, outOf parts: Int, at most: Int) -> Int {
        min(most, (count + parts - 1) / parts)
    }

    /// Some of the records, from all over the list.
    private static func spread(_ records: [Record], _ count: Int) -> [Record.ID] {
        (0..<count).map { records[$0 * records.count / count].recordID }
    }
}
