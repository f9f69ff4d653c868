import Foundation
import RecordModel
import SQLiteStorage
import ServerCore

// Saves records in a storage, a group of requests at a time, until it is killed. Prints the number
// of the last record of each group once that was flushed.
//
// Arguments: the file, the number of the next record.

let arguments = CommandLine.arguments
guard arguments.count == 3, let first = Int(arguments[2]) else {
    print("usage: RecordStorageWriter FILE NEXT-RECORD")
    exit(2)
}
var server = Server(
    storage: try SQLiteStorage(path: arguments[1]),
    configuration: ServerConfiguration(tokenKey: Array(0..<32))
)
let now = Timestamp(millisecondsSince1970: 1_000_000)
let caller = ServerCaller(account: "ann", deviceID: "writer")
try server.createAccount(caller.account, at: now)
var next = first
try server.storage.beginGrouping()
while true {
    let group = next...(next + next % 5)
    for number in group {
        var record = Record(recordType: "Note", recordID: Record.ID(recordName: "\(number)"))
        record["text"] = String(repeating: "x", count: 500)
        let request = ModifyRecordsRequest(recordsToSave: [record])
        for case .failure(let error) in try server.modifyRecords(request, from: caller, at: now)
            .saveResults
        { throw error }
    }
    try server.storage.flush()
    next = group.upperBound + 1
    FileHandle.standardOutput.write(Data("\(group.upperBound)\n".utf8))
}
