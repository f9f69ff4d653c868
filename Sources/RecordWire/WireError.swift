/// Why bytes are not what the wire carries: what is wrong, what was expected, and where.
public struct WireError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Where the fault stands: the byte of its line, counted from 1.
    public let column: Int
    /// What is wrong and what was expected, in a sentence.
    public let message: String

    /// Makes an error.
    public init(column: Int, message: String) {
        self.column = column
        self.message = message
    }

    /// The column and the message.
    public var description: String { "column \(column): \(message)" }

    /// The same error, said of a part of the record.
    func within(_ part: String) -> WireError {
        WireError(column: column, message: "\(part): \(message)")
    }
}

/// The text in quotes, cut after 40 characters, with nothing in it that could forge a log line.
func quoted(_ text: String) -> String {
    let lengthMax = 40
    let shown = text.unicodeScalars.prefix(lengthMax)
    let isCut = shown.endIndex < text.unicodeScalars.endIndex
    let escaped = shown.map { $0 == "'" ? "'" : $0.escaped(asASCII: false) }
    return "\"\(escaped.joined())\(isCut ? "…" : "")\""
}
