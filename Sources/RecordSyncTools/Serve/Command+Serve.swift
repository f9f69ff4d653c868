internal import RecordModel
internal import RecordServer
internal import SQLiteStorage
internal import ServerCore

extension Command {
    /// Serves the records of a folder until it is told to stop.
    static let serve = Command(
        "serve",
        summary: "Serves a folder's records over HTTP until it is told to stop (SIGTERM).",
        options: [newData.option, port.option, listen.option, quota.option, open.option],
        body: serveFolder
    )

    /// A server's folder that is there.
    static let data = ValueOption<String>("data", "DIR", help: "The server's folder.").required
    /// A server's folder that may be new.
    static let newData = ValueOption<String>(
        "data",
        "DIR",
        help: "Keeps everything in this folder, which is made if it is not there."
    ).required
    private static let port = ValueOption<UInt16>(
        "port",
        "N",
        in: 0...UInt16.max,
        help: "Listens on this port; 0 takes a free one. Otherwise 8080."
    )
    private static let listen = ValueOption<String>(
        "listen",
        "ADDR",
        help: "Listens on this numeric address instead of 127.0.0.1, which only this machine has.",
        expecting: "a numeric address, such as 0.0.0.0 for every network of this machine"
    ) { isNumericAddress($0) ? $0 : nil }
    private static let quota = ValueOption<Int>(
        "quota",
        "BYTES",
        in: 1...Int.max,
        help: "Lets records and files of each account take this much; otherwise there is no limit."
    )
    private static let open = Flag(
        "open",
        help: "Lets everybody on this machine in without a token, as one account: for a first try."
    )

    private static let openAccount = "me"

    @Sendable private static func serveFolder(
        _ arguments: Arguments,
        _ output: Output
    ) async throws -> CommandStatus {
        var configuration = LoopConfiguration()
        configuration.port = arguments.value(of: port) ?? 8080
        if let address = arguments.value(of: listen) { configuration.address = address }
        let isOpen = arguments.has(open)
        guard !isOpen || ["127.0.0.1", "::1"].contains(configuration.address) else {
            throw UsageError(
                "--open is for this machine alone; expected no --listen beside it, or a loopback "
                    + "address"
            )
        }
        var options = ServiceOptions()
        let folder = try ServerFolder(making: folderPath(arguments))
        let lock = try folder.lock()
        defer { lock.release() }
        if let warning = folder.accessWarning { output.printError(warning) }
        var server = try folder.server()
        server.configuration.quotaByteCount = arguments.value(of: quota)
        if isOpen {
            options.openAccount = openAccount
            try server.createAccount(openAccount, at: wallClock())
        }
        let stop = try StopCounter()
        stop.stopOnSignals()
        let assets = try AssetStore(folder: folder.assetsPath)
        let service = try service(server, options, assets)
        let loop = try ServerLoop(service: service, configuration: configuration, stop: stop)
        let address =
            configuration.address.contains(":")
            ? "[\(configuration.address)]" : configuration.address
        output.print("http://\(address):\(loop.port)")
        output.printError("serving \(folder.path)\(isOpen ? ", open to all of this machine" : "")")
        loop.run()
        output.printError("stopped")
        return .done
    }

    private static func service(
        _ server: Server<SQLiteStorage>,
        _ options: ServiceOptions,
        _ assets: AssetStore
    ) throws(JobError) -> RecordService<SQLiteStorage> {
        do throws(StorageError) {
            return try RecordService(server: server, options: options, assets: assets)
        } catch {
            throw JobError(error.reason)
        }
    }

    /// The value of `data` or `newData`, which no command runs without.
    static func folderPath(_ arguments: Arguments) -> String {
        arguments.value(of: data) ?? "."
    }
}
