/// One thing that the program does: what it can be given, and the work itself.
///
/// Parsing, usage errors and help texts are made from this one declaration.
package struct Command: Sendable {
    package typealias Body = @Sendable (Arguments, Output) async throws -> CommandStatus

    package let name: String
    /// One sentence for the help texts.
    package let summary: String
    package let operands: [Operand]
    package let options: [CommandOption]
    package let body: Body

    package init(
        _ name: String,
        summary: String,
        operands: [Operand] = [],
        options: [CommandOption] = [],
        body: @escaping Body
    ) {
        self.name = name
        self.summary = summary
        self.operands = operands
        self.options = options
        self.body = body
    }
}

/// How the program ends.
package enum CommandStatus: Int32, Sendable {
    case done = 0
    /// The job failed, or what was checked does not hold.
    case failed = 1
    /// The program was called in a way it does not know.
    case wrongUsage = 2
}

/// Says that the program was called in a way it does not know.
package struct UsageError: Error, Hashable, CustomStringConvertible {
    /// What is wrong and what was expected.
    package let description: String

    package init(_ description: String) { self.description = description }
}

/// Why a command could not do its job, in a sentence.
package struct JobError: Error, Hashable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}
