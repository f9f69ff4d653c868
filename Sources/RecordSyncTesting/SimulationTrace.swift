import RecordSync

/// What happened in a run, line by line.
final class SimulationTrace: Sendable {
    private let protected = Guarded<[String]>([])
    private let executor: SteppedExecutor

    init(_ executor: SteppedExecutor) { self.executor = executor }

    var lines: [String] { protected.withLock { $0 } }

    func add(_ line: String) {
        let milliseconds = executor.now.milliseconds
        let rest = String(milliseconds % 1000)
        let padding = String(repeating: "0", count: 3 - rest.count)
        let time = "\(milliseconds / 1000).\(padding)\(rest)"
        protected.withLock { $0.append("\(time) \(line)") }
    }
}
