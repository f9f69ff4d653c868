/// A record's fields, in the order of their names, with what changed since the server's version.
///
/// Sorted by name, so that every walk over them has one order on every device.
@usableFromInline package struct FieldTable: Hashable, Sendable {
    /// A field: its name, its value and how it stands towards the server.
    package struct Field: Hashable, Sendable {
        package let key: String
        /// Nil for a field that was removed and whose removal the server has not confirmed.
        package var value: RecordValue?
        package var isEncrypted: Bool
        package var isChanged: Bool

        package init(key: String, value: RecordValue?, isEncrypted: Bool, isChanged: Bool) {
            self.key = key
            self.value = value
            self.isEncrypted = isEncrypted
            self.isChanged = isChanged
        }

        func hasValue(of other: Field) -> Bool {
            guard isEncrypted == other.isEncrypted else { return false }
            guard let value, let otherValue = other.value else { return value == other.value }
            return value.hasContent(of: otherValue)
        }
    }

    /// The fields in the order of their names.
    package private(set) var entries: [Field] = []

    package init() {}

    package subscript(key: String) -> Field? {
        let position = position(of: key)
        guard position < entries.count, entries[position].key == key else { return nil }
        return entries[position]
    }

    /// True if any field links to a record.
    var hasReferences: Bool {
        for position in entries.indices {
            switch entries[position].value {
            case .reference?, .references?: return true
            case .string?, .int64?, .double?, .date?, .bytes?, .asset?, .location?, .strings?,
                .int64s?, .doubles?, .dates?, .bytesList?, .assets?, .locations?, nil:
                continue
            }
        }
        return false
    }

    /// True if any field holds an asset.
    var holdsAssets: Bool {
        for position in entries.indices {
            switch entries[position].value {
            case .asset?, .assets?: return true
            case .string?, .int64?, .double?, .date?, .bytes?, .location?, .reference?, .strings?,
                .int64s?, .doubles?, .dates?, .bytesList?, .locations?, .references?, nil:
                continue
            }
        }
        return false
    }

    /// True if setting a field to this one's value would change nothing.
    func holds(_ field: Field) -> Bool {
        let position = position(of: field.key)
        guard position < entries.count, entries[position].key == field.key else {
            return field.value == nil
        }
        return entries[position].hasValue(of: field)
    }

    /// True if it has a change that another table does not hold.
    func isAhead(of other: FieldTable) -> Bool {
        // By position: a walk over the fields would copy each.
        for position in entries.indices where entries[position].isChanged {
            // Mostly both have the same fields.
            let isAlike =
                position < other.entries.count
                && entries[position].key == other.entries[position].key
                && entries[position].isEncrypted == other.entries[position].isEncrypted
                && entries[position].value == other.entries[position].value
            guard isAlike || other.holds(entries[position]) else { return true }
        }
        return false
    }

    /// Sets a field as an app does: setting an equal value changes nothing.
    ///
    /// A file may have other bytes than before under the same path, so it counts as changed until
    /// its bytes are known; and one with the same bytes elsewhere is none.
    package mutating func set(_ key: String, to value: RecordValue?, isEncrypted: Bool) {
        let position = position(of: key)
        if position < entries.count, entries[position].key == key {
            let old = entries[position]
            let isEqual = old.value == value && old.isEncrypted == isEncrypted
            let holdsUnreadFile = value?.holdsUnreadFile == true
            guard !isEqual || holdsUnreadFile else { return }
            if let value, let before = old.value, value.hasSameFiles(as: before) {
                // Where the file lies may be new; what is known of its bytes stays.
                if !holdsUnreadFile { entries[position].value = value }
                return
            }
            entries[position].value = holdsUnreadFile ? value?.numbered(after: old.value) : value
            entries[position].isEncrypted = isEncrypted
            entries[position].isChanged = true
        } else if let value {
            let value = value.holdsUnreadFile ? value.numbered(after: nil) : value
            put(Field(key: key, value: value, isEncrypted: isEncrypted, isChanged: true))
        }
    }

    /// Puts a field in its place, over one of the same name.
    package mutating func put(_ field: Field) {
        let position = position(of: field.key)
        if position < entries.count, entries[position].key == field.key {
            entries[position] = field
        } else {
            entries.insert(field, at: position)
        }
    }

    /// Makes the present values the server's: nothing is changed any more.
    package mutating func markUnchanged() {
        entries.removeAll { $0.value == nil }
        for position in entries.indices { entries[position].isChanged = false }
    }

    private func position(of key: String) -> Int {
        // Fields mostly arrive in order, so look at the end before searching.
        guard let last = entries.last, last.key >= key else { return entries.count }
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].key < key { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
