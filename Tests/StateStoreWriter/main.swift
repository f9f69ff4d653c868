import Foundation
import RecordSync

// Appends entries to a store and compacts it, until it is killed. Prints the number of the last
// record of each append once that is stored.
//
// Arguments: the folder, the number of the next record, a number for the launch, whether to sync.

let arguments = CommandLine.arguments
guard arguments.count == 5, let first = Int(arguments[2]), let launch = UInt64(arguments[3]) else {
    print("usage: StateStoreWriter FOLDER NEXT-RECORD LAUNCH sync|no-sync")
    exit(2)
}
let opening = try FileStateStore.open(arguments[1], syncsToDisk: arguments[4] == "sync")
var writer = JournalWriter(writer: WriterID(high: launch, low: 0))
var state = opening.stateSerialization
var next = first
/// Entries that no snapshot holds; the last one is left out of each, as one that is not applied.
var uncovered: [JournalEntry] = []

while true {
    let numbers = next...(next + next % 3)
    let entries = numbers.map { number in
        let id = Record.ID(recordName: "\(number)", zoneID: RecordZone.ID(zoneName: "Notes"))
        return writer.entry(pendingRecordZoneChanges: [.saveRecord(id)])
    }
    try opening.store.append(entries)
    next = numbers.upperBound + 1
    FileHandle.standardOutput.write(Data("\(numbers.upperBound)\n".utf8))
    uncovered += entries
    guard uncovered.count > 8 else { continue }
    let snapshot = StateSerialization(state, applying: uncovered.dropLast())
    try opening.store.compact(snapshot)
    state = snapshot
    uncovered.removeFirst(uncovered.count - 1)
}
