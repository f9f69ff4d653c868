extension Record {
    /// The value of a plain field, in whatever type it holds; nil removes the field.
    ///
    /// Read the type you expect instead: `let text: String? = record["text"]`.
    public subscript(key: FieldKey) -> RecordValue? {
        get { value(key, isEncrypted: false) }
        set { contents[0].fields.set(key, to: newValue, isEncrypted: false) }
    }

    /// The value of a plain field as a Swift type; nil where it is missing or of another type.
    ///
    /// Setting a value that the record already holds changes nothing; nil removes the field.
    public subscript<Value: RecordValueConvertible>(key: FieldKey) -> Value? {
        get { value(key, isEncrypted: false).flatMap(Value.init(recordValue:)) }
        set { contents[0].fields.set(key, to: newValue?.recordValue, isEncrypted: false) }
    }

    /// The fields that the app wants encrypted.
    ///
    /// They are flagged all the way and kept out of every log. Whether they are encrypted at rest
    /// is the server's matter; the servers of this package do not do it.
    public var encryptedValues: EncryptedValues {
        get { EncryptedValues(fields: fields) }
        set { contents[0].fields = newValue.fields }
    }

    /// The names of all fields that hold a value, plain and encrypted, sorted.
    public func allKeys() -> [FieldKey] {
        fields.entries.filter { $0.value != nil }.map(\.key)
    }

    /// The names of the fields set or removed since the server's version, sorted.
    ///
    /// A save sends these; every other field stays on the server as it is.
    public func changedKeys() -> [FieldKey] {
        fields.entries.filter(\.isChanged).map(\.key)
    }

    /// Takes the server's version, and puts this record's unsent changes over it.
    ///
    /// The usual way to take a version that was fetched, saved, or sent back with a conflict. The
    /// record then carries its tag. Changed keys keep their values here, all others are the
    /// server's; a key whose value the server has already is no change any more.
    public mutating func rebase(on server: Record) { self = rebased(on: server) }

    /// This record's unsent changes over the server's latest version, where nil says that it was
    /// deleted there.
    ///
    /// An edit wins over the deletion: the record is a new one then. Without unsent changes nothing
    /// is left of it, and the result is nil.
    public func rebased(onLatest server: Record?) -> Record? {
        if let server { return rebased(on: server) }
        return changedKeys().isEmpty && !isParentChanged ? nil : asNew()
    }

    /// The record as one that no server has seen: without a change tag, with every key to be sent.
    ///
    /// What to save after `unknownItem`, if the edit is to win over the deletion.
    public func asNew() -> Record {
        var record = Record(recordType: recordType, recordID: recordID)
        for field in fields.entries where field.value != nil {
            record.contents[0].fields.set(
                field.key,
                to: field.value,
                isEncrypted: field.isEncrypted
            )
        }
        if let parent { record.parent = parent }
        return record
    }

    /// The record as `rebase(on:)` would make it.
    public func rebased(on server: Record) -> Record {
        // Mostly the server's version holds what was sent, and is handed on as it came.
        guard contents[0].fields.isAhead(of: server.contents[0].fields) || isParentChanged else {
            return server
        }
        var record = server
        for field in contents[0].fields.entries where field.isChanged {
            record.contents[0].fields.set(
                field.key,
                to: field.value,
                isEncrypted: field.isEncrypted
            )
        }
        if isParentChanged { record.parent = parent }
        return record
    }

    private func value(_ key: FieldKey, isEncrypted: Bool) -> RecordValue? {
        guard let field = fields[key], field.isEncrypted == isEncrypted else { return nil }
        return field.value
    }

    /// The encrypted fields of a record, by name.
    public struct EncryptedValues: Sendable {
        fileprivate var fields: FieldTable

        /// The value of an encrypted field, in whatever type it holds; nil removes the field.
        public subscript(key: FieldKey) -> RecordValue? {
            get {
                guard let field = fields[key], field.isEncrypted else { return nil }
                return field.value
            }
            set { fields.set(key, to: newValue, isEncrypted: true) }
        }

        /// The value of an encrypted field as a Swift type.
        public subscript<Value: RecordValueConvertible>(key: FieldKey) -> Value? {
            get { (self[key] as RecordValue?).flatMap(Value.init(recordValue:)) }
            set { fields.set(key, to: newValue?.recordValue, isEncrypted: true) }
        }

        /// The names of the encrypted fields that hold a value, sorted.
        public func allKeys() -> [FieldKey] {
            fields.entries.filter { $0.isEncrypted && $0.value != nil }.map(\.key)
        }

        /// The names of the encrypted fields changed since the server's version, sorted.
        public func changedKeys() -> [FieldKey] {
            fields.entries.filter { $0.isEncrypted && $0.isChanged }.map(\.key)
        }
    }
}

extension Record {
    /// The links of the record: its parent first, then those of its fields by name.
    package var references: [Reference] {
        (parent.map { [$0] } ?? []) + fields.entries.flatMap { $0.value?.references ?? [] }
    }

    /// True if the record links to any other; cheaper than asking for the links.
    package var hasReferences: Bool {
        if contents[0].parent != nil { return true }
        return contents[0].fields.hasReferences
    }

    /// A field as it came from a server or a file.
    package mutating func setField(
        _ key: FieldKey,
        to value: RecordValue?,
        isEncrypted: Bool,
        isChanged: Bool
    ) {
        contents[0].fields.put(
            .init(key: key, value: value, isEncrypted: isEncrypted, isChanged: isChanged)
        )
    }

    /// The version that a server stored: its tag and stamps, with nothing left to send.
    package func stored(
        changeTag: String,
        creation: Stamp,
        modification: Stamp
    ) -> Record {
        var contents = contents[0]
        contents.recordChangeTag = changeTag
        contents.creation = creation
        contents.modification = modification
        contents.fields.markUnchanged()
        contents.isParentChanged = false
        return Record(contents: contents)
    }

    /// The stored record with the changed keys and the parent of a save put over it.
    ///
    /// Keys that the save does not name stay as they are (invariant I7).
    package func merging(changesOf save: Record) -> Record {
        var record = self
        for field in save.fields.entries where field.isChanged {
            record.contents[0].fields.put(field)
        }
        if save.isParentChanged { record.parent = save.parent }
        return record
    }

    /// The record with only the named fields, or with all for nil.
    package func keeping(_ desiredKeys: [FieldKey]?) -> Record {
        guard let desiredKeys else { return self }
        var kept = FieldTable()
        for field in fields.entries where desiredKeys.contains(field.key) { kept.put(field) }
        var record = self
        record.contents[0].fields = kept
        return record
    }
}

extension Record? {
    /// Takes the server's latest version, where nil says that it was deleted there.
    ///
    /// Unsent changes stay on top, and win over a deletion: see `Record.rebased(onLatest:)`. In a
    /// dictionary, `records[id].rebase(onLatest: server)` looks the record up once.
    public mutating func rebase(onLatest server: Record?) {
        guard let mine = self else { return self = server }
        self = mine.rebased(onLatest: server)
    }
}
