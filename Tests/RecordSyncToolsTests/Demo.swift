import Foundation
import RecordSyncTools

/// What the command answers; the input's path is written FILE.
struct Demo: Equatable, Sendable {
    let status: Int32
    var result = ""
    var errors = ""

    static func run(_ words: String...) async -> Demo { await run(words) }

    static func run(_ words: String..., input lines: [String]) async throws -> Demo {
        let folder = try TemporaryFolder()
        let path = try folder.file("input.ndjson", lines.map { $0 + "\n" }.joined())
        let demo = await run(words + ["--input", path])
        return Demo(
            status: demo.status,
            result: demo.result.replacing(path, with: "FILE"),
            errors: demo.errors.replacing(path, with: "FILE")
        )
    }

    static func run(_ words: [String]) async -> Demo {
        let capture = Capture()
        let status = await RecordSyncTools.run(
            arguments: ["demo"] + words,
            output: capture.output()
        )
        return Demo(
            status: status,
            result: capture.standardOutput,
            errors: capture.standardError
        )
    }

    /// A line of input: a record of the default zone.
    static func line(_ name: String, parent: String? = nil, text: String = "") -> String {
        let link = parent.map { #""parent":{"recordName":"\#($0)"},"# } ?? ""
        return #"{"recordName":"\#(name)","recordType":"T",\#(link)"#
            + #""fields":{"text":{"value":"\#(text)"}}}"#
    }

    var json: DemoJSON {
        get throws { try JSONDecoder().decode(DemoJSON.self, from: Data(result.utf8)) }
    }
}

/// The line that `--json` prints, read back.
struct DemoJSON: Decodable {
    struct Device: Decodable, Equatable {
        let name: String
        let records: Int
        let digest: String
    }

    let devices: [Device]
    let converged: Bool
    let imported: Int
    let created: Int
    let deleted: Int
    let records: Int
    let conflicts: Int
    let relaunches: Int
    let events: Int
    let seconds: Double

    /// What was imported, created, deleted and is left, then conflicts and relaunches.
    var counts: [Int] { [imported, created, deleted, records, conflicts, relaunches] }
}
