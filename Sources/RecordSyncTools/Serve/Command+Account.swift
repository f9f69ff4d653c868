internal import RecordModel
internal import RecordServer
internal import SQLiteStorage
internal import ServerCore

extension Command {
    /// Makes and lists the accounts of a server's folder.
    static let account = Command(
        "account",
        summary:
            "Makes and lists the accounts of a server's folder, which may be served meanwhile.",
        operands: [
            Operand("ACTION", help: "What to do.", choices: ["create", "list"]),
            Operand("ACCOUNT", help: "The account's name, for create.", isRequired: false),
        ],
        options: [newData.option, listJSON.option]
    ) { arguments, output in
        let path = folderPath(arguments)
        let isCreating = arguments.operands[0] == "create"
        let name = try isCreating ? accountName(arguments) : ""
        let folder = try isCreating ? ServerFolder(making: path) : ServerFolder(existing: path)
        var server = try folder.server()
        if isCreating {
            guard try server.accountStatus(of: name) == .noAccount else {
                throw JobError("there is an account \(name) already")
            }
            try server.createAccount(name, at: wallClock())
            output.print(name)
            return .done
        }
        try printAccounts(of: server.storage, asJSON: arguments.has(listJSON), output)
        return .done
    }

    /// Gives devices their tokens, lists them, and takes the tokens back.
    static let device = Command(
        "device",
        summary: "Gives a device of an account its token, lists devices, or revokes a token.",
        operands: [
            Operand("ACTION", help: "What to do.", choices: ["add", "list", "revoke"]),
            Operand("ACCOUNT", help: "The account."),
            Operand("DEVICE", help: "The device's name, for add and revoke.", isRequired: false),
        ],
        options: [data.option, listJSON.option]
    ) { arguments, output in
        let folder = try ServerFolder(existing: folderPath(arguments))
        var server = try folder.server()
        let account = arguments.operands[1]
        guard try server.accountStatus(of: account) != .noAccount else {
            throw JobError("there is no account \(account)")
        }
        switch arguments.operands[0] {
        case "add":
            let device = try operand(2, "DEVICE", arguments)
            output.print(try addDevice(device, of: account, to: server.storage))
            output.printError(
                "The token is shown this once. It replaces an older one of \(device)."
            )
        case "revoke":
            let device = try operand(2, "DEVICE", arguments)
            guard try revoke(device, of: account, in: server.storage) else {
                throw JobError("\(account) has no device \(device)")
            }
        case _:
            try printDevices(
                of: account,
                in: server.storage,
                asJSON: arguments.has(listJSON),
                output
            )
        }
        return .done
    }

    /// The name of a new account; checked before anything is made for it.
    private static func accountName(_ arguments: Arguments) throws(UsageError) -> String {
        let name = try operand(1, "ACCOUNT", arguments)
        guard (try? Record.ID(recordName: name).validate()) != nil else {
            throw UsageError(
                "ACCOUNT is given \"\(name)\"; expected 1 to \(RequestLimits.nameLengthMax) "
                    + "printable ASCII characters"
            )
        }
        return name
    }

    static let listJSON = Flag("json", help: "Prints each of the list as a line of JSON.")

    static func operand(
        _ place: Int,
        _ name: String,
        _ arguments: Arguments
    ) throws(UsageError) -> String {
        guard arguments.operands.count > place else { throw UsageError("no \(name) is given") }
        return arguments.operands[place]
    }

    // MARK: Accounts

    private struct AccountLine: Encodable {
        let account: String
        let standing: String
        let bytes: Int
    }

    private static func printAccounts(
        of storage: SQLiteStorage,
        asJSON: Bool,
        _ output: Output
    ) throws {
        for account in try transaction(
            .reading,
            in: storage,
            { storage throws(StorageError) in
                try storage.accounts(after: nil, countMax: .max)
            }
        ) {
            let line = AccountLine(
                account: account.name,
                standing: account.standing.word,
                bytes: account.usedByteCount
            )
            if asJSON {
                try output.print(json: line)
            } else {
                output.print("\(line.account)  \(line.standing), \(line.bytes) bytes of records")
            }
        }
    }

    // MARK: Devices

    private struct DeviceLine: Encodable {
        let device: String
        let created: Int64
        let lastUsed: Int64?
    }

    private static func addDevice(
        _ device: String,
        of account: String,
        to storage: SQLiteStorage
    ) throws -> String {
        try Record.ID(recordName: device).validate()
        let token = AccessToken(randomBytes: try randomBytes(32))
        let credential = StoredCredential(
            hash: token.hash,
            account: account,
            deviceID: device,
            created: wallClock()
        )
        try transaction(.writing, in: storage) { storage throws(StorageError) in
            try storage.put(credential)
        }
        return token.text
    }

    private static func revoke(
        _ device: String,
        of account: String,
        in storage: SQLiteStorage
    ) throws -> Bool {
        try transaction(.writing, in: storage) { storage throws(StorageError) in
            try storage.removeCredential(ofDevice: device, account: account)
        }
    }

    private static func printDevices(
        of account: String,
        in storage: SQLiteStorage,
        asJSON: Bool,
        _ output: Output
    ) throws {
        let credentials = try transaction(.reading, in: storage) { storage throws(StorageError) in
            try storage.credentials(of: account)
        }
        for credential in credentials {
            let line = DeviceLine(
                device: credential.deviceID,
                created: credential.created.millisecondsSince1970,
                lastUsed: credential.lastUsed?.millisecondsSince1970
            )
            if asJSON {
                try output.print(json: line)
            } else {
                let use = credential.lastUsed.map { "last used \(date($0))" } ?? "never used"
                output.print("\(line.device)  since \(date(credential.created)), \(use)")
            }
        }
    }

    /// Runs something in a transaction of its own.
    static func transaction<Value>(
        _ access: StorageAccess,
        in storage: SQLiteStorage,
        _ body: (SQLiteStorage) throws(StorageError) -> Value
    ) throws(JobError) -> Value {
        do throws(StorageError) {
            try storage.begin(access)
        } catch {
            throw JobError(error.reason)
        }
        do throws(StorageError) {
            let value = try body(storage)
            try storage.commit()
            return value
        } catch {
            storage.rollback()
            throw JobError(error.reason)
        }
    }
}

extension StoredAccount.Standing {
    fileprivate var word: String {
        switch self {
        case .available: "available"
        case .restricted: "restricted"
        case .temporarilyUnavailable: "temporarily unavailable"
        }
    }
}
