public import RecordModel

/// A request that came to an `InMemoryCloud`, and what became of it.
public struct LoggedRequest: Hashable, Sendable, CustomStringConvertible {
    /// Counts the cloud's requests, from 1.
    public let number: Int
    /// The device that asked.
    public let device: String
    /// The account that it asked for; nil where the question was who that is.
    public let account: String?
    /// What it asked for.
    public let kind: RequestKind
    /// What the request was about, in figures and names; never a field of a record.
    public let summary: String
    /// What became of it.
    public internal(set) var outcome: Outcome

    /// What became of a request.
    public enum Outcome: Hashable, Sendable {
        /// It has no answer yet.
        case underWay
        /// It was answered; failures of single items are part of an answer.
        case answered
        /// The server refused it as a whole.
        case refused(SyncError)
        /// It did not reach the server.
        case failed(SyncError)
        /// The server took it, and the answer was lost.
        case answerLost(SyncError)
    }

    /// The request on one line.
    public var description: String {
        "#\(number) \(device): \(kind)(\(summary)): \(outcome)"
    }
}

/// The newest requests, and how many there were of each kind.
struct RequestLog: Sendable {
    private var entries: [LoggedRequest] = []
    private var counts: [String: [RequestKind: Int]] = [:]
    private var nextNumber = 1

    /// The newest requests that are kept.
    static let countMax = 1000

    mutating func add(_ request: CloudRequest) -> Int {
        defer { nextNumber += 1 }
        counts[request.device, default: [:]][request.kind, default: 0] += 1
        // Cut off a whole log's length at a time, so that one more request costs the same.
        if entries.count >= 2 * Self.countMax { entries.removeFirst(Self.countMax) }
        entries.append(
            LoggedRequest(
                number: nextNumber,
                device: request.device,
                account: request.account,
                kind: request.kind,
                summary: request.summary,
                outcome: .underWay
            )
        )
        return nextNumber
    }

    mutating func end(_ number: Int, _ outcome: LoggedRequest.Outcome) {
        let place = number - (nextNumber - entries.count)
        if entries.indices.contains(place) { entries[place].outcome = outcome }
    }

    var newest: [LoggedRequest] { Array(entries.suffix(Self.countMax)) }

    func count(of kinds: [RequestKind], from device: String?) -> Int {
        let devices = device.map { [counts[$0] ?? [:]] } ?? Array(counts.values)
        return devices.reduce(0) { sum, counts in
            kinds.reduce(sum) { $0 + (counts[$1] ?? 0) }
        }
    }

    mutating func removeAll() {
        entries = []
        counts = [:]
    }
}
