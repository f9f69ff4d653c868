/// A namespace for what belongs to a database.
public enum Database {
    /// Which of an account's databases.
    public enum Scope: Int, Hashable, Sendable, Codable, CustomStringConvertible {
        /// Everybody's; it has no change feed and cannot be synced.
        case `public` = 1
        /// The account's own.
        case `private` = 2
        /// What others share with the account.
        case shared = 3

        /// The scope's name.
        public var description: String {
            switch self {
            case .public: "public"
            case .private: "private"
            case .shared: "shared"
            }
        }
    }

    /// A namespace for changes of zones.
    public enum DatabaseChange {
        /// A zone that is new or has changed records.
        public struct Modification: Hashable, Sendable {
            /// The zone.
            public let zoneID: RecordZone.ID

            /// Makes a modification.
            public init(zoneID: RecordZone.ID) { self.zoneID = zoneID }
        }

        /// A zone that is gone.
        public struct Deletion: Hashable, Sendable {
            /// The zone.
            public let zoneID: RecordZone.ID
            /// Why it is gone.
            public let reason: Reason

            /// Makes a deletion.
            public init(zoneID: RecordZone.ID, reason: Reason) {
                self.zoneID = zoneID
                self.reason = reason
            }

            /// Why a zone is gone.
            public enum Reason: Int, Hashable, Sendable, Codable {
                /// An app deleted it.
                case deleted = 0
                /// The user removed the app's data: wipe it here too, do not send it again.
                case purged = 1
                /// The user reset the encrypted data: what is here may be the last copy.
                case encryptedDataReset = 2
            }
        }
    }

    /// A namespace for changes of records.
    public enum RecordZoneChange {
        /// A record that is new or changed.
        public struct Modification: Hashable, Sendable {
            /// The record as the server has it, with all its fields.
            public let record: Record
            /// The send that made this version, where the server knows it.
            public let origin: IdempotencyKey?

            /// Makes a modification.
            public init(record: Record, origin: IdempotencyKey? = nil) {
                self.record = record
                self.origin = origin
            }
        }

        /// A record that is gone.
        public struct Deletion: Hashable, Sendable {
            /// The record.
            public let recordID: Record.ID
            /// What it was.
            public let recordType: Record.RecordType
            /// The send that deleted it, where the server knows it.
            public let origin: IdempotencyKey?

            /// Makes a deletion.
            public init(
                recordID: Record.ID,
                recordType: Record.RecordType,
                origin: IdempotencyKey? = nil
            ) {
                self.recordID = recordID
                self.recordType = recordType
                self.origin = origin
            }
        }
    }
}
