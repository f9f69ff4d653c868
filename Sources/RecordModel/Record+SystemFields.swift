extension Record {
    /// Everything of a record but its fields: what an app stores to save over the same version.
    public var systemFields: SystemFields {
        get {
            SystemFields(
                recordType: recordType,
                recordID: recordID,
                recordChangeTag: recordChangeTag,
                creation: creation,
                modification: modification,
                parent: parent
            )
        }
    }

    /// Makes a record without fields that stands for the server's version.
    ///
    /// Set its fields and save it: the usual way to send a change of a row of the app's store.
    public init(systemFields: SystemFields) {
        self.init(recordType: systemFields.recordType, recordID: systemFields.recordID)
        contents[0].recordChangeTag = systemFields.recordChangeTag
        contents[0].creation = systemFields.creation
        contents[0].modification = systemFields.modification
        contents[0].parent = systemFields.parent
    }

    /// The identity, version, stamps and parent of a record.
    ///
    /// `Codable`, so that an app stores it in a column of its own beside the row.
    public struct SystemFields: Hashable, Sendable, Codable {
        /// What the record is.
        public let recordType: RecordType
        /// The record's name and zone.
        public let recordID: ID
        /// The server's stamp of this version.
        public let recordChangeTag: String?
        /// When and by whom it was created.
        public let creation: Stamp?
        /// When and by whom it was last saved.
        public let modification: Stamp?
        /// The record above this one.
        public let parent: Reference?

        /// Makes system fields, such as a test needs.
        public init(
            recordType: RecordType,
            recordID: ID,
            recordChangeTag: String? = nil,
            creation: Stamp? = nil,
            modification: Stamp? = nil,
            parent: Reference? = nil
        ) {
            self.recordType = recordType
            self.recordID = recordID
            self.recordChangeTag = recordChangeTag
            self.creation = creation
            self.modification = modification
            self.parent = parent
        }
    }
}
