internal import RecordModel

/// The fields that the demonstration's app writes, under names that the input does not use.
struct DemoFields: Hashable, Sendable {
    private let prefix: String

    /// Takes the first prefix that no field of the records has.
    init(unusedIn records: [Record]) {
        let used = Set(records.flatMap { $0.fields.entries.map(\.key) })
        var number = 1
        var prefix = "demo_"
        while used.contains(where: { $0.hasPrefix(prefix) }) {
            number += 1
            prefix = "demo\(number)_"
        }
        self.prefix = prefix
    }

    /// What the last edit says.
    var text: String { prefix + "text" }
    /// The device of the last edit.
    var editor: String { prefix + "editor" }
    /// The number of the last edit: of two edits, the one with the higher number is the later one.
    var edit: String { prefix + "edit" }
    /// A note that only one device writes.
    func note(of device: String) -> String { prefix + "note" + device }
}

/// An edit of a record on one device.
struct DemoEdit: Hashable, Sendable {
    let recordID: Record.ID
    let device: String
    /// Its place in the order of all edits.
    let number: Int

    func apply(to record: inout Record, _ fields: DemoFields) {
        record[fields.text] = "edit \(number), made on \(device)"
        record[fields.editor] = device
        record[fields.edit] = number
        record[fields.note(of: device)] = "noted on \(device)"
    }
}

/// Two edits of the same version of a record, and what became of them.
struct DemoConflict: Hashable, Sendable {
    let recordID: Record.ID
    /// The device whose save the server refused.
    let device: String
    /// The device whose save had come before.
    let otherDevice: String
    /// The device whose words stand in the record now.
    let winner: String
}

extension DemoFields {
    /// Puts an edit over the version that the server has, field by field.
    ///
    /// What only one of them changed stays changed. What both changed has the value of the later
    /// edit.
    func merge(
        _ mine: Record,
        over server: Record,
        ancestor: Record?
    ) -> (record: Record, isMineLater: Bool) {
        let isMineLater = editNumber(of: mine) > editNumber(of: server)
        if isMineLater { return (server.merging(changesOf: mine), true) }
        var merged = server
        for field in mine.fields.entries where field.isChanged {
            let isContested = server.fields[field.key]?.value != ancestor?.fields[field.key]?.value
            guard !isContested else { continue }
            merged.setField(
                field.key,
                to: field.value,
                isEncrypted: field.isEncrypted,
                isChanged: true
            )
        }
        return (merged, false)
    }

    private func editNumber(of record: Record) -> Int { record[edit] ?? 0 }
}
