internal import RecordModel
internal import SyncCore

/// What is not the same in two states of an engine.
struct StateDifference: Sendable, Encodable {
    /// One thing that changed.
    struct Change: Hashable, Sendable, Encodable {
        /// What kind of thing it is.
        let part: String
        /// Which of its kind; empty where there is one only.
        let name: String
        /// Nil for what is new.
        let before: String?
        /// Nil for what is gone.
        let after: String?
    }

    /// True if the states are the same, byte by byte.
    let isEqual: Bool
    /// In the order of the parts.
    let changes: [Change]

    init(from old: StoredState, to new: StoredState) {
        isEqual = old.bytes == new.bytes
        changes = isEqual ? [] : Self.changes(from: facts(of: old), to: facts(of: new))
    }

    private static func changes(from old: Facts, to new: Facts) -> [Change] {
        let gone = old.keys.filter { new[$0] == nil }
        return (gone + new.keys).compactMap { key in
            guard old[key] != new[key] else { return nil }
            return Change(
                part: key.part.rawValue,
                name: key.name,
                before: old[key],
                after: new[key]
            )
        }.enumerated().sorted { left, right in
            let places = (place(of: left.element), place(of: right.element))
            return places.0 == places.1 ? left.offset < right.offset : places.0 < places.1
        }.map(\.element)
    }

    private static func place(of change: Change) -> Int {
        FactKey.Part.allCases.firstIndex { $0.rawValue == change.part } ?? 0
    }
}

/// What a state says, each thing under its name.
private typealias Facts = OrderedTable<FactKey, String>

private struct FactKey: Hashable, Sendable {
    enum Part: String, CaseIterable, Sendable {
        case database
        case account
        case databaseToken = "database token"
        case zone
        case pendingChange = "pending change"
        case pendingZoneChanges = "pending changes of zone"
        case openSend = "open send"
        case retryDelay = "retry delay"
        case untrackedChanges = "untracked changes"
        case recentSaves = "recent saves"
        case writer
    }

    let part: Part
    var name = ""
}

private func facts(of stored: StoredState) -> Facts {
    let report = StateReport(stored)
    var facts = Facts()
    facts[FactKey(part: .database)] = report.database
    facts[FactKey(part: .account)] = report.account.words
    facts[FactKey(part: .databaseToken)] = report.databaseToken?.words
    for zone in report.zones { facts[FactKey(part: .zone, name: zone.zone)] = zone.words }
    for (change, slot) in stored.state.records.slots.all() {
        let key = FactKey(part: .pendingChange, name: "\(change.recordID)")
        facts[key] = slot.status.words
    }
    for change in report.pendingZoneChanges {
        let key = FactKey(part: .pendingZoneChanges, name: change.zone)
        facts[key] = [facts[key], change.kind].compactMap { $0 }.joined(separator: ", then ")
    }
    for send in report.openSends { facts[FactKey(part: .openSend, name: send.key)] = send.words }
    facts[FactKey(part: .retryDelay)] = report.retryDelay?.words
    facts[FactKey(part: .untrackedChanges)] = report.hasPendingUntrackedChanges ? "yes" : "no"
    facts[FactKey(part: .recentSaves)] = "\(report.recentSaveCount)"
    for writer in report.writers {
        let words = "entries up to \(writer.highestNumber)"
        facts[FactKey(part: .writer, name: writer.writer)] = words
    }
    return facts
}

extension StateDifference {
    private static let shownCountMax = 20

    /// The difference for a person; `isVerbose` shows every change.
    func lines(isVerbose: Bool) -> [String] {
        if isEqual { return ["no difference"] }
        guard !changes.isEmpty else {
            return ["no difference, but in the order or the numbering of what is pending"]
        }
        let shown = isVerbose ? changes[...] : changes.prefix(Self.shownCountMax)
        let rest = changes.count - shown.count
        return shown.map(\.line) + (rest > 0 ? ["and \(counted(rest, "more difference"))"] : [])
    }
}

extension StateDifference.Change {
    var line: String {
        let subject = name.isEmpty ? part : "\(part) \(name)"
        switch (before, after) {
        case (nil, let after?): return "+ \(subject): \(after)"
        case (let before?, nil): return "- \(subject): \(before)"
        case (let before, let after): return "~ \(subject): \(before ?? "") → \(after ?? "")"
        }
    }
}
