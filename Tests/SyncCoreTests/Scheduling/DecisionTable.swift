import Foundation
import RecordModel
import SyncCore

/// A row of `decisions.txt`: what the scheduler is told, and what it must say.
struct DecisionRow: CustomStringConvertible, Sendable {
    let line: Int
    let text: String
    let conditions: Conditions
    let situation: Situation
    /// What it must say of sends and of fetches.
    let send: String
    let fetch: String

    /// The instant of every decision.
    static let now = EngineInstant(
        monotonic: .seconds(1_000_000),
        wall: Timestamp(millisecondsSince1970: 1_800_000_000_000)
    )

    var description: String { "line \(line): \(text)" }

    /// What the scheduler says, in the words of the table.
    func decision(_ comparisons: Comparisons = .sound) -> (send: String, fetch: String) {
        let schedule = Scheduler.decide(
            situation,
            conditions,
            SchedulingPolicy(),
            at: Self.now,
            comparisons: comparisons
        )
        let isMixed = situation.send.urgency != nil
        return (
            schedule.send.cell(since: Self.now, showsFloor: isMixed),
            schedule.fetch.cell(since: Self.now, showsFloor: false)
        )
    }

    func holds(_ comparisons: Comparisons = .sound) -> Bool {
        let decision = decision(comparisons)
        return decision.send == send && decision.fetch == fetch
    }
}

/// What a row of the table cannot be read for.
struct DecisionTableError: Error, CustomStringConvertible {
    let description: String
}

/// The rows of `decisions.txt`.
func readDecisionTable() throws -> [DecisionRow] {
    let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appending(path: "decisions.txt")
    let text = try String(contentsOf: path, encoding: .utf8)
    return try text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
        .filter { !$0.element.isEmpty && !$0.element.hasPrefix("#") }
        .map { try DecisionRow(String($0.element), line: $0.offset + 1) }
}

extension DecisionRow {
    init(_ text: String, line: Int) throws {
        let cells = text.split(separator: "|", omittingEmptySubsequences: false).map { cell in
            cell.split(separator: " ").map(String.init)
        }
        guard cells.count == 5, let name = cells[1].first else {
            throw DecisionTableError(description: "line \(line) has \(cells.count) cells")
        }
        var reader = RowReader(line: line)
        for word in cells[0] { try reader.readCondition(word) }
        try reader.readPriority(name)
        for word in cells[2] { try reader.readWork(word) }
        self.line = line
        self.text = text
        conditions = reader.conditions
        situation = reader.situation
        send = cells[3].joined(separator: " ")
        fetch = cells[4].joined(separator: " ")
    }
}

/// Takes the words of a row into the scheduler's arguments.
private struct RowReader {
    let line: Int
    var conditions = Conditions(
        network: .available,
        isLowPowerMode: false,
        batteryPercent: 80,
        isCharging: false,
        load: 0.1,
        isForeground: true
    )
    var situation = Situation(since: DecisionRow.now.advanced(by: .seconds(-60)))

    init(line: Int) { self.line = line }

    private func fault(_ word: String) -> DecisionTableError {
        DecisionTableError(description: "line \(line): \(word) says nothing")
    }

    private func split(_ word: String) -> (key: String, value: String) {
        let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
        return (parts[0], parts.count > 1 ? parts[1] : "")
    }

    private func number(_ value: some StringProtocol) throws -> Double {
        guard let number = Double(value) else { throw fault(String(value)) }
        return number
    }

    private func instant(_ value: some StringProtocol) throws -> EngineInstant {
        DecisionRow.now.advanced(by: .milliseconds(Int64((try number(value) * 1000).rounded())))
    }

    mutating func readCondition(_ word: String) throws {
        let (key, value) = split(word)
        switch key {
        case "good": return
        case "unknown": conditions = .unknown
        case "low": conditions.isLowPowerMode = true
        case "charging": conditions.isCharging = true
        case "plug": conditions.isCharging = nil
        case "behind": conditions.isForeground = false
        case "front": conditions.isForeground = nil
        case "load": conditions.load = try number(value)
        case "bat": conditions.batteryPercent = value == "unknown" ? nil : Int(try number(value))
        case "since":
            situation.conditionsSince = .init(try instant(value))
        case "net":
            guard let network = Conditions.Network(rawValue: value) else { throw fault(word) }
            conditions.network = network
        case _: throw fault(word)
        }
    }

    mutating func readPriority(_ word: String) throws {
        situation.priority = try priority(word)
    }

    private func priority(_ word: String) throws -> SyncPriority {
        guard let priority = SyncPriority.allCases.first(where: { $0.word == word }) else {
            throw fault(word)
        }
        return priority
    }

    mutating func readWork(_ word: String) throws {
        let (key, value) = split(word)
        switch key {
        case "work": situation.send.hasWork = true
        case "urgent":
            situation.send.hasWork = true
            situation.send.urgency = try priority(value)
        case "raised":
            let raised = try priority(value)
            situation.send.trigger?.raised = raised
        case "more": situation.fetch.hasWork = true
        case "edit", "edits": try trigger(\.send, value)
        case "hint", "hints": try trigger(\.fetch, value)
        case "assets": situation.send.holdsAssetsOnly = true
        case "sendretry": situation.send.mustRetry = true
        case "fetchretry": situation.fetch.mustRetry = true
        case "editpass": try pass(\.send, value, isTriggered: true)
        case "sendpass": try pass(\.send, value, isTriggered: false)
        case "partpass": situation.send.lastPass = try instant(value)
        case "hintpass": try pass(\.fetch, value, isTriggered: true)
        case "fetchpass": try pass(\.fetch, value, isTriggered: false)
        case "sending": situation.send.runningSince = try instant(value)
        case "fetching": situation.fetch.runningSince = try instant(value)
        case "sendfail": situation.send.failure = try delay(value)
        case "fetchfail": situation.fetch.failure = try delay(value)
        case "idle": situation.send.idle = try delay(value)
        case "flush": situation.send.flush = try delay(value)
        case "sendzone": situation.send.zoneRetry = try delay(value)
        case "fetchzone": situation.fetch.zoneRetry = try delay(value)
        case _: try readDatabase(word, key, value)
        }
    }

    private mutating func readDatabase(_ word: String, _ key: String, _ value: String) throws {
        switch key {
        case "account": situation.account = try delay(value)
        case "server": situation.retryAfter = try delay(value)
        case "database": situation.database = try delay(value)
        case "pacing": situation.pacing = try delay(value)
        case "cancel": situation.cancellation = try delay(value)
        case "zones", "fetch":
            situation.launch.step = key == "zones" ? .zones : .fetch
            situation.launch.stepBegan = try instant(value)
        case "fetched": situation.lastFetch = try instant(value)
        case "jitter": situation.pollJitter = try number(value)
        case "push":
            guard let push = PushChannel(rawValue: value) else { throw fault(word) }
            situation.push = push
        case _: throw fault(word)
        }
    }

    private func delay(_ value: String) throws -> Situation.Delay {
        Situation.Delay(
            since: try instant("-10"),
            until: try instant(value),
            attempts: 2,
            error: SyncError(.serviceUnavailable)
        )
    }

    private mutating func trigger(
        _ lane: WritableKeyPath<Situation, Situation.Lane>,
        _ value: String
    ) throws {
        let ends = value.replacingOccurrences(of: "..", with: "~").split(separator: "~")
        guard let first = ends.first, let newest = ends.last else { throw fault(value) }
        situation[keyPath: lane].hasWork = true
        situation[keyPath: lane].trigger = .init(
            first: try instant(first),
            newest: try instant(newest),
            priority: situation.priority
        )
    }

    private mutating func pass(
        _ lane: WritableKeyPath<Situation, Situation.Lane>,
        _ value: String,
        isTriggered: Bool
    ) throws {
        situation[keyPath: lane].lastPass = try instant(value)
        situation[keyPath: lane].lastFullPass = try instant(value)
        if isTriggered { situation[keyPath: lane].lastTriggeredPass = try instant(value) }
    }
}

extension Schedule.Lane {
    /// The lane in the words of the table.
    fileprivate func cell(since now: EngineInstant, showsFloor: Bool) -> String {
        let wait = due.map { Self.seconds($0.monotonic - now.monotonic) }
        let head =
            switch standing {
            case .idle: wait.map { "rest \($0)" } ?? "rest"
            case .due: showsFloor ? "now from \(floor.word)" : "now"
            case .waiting: wait ?? "for ever"
            case .running: "running"
            }
        return ([head] + blockers.map(\.reason.name)).joined(separator: " ")
    }

    private static func seconds(_ duration: Duration) -> String {
        let milliseconds = duration.milliseconds
        guard milliseconds % 1000 != 0 else { return "\(milliseconds / 1000)" }
        return "\(Double(milliseconds) / 1000)"
    }
}

extension SyncPriority {
    fileprivate var word: String {
        switch self {
        case .background: "background"
        case .default: "default"
        case .userInitiated: "user"
        }
    }
}

extension Schedule.Reason {
    /// The reason in one word of the table.
    fileprivate var name: String {
        switch self {
        case .account: "account"
        case .serverAskedToWait: "server"
        case .databaseBackoff: "database"
        case .backoff: "backoff"
        case .zoneBackoff: "zone"
        case .pacing: "pacing"
        case .networkUnavailable: "offline"
        case .networkMetered: "metered"
        case .lowPowerMode: "lowPower"
        case .batteryLow: "battery"
        case .loadHeavy: "load"
        case .launchOrder: "launch"
        case .cancelled: "cancelled"
        case .flushEnded: "flush"
        case .coalescing: "gathering"
        case .assets: "assets"
        case .nothingMoved: "idle"
        }
    }
}
