import RecordModel

/// Who the server says is signed in.
enum AccountSighting: Hashable, Sendable {
    case account(userRecordName: String)
    case nobody
}
