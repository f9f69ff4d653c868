/// The help texts, made from the declarations of the commands.
package enum Help {
    package static let programName = "recordsync"

    package static func text(of commands: [Command]) -> String {
        let rows =
            commands.map { ($0.name, $0.summary) }
            + [("--help", "Prints this text, or behind a command that command's.")]
            + [("--version", "Prints the version.")]
        return """
            usage: \(programName) COMMAND [ARGUMENTS]

            \(table(rows))

            exit status: 0 done, 1 the job failed, 2 called in a wrong way
            """
    }

    package static func text(of command: Command) -> String {
        let rows =
            command.operands.map { ($0.usage, $0.help) }
            + command.options.map { ($0.usage, $0.help) }
            + [("--help", "Prints this text.")]
        return """
            \(usage(of: command))

            \(command.summary)

            \(table(rows))
            """
    }

    /// The one line that says how a command is called.
    package static func usage(of command: Command) -> String {
        let words =
            [programName, command.name]
            + command.options.map { $0.isRequired ? $0.usage : "[\($0.usage)]" }
            + command.operands.map(\.usage)
        return "usage: " + words.joined(separator: " ")
    }

    private static func table(_ rows: [(word: String, help: String)]) -> String {
        let width = rows.map(\.word.count).max() ?? 0
        return rows.map { "  \(padded($0.word, to: width))  \($0.help)" }.joined(separator: "\n")
    }
}

/// The text with blanks behind it up to a width.
func padded(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
}
