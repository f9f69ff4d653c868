/// Why a run of simulated devices failed, and how to see it again.
public struct SimulationFailure: Error, Sendable, CustomStringConvertible {
    /// The run's seed.
    public let seed: UInt64
    /// What was wrong.
    public let reason: Reason
    /// Everything up to there, line by line.
    public let trace: [String]

    /// What was wrong with a run.
    public enum Reason: Hashable, Sendable {
        /// Work left the world in one of these calls of a delegate, each named with its device.
        case escaped([String])
        /// The world could not go on.
        case world(TestWorldError)
        /// When all was healed, devices still had something to send; a line for each of them.
        case unfinished([String])
        /// When all was healed, devices of an account had other content than its first.
        case different([String])
        /// An action, a launch or a check threw; the error in words.
        case thrown(String)
    }

    /// What was wrong, how to see it again, and the end of the trace.
    public var description: String {
        let end = trace.suffix(Self.shownLineCount).map { "\n    " + $0 }.joined()
        return """
            seed \(seed): \(reason.text)
            to see it again: try devices.run(seed: \(seed))
            the last of \(trace.count) lines of its trace:\(end)
            """
    }

    private static let shownLineCount = 20
}

extension SimulationFailure.Reason {
    fileprivate var text: String {
        switch self {
        case .escaped(let calls):
            "escaped: work left the world, by Task {}, Task.detached, Task.sleep, the main actor, "
                + "a queue or a thread, during "
                + (calls.isEmpty ? "no call of a delegate" : calls.joined(separator: " or "))
        case .world(let error): error.description
        case .unfinished(let devices):
            "unfinished: all was healed, and still " + devices.joined(separator: "; ")
        case .different(let lines): "different: " + lines.joined(separator: "; ")
        case .thrown(let error): "thrown: \(error)"
        }
    }
}

/// An error that fails a run for a reason of its own.
struct ReasonError: Error {
    let reason: SimulationFailure.Reason
}
