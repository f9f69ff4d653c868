import RecordModel

extension Schedule: CustomStringConvertible {
    /// What the engine does next, when, and why it waits, in plain English; several lines.
    public func explain() -> String {
        guard isAutomatic else {
            let lines = ["The engine acts on calls only."] + delegateLines + left
            return lines.joined(separator: "\n")
        }
        var lines = explain(send, "Sends", rest: "nothing to send.")
        lines += explain(fetch, "Fetches", rest: "nothing to fetch" + pollWords)
        lines += delegateLines + left
        lines.append("Notifications: \(pushChannel.words)\(pollRestriction).")
        lines.append("Conditions: \(conditions).")
        if !conditions.unknownNames.isEmpty {
            let names = conditions.unknownNames.joined(separator: ", ")
            lines.append("Not known, and counted as good: \(names).")
        }
        return lines.joined(separator: "\n")
    }

    /// The same as `explain()`.
    public var description: String { explain() }

    private func explain(_ lane: Lane, _ name: String, rest: String) -> [String] {
        var lines: [String] = []
        switch lane.standing {
        case .idle: lines.append("\(name): \(rest)")
        case .due: lines.append("\(name): now.")
        case .running(let since):
            lines.append("\(name): under way for \(length(since, now.wall)).")
        case .waiting:
            let next = lane.due.map { length(now.wall, $0.wall) } ?? "a while"
            lines.append("\(name): waiting, next in \(next).")
        }
        for blocker in lane.blockers {
            lines.append("  - " + explain(blocker))
        }
        if let error = lane.lastError, lane.attempts > 0 {
            lines.append("  last error, of \(lane.attempts) in a row: \(error)")
        }
        return lines
    }

    private func explain(_ blocker: Blocker) -> String {
        "\(blocker.reason.words), for \(length(blocker.since, now.wall)) so far, "
            + "at most \(length(now.wall, blocker.until)) more"
    }

    private var pollWords: String {
        fetch.due.map { "; looks again in \(length(now.wall, $0.wall))." } ?? "."
    }

    /// Fetches are said to come more often, and yet something may hold them back.
    private var pollRestriction: String {
        pushChannel == .working || fetch.blockers.isEmpty ? "" : " once nothing holds them back"
    }

    private var delegateLines: [String] {
        guard let delegate else { return [] }
        let wait = length(delegate.since, now.wall)
        return [
            delegate.isLong
                ? "Delegate: it has not returned for \(wait), and nothing goes on before it does."
                : "Delegate: at work for \(wait)."
        ]
    }

    /// What is left, zone by zone.
    private var left: [String] {
        zones.map { zone in
            let parts = [
                (zone.remaining.pending, "pending"), (zone.remaining.inFlight, "in flight"),
                (zone.remaining.outcomeUnknown, "sent without an answer"),
                (zone.remaining.parked, "parked (the storage was full) until the app resumes them"),
                (zone.remaining.quarantined, "quarantined until the app resumes them"),
            ]
            let words = parts.filter { $0.0.total > 0 }.map { "\($0.0.words) \($0.1)" }
            let blockers = [(zone.sendBlocker, "sends"), (zone.fetchBlocker, "fetches")]
            let waits = blockers.compactMap { blocker, name in
                blocker.map { "\(name) wait: \(explain($0))" }
            }
            return "Zone \(zone.zoneID.zoneName): "
                + (words + waits).joined(separator: ", ") + "."
        }
    }

    private func length(_ from: Timestamp, _ to: Timestamp) -> String {
        timeWords(to.millisecondsSince1970 - from.millisecondsSince1970)
    }
}

/// A length of time as a person says it.
private func timeWords(_ milliseconds: Int64) -> String {
    let milliseconds = max(milliseconds, 0)
    if milliseconds < 1000 { return "\(milliseconds) ms" }
    let seconds = milliseconds / 1000
    if seconds < 120 { return "\(seconds) s" }
    if seconds < 2 * 60 * 60 { return two(seconds / 60, "min", seconds % 60, "s") }
    return two(seconds / 3600, "h", seconds / 60 % 60, "min")
}

private func two(_ large: Int64, _ unit: String, _ small: Int64, _ smallUnit: String) -> String {
    small == 0 ? "\(large) \(unit)" : "\(large) \(unit) \(small) \(smallUnit)"
}

extension ChangeCounts {
    /// Those that there are, in words.
    fileprivate var words: String {
        let parts = [
            (recordSaves, "save", ""), (recordDeletions, "deletion", ""),
            (zoneSaves, "save", " of the zone"), (zoneDeletions, "deletion", " of the zone"),
        ]
        return parts.filter { $0.0 > 0 }
            .map { "\($0.0) \($0.1)\($0.0 == 1 ? "" : "s")\($0.2)" }
            .joined(separator: " and ")
    }
}

extension PushChannel {
    fileprivate var words: String {
        switch self {
        case .working: "they arrive"
        case .silent: "none arrived yet, or one was missed, so fetches come more often"
        case .closed: "their stream ended, so fetches come more often"
        }
    }
}

extension Schedule.Reason {
    /// The reason in words that stand in `Docs/Scheduling.md` too.
    package var words: String {
        switch self {
        case .account(let error): "no account can be used" + (error.map { " (\($0.code))" } ?? "")
        case .serverAskedToWait: "the server asked to be left alone"
        case .databaseBackoff(let attempts, let error):
            "the server refused\(times(attempts))\(words(error))"
        case .backoff(let attempts, let error): "it failed\(times(attempts))\(words(error))"
        case .zoneBackoff(let attempts, let error):
            "all that is left is of zones that failed\(times(attempts))\(words(error))"
        case .pacing: "requests go out more slowly, because the server throttled them"
        case .networkUnavailable: "there is no network"
        case .networkMetered: "the network is to be used little, or costs money"
        case .lowPowerMode: "the device saves power"
        case .batteryLow(let percent): "the battery is at \(percent) % and not charging"
        case .loadHeavy: "the device is busy"
        case .launchOrder: "a step of the launch comes first"
        case .cancelled: "the app cancelled everything; an edit, a notification or a call ends that"
        case .flushEnded: "a flush ended just now"
        case .coalescing: "more of the same is gathered into one pass"
        case .assets: "what is left carries assets, and waits for a network that costs nothing"
        case .nothingMoved: "the last pass moved nothing; an edit ends that"
        }
    }

    private func times(_ attempts: Int) -> String {
        attempts == 1 ? " once" : " \(attempts) times in a row"
    }

    private func words(_ error: SyncError?) -> String { error.map { " (\($0.code))" } ?? "" }
}
