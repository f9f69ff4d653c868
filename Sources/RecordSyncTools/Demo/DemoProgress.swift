internal import Synchronization

/// Shows how far the demonstration is, at most eleven times a step.
final class DemoProgress: Sendable {
    private let output: Output
    private let step = Mutex(Step())

    private struct Step {
        var name = ""
        var total = 0
        var done = 0
        var shownTenths = 0
    }

    init(_ output: Output) { self.output = output }

    /// Begins a step that has so much to do; 0 where nobody knows.
    func begin(_ name: String, total: Int = 0) {
        step.withLock { $0 = Step(name: name, total: total) }
        output.showProgress(name)
    }

    func advance(by count: Int) {
        let line = step.withLock { step -> String? in
            step.done += count
            guard step.total > 0, step.done <= step.total else { return nil }
            let tenths = step.done * 10 / step.total
            guard tenths > step.shownTenths else { return nil }
            step.shownTenths = tenths
            return "\(step.name): \(step.done) of \(step.total)"
        }
        if let line { output.showProgress(line) }
    }

    /// Takes the last line away, before anything else is written.
    func end() { output.clearProgress() }
}
