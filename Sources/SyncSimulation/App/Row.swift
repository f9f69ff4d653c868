import RecordModel

/// A row of an app's store.
///
/// A list of tags, to which each edit appends one of its own, so that the final value says which
/// edits survived and how often; and three registers that edits overwrite one by one, of which an
/// older version of the app knows only two.
struct Row: Hashable {
    /// A field that an edit overwrites; whoever saves last wins.
    struct Register: Hashable {
        var base: String?
        var value: String?
        var isDirty = false
    }

    /// The tags of the server's version, as far as the app knows it.
    var base: [String] = []
    /// The tags that the server has not confirmed.
    var unsent: [String] = []
    var registers = [Register(), Register(), Register()]
    /// What the app keeps of the server's version; nil before the first save.
    var fields: Record.SystemFields?
    var parent: Record.ID?
    /// Bytes that make the record large.
    var padding = 0
    /// True while the deletion is not confirmed.
    var isDeleted = false
    /// True for an edit that the app does not list, but sends while the untracked flag is set.
    var isUnlisted = false
    /// True for a row that this device saved and that the first fetch of its zone did not tell of.
    ///
    /// It is an echo, or went with a former life of the zone: a first fetch does not say which. So
    /// too for a row from before a sign-out.
    var isUnconfirmedEcho = false
    /// The full fetch that listed the row last.
    var stamp: UInt64?

    static let registerNames = ["r0", "r1", "r2"]

    var tags: [String] { base + unsent }

    var isDirty: Bool { !unsent.isEmpty || registers.contains(where: \.isDirty) }

    /// True if something of the row is still to be sent.
    var isToBeSent: Bool { isDirty || isDeleted }

    /// Takes the server's version; what it lacks is still to be sent.
    mutating func rebase(on record: Record, registerCount: Int) {
        base = record.tags
        unsent.removeAll(where: base.contains)
        for number in 0..<registerCount {
            let theirs: String? = record[Row.registerNames[number]]
            registers[number].base = theirs
            if registers[number].value == theirs { registers[number].isDirty = false }
            if !registers[number].isDirty { registers[number].value = theirs }
        }
        fields = record.systemFields
        parent = record.parent?.recordID
        padding = 0
        isUnconfirmedEcho = false
        if !isDirty { isUnlisted = false }
    }

    /// Keeps what the server's version lacks although it was there once: its storage is older.
    mutating func keepWhatIsMissing(in record: Record) {
        let theirs = Set(record.tags)
        unsent = base.filter { !theirs.contains($0) } + unsent
        base = []
    }

    /// Forgets the server's version: what the row holds is to be sent as a new record.
    mutating func detach(keepingBase: Bool) {
        if keepingBase {
            unsent = tags
            for number in registers.indices where registers[number].value != nil {
                registers[number].isDirty = true
            }
        } else {
            for number in registers.indices where !registers[number].isDirty {
                registers[number].value = nil
            }
        }
        for number in registers.indices { registers[number].base = nil }
        base = []
        fields = nil
    }

    /// Takes back what the server does not take.
    mutating func giveUp() {
        unsent = []
        padding = 0
        for number in registers.indices {
            registers[number].value = registers[number].base
            registers[number].isDirty = false
        }
    }

    /// The record to save, with nothing in it but what changed.
    func record(_ id: Record.ID) -> Record {
        var record =
            fields.map { Record(systemFields: $0) } ?? Record(recordType: "Note", recordID: id)
        if !unsent.isEmpty || fields == nil { record["tags"] = RecordValue.strings(tags) }
        for (name, register) in zip(Row.registerNames, registers) where register.isDirty {
            record[name] = register.value
        }
        if padding > 0 { record["padding"] = String(repeating: ".", count: padding) }
        if record.parent?.recordID != parent { record.setParent(parent) }
        return record
    }
}

extension Record {
    /// The edits that the record holds.
    var tags: [String] {
        guard case .strings(let tags)? = self["tags"] as RecordValue? else { return [] }
        return tags
    }
}
