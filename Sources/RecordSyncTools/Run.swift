#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The commands of the program, in the order of its help text.
package let commands: [Command] = [
    .demo, .serve, .account, .device, .backup, .restore, .checking, .export, .importing, .inspect,
    .bench, .conformance, .simulate,
]

/// The version that `--version` prints.
package let version = "0.1.0"

/// Runs the program with the arguments of the process, and ends it.
public func runAndExit() async -> Never {
    let status = await run(arguments: Array(CommandLine.arguments.dropFirst()))
    if let reason = Output.lostOutput {
        Output.standard.printError(
            "\(Help.programName): the result could not be written: \(reason)"
        )
        exit(max(status, CommandStatus.failed.rawValue))
    }
    exit(status)
}

/// Runs one command and returns the exit status.
///
/// 0 means done, 1 that the job failed, 2 that the program was called in a way it does not know.
/// Results go to standard output, errors and progress to standard error.
///
/// - Parameter arguments: The words behind the program's name.
public func run(arguments: [String]) async -> Int32 {
    await run(arguments: arguments, output: .standard)
}

/// Runs one command, writing to an output of the caller's.
package func run(arguments: [String], output: Output) async -> Int32 {
    await run(arguments, among: commands, output: output).rawValue
}

/// Runs one of the commands.
package func run(_ words: [String], among commands: [Command], output: Output) async
    -> CommandStatus
{
    guard let name = words.first else {
        output.printError(Help.text(of: commands))
        return .wrongUsage
    }
    if isHelp(name) {
        output.print(Help.text(of: commands))
        return .done
    }
    if name == "--version" {
        output.print("\(Help.programName) \(version)")
        return .done
    }
    guard let command = commands.first(where: { $0.name == name }) else {
        let kind = name.hasPrefix("-") ? "option" : "command"
        let known = kind == "option" ? ["--help", "--version"] : commands.map(\.name)
        output.printError("\(Help.programName): \(unknown(kind, name, known: known))")
        return .wrongUsage
    }
    return await run(command, Array(words.dropFirst()), output: output)
}

private func run(_ command: Command, _ words: [String], output: Output) async -> CommandStatus {
    do {
        let arguments = try Arguments(words, of: command)
        if arguments.asksForHelp {
            output.print(Help.text(of: command))
            return .done
        }
        return try await command.body(arguments, output)
    } catch let error as UsageError {
        output.printError("\(Help.programName) \(command.name): \(error)")
        output.printError(Help.usage(of: command))
        return .wrongUsage
    } catch {
        output.printError("\(Help.programName) \(command.name): \(error)")
        return .failed
    }
}
