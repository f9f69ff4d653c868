import RecordSyncTools
import Synchronization

/// Keeps what the program writes.
final class Capture: Sendable {
    private let texts = Mutex<(standardOutput: String, standardError: String)>(("", ""))

    var standardOutput: String { texts.withLock { $0.standardOutput } }
    var standardError: String { texts.withLock { $0.standardError } }

    func output(isErrorTerminal: Bool = false) -> Output {
        Output(
            standardOutput: { text in self.texts.withLock { $0.standardOutput += text } },
            standardError: { text in self.texts.withLock { $0.standardError += text } },
            isErrorTerminal: isErrorTerminal
        )
    }
}
