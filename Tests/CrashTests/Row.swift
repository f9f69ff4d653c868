import RecordModel

/// A row of an app's store: a list of tags, to which each edit appends one of its own.
///
/// The final value of a record therefore says which edits survived, and how often.
struct Row: Hashable {
    /// The tags of the server's version, as far as the app knows it.
    var base: [String] = []
    /// The tags that the server has not confirmed.
    var unsent: [String] = []
    /// What the app keeps of the server's version; nil before the first save.
    var fields: Record.SystemFields?
    var parent: Record.ID?
    /// True while the deletion is not confirmed.
    var isDeleted = false
    /// True for an edit that the app does not list, but sends while the untracked flag is set.
    var isUnlisted = false
    /// The full fetch that listed the row last.
    var stamp: UInt64?

    var tags: [String] { base + unsent }

    /// Takes the server's version; what it lacks is still to be sent.
    mutating func rebase(on record: Record) {
        base = record.tags
        unsent.removeAll(where: base.contains)
        fields = record.systemFields
        parent = record.parent?.recordID
    }

    /// Forgets the server's version: what the row holds is to be sent as a new record.
    mutating func detach(keepingBase: Bool) {
        if keepingBase { unsent = tags }
        base = []
        fields = nil
    }

    /// The record to save.
    func record(_ id: Record.ID) -> Record {
        var record =
            fields.map { Record(systemFields: $0) } ?? Record(recordType: "Note", recordID: id)
        record["tags"] = RecordValue.strings(tags)
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
