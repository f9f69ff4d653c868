#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Where the program writes: results to standard output, everything else to standard error.
package struct Output: Sendable {
    private let standardOutput: @Sendable (String) -> Void
    private let standardError: @Sendable (String) -> Void
    private let isErrorTerminal: Bool

    /// Makes an output from what takes its texts.
    package init(
        standardOutput: @escaping @Sendable (String) -> Void,
        standardError: @escaping @Sendable (String) -> Void,
        isErrorTerminal: Bool
    ) {
        self.standardOutput = standardOutput
        self.standardError = standardError
        self.isErrorTerminal = isErrorTerminal
    }

    /// True if a person reads along.
    package var hasReader: Bool { isErrorTerminal }

    /// Writes a line of the result.
    package func print(_ line: String) { standardOutput(line + "\n") }

    /// Writes a value of the result as one line of JSON, its keys sorted.
    package func print(json value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        print(String(decoding: try encoder.encode(value), as: UTF8.self))
    }

    /// Writes a line for the person at the terminal.
    package func printError(_ line: String) { standardError(line + "\n") }

    /// Shows how far the job is: in place of the last such line at a terminal, else as a line.
    package func showProgress(_ line: String) {
        standardError(isErrorTerminal ? "\r\(line)\u{1B}[K" : line + "\n")
    }

    /// Takes the last line of progress away; call it before anything else is written.
    package func clearProgress() {
        if isErrorTerminal { standardError("\r\u{1B}[K") }
    }
}
