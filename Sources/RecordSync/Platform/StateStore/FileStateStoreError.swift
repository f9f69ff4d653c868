/// Why a store of states could not be opened, or did not store something.
public enum FileStateStoreError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Another store, of this process or another one, has the folder open.
    case inUse(folder: String)
    /// A newer version of this package wrote the file; nothing was changed.
    case newerFormat(file: String, version: Int)
    /// The system refused a call.
    case callFailed(FailedCall)
    /// A failed write could not be taken back: the folder must be opened anew.
    case unusable(folder: String, reason: String)

    /// A call of the system that failed.
    public struct FailedCall: Hashable, Sendable {
        /// The call's name, such as `write`.
        public let call: String
        /// The file or folder that it was about.
        public let file: String
        /// The system's number of the error, its `errno`.
        public let code: Int32
        /// The system's words for the error.
        public let reason: String
        /// True if the disk, or the user's share of it, is full.
        public let isDiskFull: Bool
        /// True if the store goes on as if the call had not been tried; else open it anew.
        public let isStoreUsable: Bool
    }

    /// What failed, and what follows.
    public var description: String {
        switch self {
        case .inUse(let folder):
            "the state store in \(folder) is open already, here or in another process"
        case .newerFormat(let file, let version):
            "\(file) has format \(version): a newer version of the app must read it"
        case .callFailed(let failed):
            "\(failed.call) failed for \(failed.file): \(failed.reason); "
                + (failed.isStoreUsable
                    ? "what was stored before still is, and the store can be used"
                    : "the store must be opened anew")
        case .unusable(let folder, let reason):
            "the state store in \(folder) must be opened anew: \(reason)"
        }
    }
}

extension FileStateStoreError {
    init(_ failure: FileFailure, isStoreUsable: Bool) {
        self = .callFailed(
            FailedCall(
                call: failure.call,
                file: failure.path,
                code: failure.code,
                reason: failure.reason,
                isDiskFull: failure.isDiskFull,
                isStoreUsable: isStoreUsable
            )
        )
    }
}
