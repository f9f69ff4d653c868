internal import RecordModel
internal import SyncCore

extension DemoResult {
    /// Conflicts that are told one by one.
    private static let conflictCountMax = 5

    /// What happened on each device, in lines for a person.
    var account: [String] {
        devices.flatMap(account) + conflictLines + [""] + storeLines
    }

    private func account(of device: Device) -> [String] {
        let diary = device.diary
        var lines = ["", "device \(device.name)"]
        let work = [
            (diary.importedCount, "imported"), (diary.createdCount, "created"),
            (diary.editedCount, "edited offline"), (diary.removedCount, "deleted offline"),
        ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
        lines.append("  the app's work  \(work.isEmpty ? "none" : work.joined(separator: ", "))")
        lines.append(
            "  sent            \(diary.sentRecordCount) records, "
                + "\(diary.sentDeletionCount) deletions"
        )
        lines.append(
            "  fetched         \(diary.fetchedRecordCount) records, "
                + "\(diary.fetchedDeletionCount) deletions"
        )
        if !diary.conflicts.isEmpty { lines.append(conflictSum(of: device)) }
        for count in diary.relaunches {
            let pending = counted(count, "pending change")
            lines.append("  relaunched      from its stored state, with \(pending)")
        }
        let events = SyncEvent.Kind.allCases.compactMap { kind in
            diary.eventCounts[kind].map { "\(kind.rawValue) \($0)" }
        }
        lines.append("  events          \(diary.eventCount)")
        return lines + wrapped(events, margin: "                  ")
    }

    private func conflictSum(of device: Device) -> String {
        let winners = Dictionary(grouping: device.diary.conflicts, by: \.winner)
        let wins = winners.sorted { $0.key < $1.key }.map { "\($0.key) won \($0.value.count)" }
        return "  conflicts       \(device.diary.conflicts.count), merged and sent again: "
            + wins.joined(separator: ", ")
    }

    private var conflictLines: [String] {
        guard !conflicts.isEmpty else { return [] }
        let told = conflicts.prefix(Self.conflictCountMax).map { conflict in
            "  \(conflict.recordID): \(conflict.device) met an edit of \(conflict.otherDevice); "
                + "\(conflict.winner) won, its edit is the later one"
        }
        let restCount = conflicts.count - told.count
        let rest = restCount > 0 ? ["  and \(restCount) more"] : []
        return ["", "conflicts: the later edit's text stands, the notes of both are kept"] + told
            + rest
    }

    private var storeLines: [String] {
        let width = max(6, "\(server.count)".count)
        func line(_ name: String, _ image: DemoImage) -> String {
            let count = "\(image.count)"
            let blanks = String(repeating: " ", count: max(0, width - count.count))
            return "  \(padded(name, to: 8)) \(blanks)\(count) records  \(image.digest.prefix(16))"
        }
        return ["stores"] + devices.map { line($0.name, $0.image) } + [line("server", server)]
    }

    /// What is verified, in one line.
    var verdict: String {
        "verified: every device has what the server has; \(server.count) records = "
            + sum(importedCount, createdCount, deletedCount)
    }
}

extension DemoInput {
    /// What the file holds, in one line.
    func summary(of name: String) -> String {
        let zones = zoneIDs.prefix(3).map(\.description).joined(separator: ", ")
        let more = zoneIDs.count > 3 ? ", …" : ""
        return "\(name): \(records.count) records in \(zoneIDs.count) "
            + "\(zoneIDs.count == 1 ? "zone" : "zones") (\(zones)\(more)); "
            + "\(childCount) with a parent, \(earlyChildCount) of them before it"
    }
}

/// The parts with commas between them, in lines that fit a terminal.
private func wrapped(_ parts: [String], margin: String) -> [String] {
    let width = 80
    var lines: [String] = []
    for part in parts {
        if let last = lines.last, last.count + 2 + part.count <= width {
            lines[lines.count - 1] = "\(last), \(part)"
        } else {
            if !lines.isEmpty { lines[lines.count - 1] += "," }
            lines.append(margin + part)
        }
    }
    return lines
}
