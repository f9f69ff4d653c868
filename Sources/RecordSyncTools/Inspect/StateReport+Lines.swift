extension StateReport {
    /// The report for a person; `isVerbose` names records too.
    func lines(isVerbose: Bool) -> [String] {
        let pending = pendingRecordChanges.reduce(0) { $0 + $1.count }
        return [
            line("format", "\(formatVersion), \(counted(byteCount, "byte"))"),
            line("database", database ?? "none yet"),
            line("account", account.words),
            line("database token", databaseToken?.words ?? "none"),
            line("zones", zones.isEmpty ? "none" : "\(zones.count)"),
        ]
            + zones.map { "  \($0.zone): \($0.words)" }
            + [line("pending records", pending == 0 ? "none" : "\(pending)")]
            + pendingRecordChanges.flatMap { $0.lines(isVerbose: isVerbose) }
            + [line("pending zones", pendingZoneChanges.isEmpty ? "none" : "")]
            + pendingZoneChanges.map { "  \($0.kind) \($0.zone)" }
            + [line("open sends", openSends.isEmpty ? "none" : "\(openSends.count)")]
            + openSends.flatMap { $0.lines(isVerbose: isVerbose) }
            + [
                line("retry delay", retryDelay?.words ?? "none"),
                line("untracked", hasPendingUntrackedChanges ? "yes" : "no"),
                line("recent saves", "\(recentSaveCount)"),
                line("writers", writers.isEmpty ? "none" : "\(writers.count)"),
            ]
            + writers.map { "  \($0.words)" }
    }

    private func line(_ name: String, _ value: String) -> String {
        value.isEmpty ? name : "\(padded(name, to: 16)) \(value)"
    }
}

extension StateReport.Account {
    var words: String {
        guard let userRecordName else { return "none yet" }
        return status == "signedOut" ? "\(userRecordName), signed out" : userRecordName
    }
}

extension StateReport.Token {
    var words: String { "\(digest) (\(counted(byteCount, "byte")))" }
}

extension StateReport.Zone {
    var words: String {
        let parts = [
            token.map { "token \($0.words)" } ?? "no token",
            hasUnfetchedChanges ? "unfetched changes" : nil,
            hasOwnRecords ? "own records" : nil,
            fullFetch.map { "full fetch \($0.id) (\($0.reason)) under way" },
        ]
        return parts.compactMap { $0 }.joined(separator: ", ")
    }
}

extension StateReport.PendingChanges {
    var count: Int {
        saves + deletions + parkedSaves + parkedDeletions + quarantinedSaves
            + quarantinedDeletions
    }

    var words: String {
        let parts = [
            saves > 0 ? counted(saves, "save") : nil,
            deletions > 0 ? counted(deletions, "deletion") : nil,
            parkedSaves > 0 ? "\(counted(parkedSaves, "save")) parked" : nil,
            parkedDeletions > 0 ? "\(counted(parkedDeletions, "deletion")) parked" : nil,
            quarantinedSaves > 0 ? "\(counted(quarantinedSaves, "save")) quarantined" : nil,
            quarantinedDeletions > 0
                ? "\(counted(quarantinedDeletions, "deletion")) quarantined" : nil,
        ]
        return parts.compactMap { $0 }.joined(separator: ", ")
    }

    func lines(isVerbose: Bool) -> [String] {
        ["  \(zone): \(words)"] + (isVerbose ? named(first, outOf: count) : [])
    }
}

extension StateReport.OpenSend {
    var words: String {
        let parts = [
            saves > 0 ? counted(saves, "save") : nil,
            deletions > 0 ? counted(deletions, "deletion") : nil,
        ]
        let rest = withdrawn > 0 ? ", \(withdrawn) withdrawn" : ""
        return parts.compactMap { $0 }.joined(separator: ", ") + " in flight" + rest
    }

    func lines(isVerbose: Bool) -> [String] {
        ["  \(key): \(words)"] + (isVerbose ? named(first, outOf: saves + deletions) : [])
    }
}

extension StateReport.RetryDelay {
    var words: String { "until \(until), \(seconds) s long" }
}

extension StateReport.Writer {
    var words: String { "\(writer): entries up to \(highestNumber)" }
}

private func named(_ first: [String], outOf count: Int) -> [String] {
    let more = count > first.count ? ["    and \(count - first.count) more"] : []
    return first.map { "    \($0)" } + more
}
