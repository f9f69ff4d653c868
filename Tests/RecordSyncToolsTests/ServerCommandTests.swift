import Foundation
import LoopbackSupport
import RecordSyncTools
import TestSupport
import Testing

/// The commands for a server's folder, without a running server.
struct ServerCommandTests {
    @Test func whatIsImportedIsExported() async throws {
        let folder = try TemporaryFolder()
        let data = folder.path + "/data"
        // The child stands before its parent.
        let lines = [
            Demo.line("child", parent: "parent", text: "a"), Demo.line("parent", text: "b"),
        ]
        let input = try folder.file("in.ndjson", lines.map { $0 + "\n" }.joined())
        #expect(await run("account", "create", "ann", "--data", data).status == 0)
        let check = await run("import", "ann", input, "--check", "--data", data)
        #expect(check == Outcome(status: 0, result: "2 records can be imported\n"))
        let imported = await run("import", "ann", input, "--data", data)
        #expect(imported == Outcome(status: 0, result: "imported 2 records\n"))
        let exported = await run("export", "ann", "--data", data).result.split(separator: "\n")
        #expect(exported.count == 2)
        #expect(exported[0].contains(#""recordName":"child""#))
        #expect(exported[0].contains(#""parent":{"recordName":"parent"}"#))
        let again = await run("import", "ann", input, "--data", data)
        #expect(again == Outcome(status: 1, result: ""))
        let sound = await run("check", "--data", data)
        #expect(sound == Outcome(status: 0, result: "sound: 1 account, 1 zone, 2 records\n"))
    }

    @Test func aChildWithoutItsParentIsNotImported() async throws {
        let folder = try TemporaryFolder()
        let data = folder.path + "/data"
        let input = try folder.file("in.ndjson", Demo.line("child", parent: "none") + "\n")
        _ = await run("account", "create", "ann", "--data", data)
        #expect(await run("import", "ann", input, "--check", "--data", data).status == 1)
        #expect(await run("export", "ann", "--data", data).result.isEmpty)
    }

    @Test func aTokenIsShownOnceAndCanBeTakenBack() async throws {
        let folder = try TemporaryFolder()
        let data = folder.path + "/data"
        _ = await run("account", "create", "ann", "--data", data)
        let token = await run("device", "add", "ann", "phone", "--data", data).result
        #expect(token.hasPrefix("rst_") && token.count == 69)
        let list = await run("device", "list", "ann", "--data", data).result
        #expect(list.hasPrefix("phone  since 2") && list.hasSuffix("never used\n"))
        #expect(!list.contains(token.dropLast()))
        #expect(await run("device", "revoke", "ann", "phone", "--data", data).status == 0)
        #expect(await run("device", "revoke", "ann", "phone", "--data", data).status == 1)
        #expect(await run("device", "list", "ann", "--data", data).result.isEmpty)
    }

    @Test func onlyItsOwnerCanReadAServersFolder() async throws {
        let folder = try TemporaryFolder()
        let data = folder.path + "/data"
        _ = await run("account", "create", "ann", "--data", data)
        let backup = folder.path + "/backup"
        _ = await run("backup", backup, "--data", data)
        for (path, mode) in [
            (data, 0o700), (data + "/token.key", 0o600), (data + "/records.sqlite", 0o600),
            (backup, 0o600),
        ] {
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect(attributes[.posixPermissions] as? Int == mode, "\(path)")
        }
    }

    @Test func aBackupIsRestoredToANewFolderOnly() async throws {
        let folder = try TemporaryFolder()
        let data = folder.path + "/data"
        let input = try folder.file("in.ndjson", Demo.line("a") + "\n")
        let backup = folder.path + "/backup"
        _ = await run("account", "create", "ann", "--data", data)
        _ = await run("import", "ann", input, "--data", data)
        #expect(await run("backup", backup, "--data", data).status == 0)
        #expect(await run("backup", backup, "--data", data).status == 1)
        #expect(await run("restore", backup, "--data", data).status == 1)
        let other = folder.path + "/other"
        #expect(await run("restore", backup, "--data", other).status == 0)
        #expect(await run("export", "ann", "--data", other).result.contains(#""recordName":"a""#))
    }

    @Test func aBackupThatIsNoneIsNotRestored() async throws {
        let folder = try TemporaryFolder()
        let backup = try folder.file("backup", String(repeating: "no database ", count: 500))
        let data = folder.path + "/data"
        #expect(await run("restore", backup, "--data", data).status == 1)
        #expect(!FileManager.default.fileExists(atPath: data + "/records.sqlite"))
    }

    /// A log of other records would become a part of the backup; a restore that ends before the new
    /// history begins must leave no records that look like a server's.
    @Test(arguments: ["records.sqlite-wal", "records.sqlite-shm", "token.key"])
    func whatIsLeftOfAnotherServerStopsARestore(name: String) async throws {
        let folder = try TemporaryFolder()
        let backup = folder.path + "/backup"
        _ = await run("account", "create", "ann", "--data", folder.path + "/data")
        _ = await run("backup", backup, "--data", folder.path + "/data")
        let other = folder.path + "/other"
        try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: false)
        try Data("left".utf8).write(to: URL(fileURLWithPath: other + "/" + name))
        #expect(await run("restore", backup, "--data", other).status == 1)
        #expect(try FileManager.default.contentsOfDirectory(atPath: other) == [name])
    }

    @Test func aFolderThatWasNeverServedIsNoServers() async throws {
        let folder = try TemporaryFolder()
        for words in [
            ["check"], ["export", "ann"], ["account", "list"], ["device", "list", "ann"],
        ] {
            #expect(await run(words + ["--data", folder.path]).status == 1)
        }
    }

    @Test(arguments: ["too long", "other owner"])
    func anImportSavesAllOrNothing(fault: String) async throws {
        let folder = try TemporaryFolder()
        let data = folder.path + "/data"
        let bad =
            fault == "too long"
            ? Demo.line("long", text: String(repeating: "x", count: 2_000_000))
            : #"{"recordName":"a","recordType":"Note","#
                + #""zoneID":{"zoneName":"Z","ownerRecordName":"b"}}"#
        let lines = (0..<300).map { Demo.line("\($0)") } + [bad]
        let input = try folder.file("in.ndjson", lines.map { $0 + "\n" }.joined())
        _ = await run("account", "create", "ann", "--data", data)
        for words in [["--check"], []] {
            #expect(await run(["import", "ann", input, "--data", data] + words).status == 1)
            let check = await run("check", "--data", data)
            #expect(check == Outcome(status: 0, result: "sound: 1 account, 0 zones, 0 records\n"))
        }
    }

    @Test func recordsWithoutAByteAreNotSound() async throws {
        let folder = try TemporaryFolder()
        let data = folder.path + "/data"
        _ = await run("account", "create", "ann", "--data", data)
        try Data().write(to: URL(fileURLWithPath: data + "/records.sqlite"))
        for words in [["check"], ["serve", "--port", "0"], ["account", "create", "bob"]] {
            #expect(await run(words + ["--data", data]).status == 1)
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: data + "/records.sqlite")).isEmpty)
    }

    @Test func aDatabaseOfAnotherProgramIsLeftAsItIs() async throws {
        let folder = try TemporaryFolder()
        let data = folder.path + "/data"
        _ = await run("account", "create", "ann", "--data", data)
        let file = URL(fileURLWithPath: data + "/records.sqlite")
        var bytes = try Data(contentsOf: file)
        // Where SQLite keeps the application's id.
        bytes[68] ^= 1
        try bytes.write(to: file)
        #expect(await run("account", "create", "bob", "--data", data).status == 1)
        #expect(try Data(contentsOf: file) == bytes)
    }

    @Test func aFolderHasOneServer() async throws {
        let folder = try TemporaryFolder()
        let data = folder.path + "/data"
        _ = await run("account", "create", "ann", "--data", data)
        let descriptor = open(data, O_RDONLY)
        defer { close(descriptor) }
        try #require(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
        #expect(await run("serve", "--data", data, "--port", "0").status == 1)
    }

    @Test(arguments: [
        ["serve", "--data", "x", "--listen", "localhost"],
        ["account", "create", "", "--data", "x"], ["check", "--json"],
        ["serve"], ["serve", "--data", "x", "--open", "--listen", "0.0.0.0"],
        ["serve", "--data", "x", "--port", "65536"], ["account", "create", "ann"],
        ["account", "remove", "ann"], ["device", "add"], ["backup"],
    ])
    func saysHowItIsCalled(words: [String]) async {
        #expect(await run(words).status == 2)
    }

    @Test func theDemoEndsTheSameOverAServer() async throws {
        let server = try LoopbackServer()
        let near = await Demo.run("--json")
        let remote = await Demo.run("--json", "--server", server.url)
        #expect(remote.status == 0)
        #expect(try remote.json.devices == near.json.devices)
        #expect(try remote.json.counts == near.json.counts)
        // The account has records now, and the demo would not be about its own.
        #expect(await Demo.run("--json", "--server", server.url).status == 1)
    }

    private struct Outcome: Equatable {
        let status: Int32
        let result: String
    }

    private func run(_ words: String...) async -> Outcome { await run(words) }

    private func run(_ words: [String]) async -> Outcome {
        let capture = Capture()
        let status = await RecordSyncTools.run(arguments: words, output: capture.output())
        return Outcome(status: status, result: capture.standardOutput)
    }
}
