/// What the targets of one ring may import; the table of targets in `Docs/Architecture.md`.
struct ImportRow {
    let target: String
    let modules: Set<String>
    /// Allowed in the target's folder `Platform` besides.
    var platformModules: Set<String> = []
    /// Allowed in one file of the target only.
    var oneFileModules: Set<String> = []
}

private let platform: Set<String> = ["Glibc", "Musl", "Darwin", "CLinux"]

let importTable = [
    ImportRow(target: "RecordModel", modules: []),
    ImportRow(target: "SyncCore", modules: ["RecordModel"]),
    ImportRow(target: "ServerCore", modules: ["RecordModel"]),
    ImportRow(target: "SyncSimulation", modules: ["RecordModel", "SyncCore", "ServerCore"]),
    ImportRow(
        target: "RecordSync",
        modules: ["RecordModel", "SyncCore", "Synchronization"],
        platformModules: platform.union(["Network"]),
        oneFileModules: ["FoundationEssentials"]
    ),
    ImportRow(
        target: "MemoryCloud",
        modules: ["RecordModel", "RecordSync", "ServerCore", "Synchronization"]
    ),
    ImportRow(
        target: "RecordSyncTesting",
        modules: ["RecordModel", "RecordSync", "MemoryCloud", "Synchronization"]
    ),
    ImportRow(target: "RecordWire", modules: ["RecordModel", "FoundationEssentials"]),
    ImportRow(
        target: "RecordSyncHTTP",
        modules: [
            "RecordModel", "RecordSync", "RecordWire", "CLinux", "Foundation",
            "FoundationNetworking",
        ]
    ),
    ImportRow(
        target: "RecordServer",
        modules: platform.union(["RecordModel", "ServerCore", "RecordWire", "Synchronization"])
    ),
    ImportRow(
        target: "SQLiteStorage",
        modules: [
            "RecordModel", "ServerCore", "CSQLite", "FoundationEssentials", "Synchronization",
        ]
    ),
    ImportRow(
        target: "CloudKit",
        modules: [
            "RecordModel", "RecordSync", "MemoryCloud", "RecordSyncHTTP", "RecordSyncTesting",
            "Foundation", "Observation",
        ]
    ),
    ImportRow(target: "AppleShims", modules: ["Foundation"]),
    ImportRow(
        target: "RecordSyncTools",
        modules: [
            "RecordModel", "SyncCore", "ServerCore", "SyncSimulation", "RecordSync", "MemoryCloud",
            "RecordSyncTesting", "RecordWire", "RecordSyncHTTP", "RecordServer", "SQLiteStorage",
            "Synchronization", "Foundation", "FoundationEssentials", "Glibc", "Musl", "Darwin",
        ]
    ),
    ImportRow(target: "recordsync", modules: ["RecordSyncTools"]),
]

/// The imports of a file: the module and the place of its name.
func importsOf(_ file: SwiftText) -> [(module: String, position: Int)] {
    let kinds: Set<String> = [
        "struct", "class", "enum", "protocol", "typealias", "func", "let", "var",
    ]
    return file.tokens.indices.compactMap { position in
        guard file.reads(["import"], at: position), position + 1 < file.tokens.count else {
            return nil
        }
        let isKind = kinds.contains(file.tokens[position + 1].text)
        let name = position + (isKind ? 2 : 1)
        guard name < file.tokens.count else { return nil }
        return (file.tokens[name].text, name)
    }
}

/// A library imports only what its row allows.
///
/// `Foundation` may stand for `FoundationEssentials` in a file that imports both, since Apple's
/// platforms have the first alone.
func importViolations(_ file: SwiftText) -> [Violation] {
    guard file.isSource, let target = file.target else { return [] }
    guard let row = importTable.first(where: { $0.target == target }) else {
        return [Violation(path: file.path, line: 1, what: "target \(target) has no import row")]
    }
    var allowed = row.modules.union(row.oneFileModules).union(["Swift"])
    if file.path.hasPrefix("Sources/\(target)/Platform/") { allowed.formUnion(row.platformModules) }
    let imports = importsOf(file)
    if allowed.contains("FoundationEssentials"),
        imports.contains(where: { $0.module == "FoundationEssentials" })
    {
        allowed.insert("Foundation")
    }
    return imports.filter { !allowed.contains($0.module) }.map { module, position in
        file.violation(at: position, "\(target) may not import \(module) here")
    }
}

/// A module that one file of a target may import is imported by no second file.
func oneFileImportViolations(_ files: [SwiftText]) -> [Violation] {
    importTable.flatMap { row in
        row.oneFileModules.sorted().flatMap { module in
            files.filter { file in
                file.isSource && file.target == row.target
                    && importsOf(file).contains { $0.module == module }
            }.dropFirst().map { file in
                Violation(path: file.path, line: 1, what: "a second file imports \(module)")
            }
        }
    }
}

/// Only the target `CloudKit` spells Apple's prefix.
func prefixViolations(_ file: SwiftText) -> [Violation] {
    guard file.isSource, file.target != "CloudKit" else { return [] }
    return file.tokens.indices.filter { position in
        let token = file.tokens[position]
        return token.kind == .word && token.text.hasPrefix("CK")
            && token.text.dropFirst(2).first?.isUppercase == true
    }.map { file.violation(at: $0, "only CloudKit spells \(file.tokens[$0].text)") }
}
