#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif
internal import RecordModel
internal import RecordSync
internal import RecordSyncHTTP
internal import SyncCore

extension Command {
    /// Lets three devices import, edit, delete and relaunch, and checks that they end up the same.
    static let demo = Command(
        "demo",
        summary: "Syncs three devices over a cloud in memory, and verifies what they hold.",
        options: [
            input.option, server.option, token.option, sabotage.option, keep.option, json.option,
            watch.option,
        ],
        body: demonstrate
    )

    private static let input = ValueOption<String>(
        "input",
        "FILE",
        help: "Takes the records of this file, one a line of JSON, instead of its own."
    )
    private static let server = ValueOption<String>(
        "server",
        "URL",
        help: "Syncs over this server, to an account without records, instead of one in memory."
    )
    private static let token = ValueOption<String>(
        "token",
        "TOKEN",
        help: "The token of the account, for a server that is not open."
    )
    private static let sabotage = Flag(
        "sabotage",
        help: "Loses a record on one device behind its engine's back, and must be caught."
    )
    private static let keep = ValueOption<String>(
        "keep",
        "DIR",
        help: "Writes the engines' stored states there, for the command inspect."
    )
    private static let watch = Flag(
        "watch",
        help: "Shows instead what three devices wait for, while conditions change around them."
    )
    private static let json = Flag("json", help: "Prints the result as JSON, on the last line.")

    private static let ownInputName = "the demo's own input"
    private static let badLineCountMax = 20
    private static let faultCountMax = 10

    @Sendable private static func demonstrate(
        _ arguments: Arguments,
        _ output: Output
    ) async throws -> CommandStatus {
        try checkUsage(arguments)
        if arguments.has(watch) {
            return try await DemoWatch(output).run() ? .done : .failed
        }
        let path = arguments.value(of: input)
        guard let demoInput = checkedInput(path, output) else { return .failed }
        let folder = arguments.value(of: keep)
        if let folder { try makeFolder(folder) }
        let printsJSON = arguments.has(json)
        let print = printsJSON ? output.printError : output.print
        print(demoInput.summary(of: path ?? ownInputName))

        let progress = DemoProgress(output)
        let result: DemoResult
        do {
            let database = try await remoteDatabase(arguments)
            var run = DemoRun(demoInput, progress: progress, database: database)
            result = try await run.run(isSabotaged: arguments.has(sabotage))
        } catch {
            progress.end()
            throw error
        }
        for line in result.account { print(line) }
        if let folder { try write(result, to: folder) }
        if result.faults.isEmpty { print(result.verdict) }
        printSome(result.faults, countMax: faultCountMax, "faults", output)
        if arguments.has(sabotage) {
            output.printError(
                result.faults.isEmpty
                    ? "NOT caught: the record that was lost on purpose went unnoticed"
                    : "caught: a record was lost on purpose, and the check found it"
            )
        }
        printRefusals(of: result, path, output)
        if printsJSON { output.print(result.json) }
        return result.faults.isEmpty && result.refusals.isEmpty ? .done : .failed
    }

    /// Refuses options that would do nothing beside the others.
    private static func checkUsage(_ arguments: Arguments) throws {
        if arguments.value(of: token) != nil, arguments.value(of: server) == nil {
            throw UsageError("--token is for a server; expected --server beside it")
        }
        guard arguments.has(watch) else { return }
        let given = [
            (input.option, arguments.value(of: input) != nil),
            (server.option, arguments.value(of: server) != nil),
            (sabotage.option, arguments.has(sabotage)),
            (keep.option, arguments.value(of: keep) != nil),
            (json.option, arguments.has(json)),
        ]
        if let other = given.first(where: \.1)?.0 {
            throw UsageError("--watch takes no other option; expected it without \(other.spelling)")
        }
    }

    /// The devices' connections to the server that is named; nil where none is.
    private static func remoteDatabase(
        _ arguments: Arguments
    ) async throws -> (@Sendable (String) -> any SyncDatabase)? {
        guard let url = arguments.value(of: server) else { return nil }
        let token = arguments.value(of: token)
        let names = DemoRun.deviceNames + [DemoRun.auditorName]
        var databases: [String: any SyncDatabase] = [:]
        for name in names {
            databases[name] = try RemoteServer(url, accessToken: token, deviceName: name)
                .database(.private)
        }
        let connections = databases
        guard let auditor = connections[DemoRun.auditorName] else { return nil }
        guard try await isEmpty(auditor, at: url) else {
            throw JobError("the account on \(url) has records; expected one without any")
        }
        return { connections[$0] ?? auditor }
    }

    private static func isEmpty(
        _ database: any SyncDatabase,
        at url: String
    ) async throws -> Bool {
        do {
            return try await allRecords(in: database).isEmpty
        } catch {
            throw JobError("the server at \(url) cannot be used: \(error)")
        }
    }

    /// The records to begin with; nil once it was told what is wrong with them.
    private static func checkedInput(_ path: String?, _ output: Output) -> DemoInput? {
        guard let path else { return DemoInput.read(Array(demoSample.utf8)).input }
        let bytes: [UInt8]
        do {
            bytes = try contents(of: path)
        } catch {
            output.printError("\(path):1: \(error); expected a file with one record a line")
            return nil
        }
        let (input, badLines) = DemoInput.read(bytes)
        guard !badLines.isEmpty else { return input }
        let lines = badLines.map { "\(path):\($0.line): \($0.message)" }
        printSome(lines, countMax: badLineCountMax, "bad lines", output)
        output.printError("nothing was imported")
        return nil
    }

    private static func printRefusals(of result: DemoResult, _ path: String?, _ output: Output) {
        let place = { (refusal: DemoRefusal) in result.input.lines[refusal.recordID] ?? .max }
        let refusals = result.refusals.sorted { place($0) < place($1) }
        guard !refusals.isEmpty else { return }
        let lines = refusals.map { refusal in
            let line = result.input.lines[refusal.recordID].map { ":\($0)" } ?? ""
            return "\(path ?? ownInputName)\(line): the server refused "
                + "\(refusal.recordID): \(refusal.error)"
        }
        printSome(lines, countMax: badLineCountMax, "refused records", output)
        output.printError("not done: the server refused \(counted(refusals.count, "record"))")
    }

    private static func printSome(
        _ lines: [String],
        countMax: Int,
        _ kind: String,
        _ output: Output
    ) {
        for line in lines.prefix(countMax) { output.printError(line) }
        if lines.count > countMax {
            output.printError("and \(lines.count - countMax) more \(kind)")
        }
    }

    private static func makeFolder(_ folder: String) throws {
        do {
            try FileManager.default.createDirectory(
                atPath: folder,
                withIntermediateDirectories: true
            )
        } catch {
            throw JobError("cannot make the folder \(folder); expected one to write states to")
        }
    }

    /// Writes each device's last state, and those from which devices were relaunched.
    private static func write(_ result: DemoResult, to folder: String) throws {
        let states =
            result.devices.map { (name: $0.name, state: $0.state) }
            + result.relaunchStates.map { (name: "\($0.name)-relaunch", state: $0.state) }
        for (name, state) in states {
            guard let state else { continue }
            let path = "\(folder)/\(name).state"
            do {
                try state.data.write(to: URL(filePath: path))
            } catch {
                throw JobError("cannot write \(path)")
            }
        }
    }
}
