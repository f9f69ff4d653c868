import RecordModel
import RecordSync
import SyncCore

/// Entries that one launch made: the first adds record 1, the second record 2, and so on.
func entries(_ numbers: ClosedRange<Int>, launch: UInt64 = 1) -> [JournalEntry] {
    numbers.map { number in
        JournalEntry(
            id: IdempotencyKey(
                writer: WriterID(high: launch << 32, low: 0),
                number: UInt64(number)
            ),
            change: .recordChangesAdded([.saveRecord(recordID(number))])
        )
    }
}

func entry(_ number: Int) -> JournalEntry { entries(number...number)[0] }

func recordID(_ number: Int) -> Record.ID {
    Record.ID(recordName: "\(number)", zoneID: RecordZone.ID(zoneName: "Notes"))
}

/// A snapshot of what these entries lead to.
func snapshot(_ numbers: ClosedRange<Int>) -> StateSerialization {
    StateSerialization(nil, applying: entries(numbers))
}

extension StateSerialization {
    /// The numbers of the records that are pending, in the queue's order.
    var numbers: [Int] {
        state.records.slots.all().compactMap { Int($0.change.recordID.recordName) }
    }
}

extension FileStateStore.Opening {
    var numbers: [Int] { stateSerialization?.numbers ?? [] }
}

/// Opens a folder, does something with the store, and closes it.
@discardableResult
func with<Result>(
    _ folder: String,
    _ files: some FileSystem = SystemFiles(),
    _ body: (FileStateStore) throws -> Result
) throws -> Result {
    let opening = try FileStateStore.open(folder, files)
    return try withExtendedLifetime(opening.store) { try body($0) }
}

/// What opening a folder finds; then the store is closed again, and no disk was waited for.
func found(
    _ folder: String,
    _ files: some FileSystem = SystemFiles()
) throws(FileStateStoreError) -> (numbers: [Int], report: FileStateStore.Report) {
    let opening = try FileStateStore.open(folder, files, syncsToDisk: !(files is SystemFiles))
    return (opening.numbers, opening.report)
}
