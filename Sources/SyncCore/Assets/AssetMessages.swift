package import RecordModel

/// Names a folder of staged files: of one batch to send, or of one page that was fetched.
package struct AssetFolderID: Hashable, Sendable {
    package var number: UInt64
    package init(_ number: UInt64) { self.number = number }
}

/// What the shell must do about files.
package enum AssetEffect: Hashable, Sendable {
    /// Copy the app's files into a folder, and say what the copies hold.
    case stage(RequestID, [Asset], in: AssetFolderID)
    /// Ask the server, as the account, which of some files it lacks.
    case askMissing(RequestID, [Asset], account: String)
    /// Send the server a staged file.
    case upload(RequestID, Asset, account: String)
    /// Put a file that the server has into a folder.
    case download(RequestID, Asset, in: AssetFolderID, account: String)
    /// Nobody needs the folder and what is in it any more.
    case discard(AssetFolderID)

    /// The request; nil if no answer comes.
    package var requestID: RequestID? {
        switch self {
        case .stage(let id, _, _), .askMissing(let id, _, _), .upload(let id, _, _),
            .download(let id, _, _, _):
            id
        case .discard: nil
        }
    }

    /// The account that it is done for; nil if that makes no difference.
    package var account: String? {
        switch self {
        case .askMissing(_, _, let account), .upload(_, _, let account),
            .download(_, _, _, let account):
            account
        case .stage, .discard: nil
        }
    }
}

/// What became of it.
package enum AssetAnswer: Sendable {
    /// For each file, in their order: where its copy lies and what it holds, or why there is none.
    case staged([Result<Asset, SyncError>])
    /// The files that the server lacks.
    case missing(Result<[Asset], SyncError>)
    /// The server has the file, complete and checked.
    case uploaded(SyncError?)
    /// Where the file lies, complete and checked.
    case downloaded(Result<Asset, SyncError>)
}

extension AssetEffect: CustomStringConvertible {
    /// The effect and what it is about, for transcripts in tests and logs.
    package var description: String {
        switch self {
        case .stage(let id, let files, let folder):
            "stage #\(id.number) \(files.count) files in \(folder.number)"
        case .askMissing(let id, let files, _): "askMissing #\(id.number) \(files.count) files"
        case .upload(let id, let file, _): "upload #\(id.number) \(file.byteCount ?? 0) bytes"
        case .download(let id, let file, let folder, _):
            "download #\(id.number) \(file.byteCount ?? 0) bytes to \(folder.number)"
        case .discard(let folder): "discard \(folder.number)"
        }
    }
}
