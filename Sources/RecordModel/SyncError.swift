/// Why something could not be done, in CloudKit's codes.
///
/// An error says what happened to whom, and carries what is needed to mend it: the server's record
/// of a conflict, the seconds to wait, the error of each item of a partial failure.
public struct SyncError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What happened.
    public let code: Code
    /// What happened, to which item, and what mends it, in a sentence for a programmer.
    public let message: String
    /// The seconds the server asks to wait before the next try; nil where it asks for none.
    public let retryAfterSeconds: Double?
    private let detail: Detail?

    private indirect enum Detail: Hashable, Sendable {
        case conflict(client: Record?, server: Record?, ancestor: Record?)
        case partial([ItemID: SyncError])
        case encryptedDataReset
    }

    /// What an error of a partial failure is about.
    public enum ItemID: Hashable, Sendable, CustomStringConvertible {
        /// A record.
        case record(Record.ID)
        /// A zone.
        case zone(RecordZone.ID)

        /// The item's name, for a log.
        public var description: String {
            switch self {
            case .record(let id): "record \(id)"
            case .zone(let id): "zone \(id)"
            }
        }
    }

    private init(_ code: Code, _ message: String, _ retryAfterSeconds: Double?, _ detail: Detail?) {
        self.code = code
        self.message = message
        self.retryAfterSeconds = retryAfterSeconds
        self.detail = detail
    }

    /// Makes an error of a code.
    public init(_ code: Code, _ message: String = "", retryAfterSeconds: Double? = nil) {
        self.init(code, message, retryAfterSeconds, nil)
    }

    /// Makes the answer to a save that was not built on the server's version.
    public static func serverRecordChanged(
        client: Record?,
        server: Record?,
        ancestor: Record?,
        _ message: String = ""
    ) -> SyncError {
        let detail = Detail.conflict(client: client, server: server, ancestor: ancestor)
        return SyncError(.serverRecordChanged, message, nil, detail)
    }

    /// Makes the error of a call some of whose items failed.
    public static func partialFailure(
        _ errors: [ItemID: SyncError],
        _ message: String = ""
    ) -> SyncError {
        SyncError(.partialFailure, message, nil, .partial(errors))
    }

    /// Makes the answer of a zone that is gone because the user's encrypted data was reset.
    public static func zoneNotFoundAfterEncryptedDataReset(_ message: String = "") -> SyncError {
        SyncError(.zoneNotFound, message, nil, .encryptedDataReset)
    }

    /// The error of each item, of a `partialFailure`; else nil.
    public var partialErrorsByItemID: [ItemID: SyncError]? {
        guard case .partial(let errors) = detail else { return nil }
        return errors
    }

    /// The record as it was sent, of a `serverRecordChanged`.
    public var clientRecord: Record? {
        guard case .conflict(let client, _, _) = detail else { return nil }
        return client
    }

    /// The record as the server has it, of a `serverRecordChanged`: merge into this and save it.
    public var serverRecord: Record? {
        guard case .conflict(_, let server, _) = detail else { return nil }
        return server
    }

    /// The version the client built on, of a `serverRecordChanged`, if the server still knows it.
    public var ancestorRecord: Record? {
        guard case .conflict(_, _, let ancestor) = detail else { return nil }
        return ancestor
    }

    /// True for a `zoneNotFound` whose zone went when the user reset the encrypted data.
    public var isAfterEncryptedDataReset: Bool { detail == .encryptedDataReset }

    /// The code, what happened and the seconds to wait; never a field of a record.
    public var description: String {
        var text = "\(code)"
        if !message.isEmpty { text += ": \(message)" }
        if let seconds = retryAfterSeconds { text += " (retry after \(seconds) s)" }
        return text
    }

    /// The same conflict, with the record that this client sent.
    package func with(clientRecord: Record) -> SyncError {
        guard case .conflict(_, let server, let ancestor) = detail else { return self }
        let detail = Detail.conflict(client: clientRecord, server: server, ancestor: ancestor)
        return SyncError(code, message, retryAfterSeconds, detail)
    }
}
