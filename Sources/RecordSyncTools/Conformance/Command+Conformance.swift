#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension Command {
    /// Prints which test holds which statement of `Docs/Conformance.md`.
    static let conformance = Command(
        "conformance",
        summary: "Prints which test holds which statement of Docs/Conformance.md.",
        options: [package.option, rules.option, json.option],
        body: printConformance
    )

    private static let package = ValueOption<String>(
        "package",
        "DIR",
        help: "The package to look at instead of the one in this folder."
    )
    private static let rules = ValueOption<[Character]>(
        "rules",
        "LETTERS",
        help: "Prints the tests of other lists instead: H bugs, I invariants, J and P promises.",
        expecting: "letters with commas between them, such as H,P,J,I",
        parse: letters
    )
    private static let json = Flag("json", help: "Prints the rows as JSON.")

    @Sendable private static func letters(in text: String) -> [Character]? {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        let letters = parts.compactMap { $0.count == 1 ? $0.first : nil }
        return letters.count == parts.count && letters.allSatisfy(\.isUppercase) ? letters : nil
    }

    @Sendable private static func printConformance(
        _ arguments: Arguments,
        _ output: Output
    ) throws -> CommandStatus {
        let root = arguments.value(of: package) ?? "."
        let held = try heldRules(below: root)
        if let letters = arguments.value(of: rules) {
            let report = RuleReport(letters: letters, held: held)
            try output.print(report.rows, or: report.lines, asJSON: arguments.has(json))
            return .done
        }
        let document = try text(at: "\(root)/Docs/Conformance.md")
        let report = ConformanceReport(document: document, held: held)
        try output.print(report.rows, or: report.lines, asJSON: arguments.has(json))
        for problem in report.problems { output.printError("Docs/Conformance.md: \(problem)") }
        return report.problems.isEmpty ? .done : .failed
    }

    /// The rules that the package's tests say they hold, in the order of their files.
    private static func heldRules(below root: String) throws -> [HeldRule] {
        let paths: [String]
        do {
            paths = try FileManager.default.subpathsOfDirectory(atPath: "\(root)/Tests")
        } catch {
            throw JobError("there is no folder \(root)/Tests; expected a package's folder")
        }
        return try paths.filter { $0.hasSuffix(".swift") }.sorted().flatMap { path in
            HeldRule.all(in: try text(at: "\(root)/Tests/\(path)"), file: "Tests/\(path)")
        }
    }

    private static func text(at path: String) throws -> String {
        guard let bytes = FileManager.default.contents(atPath: path) else {
            throw JobError("cannot read \(path)")
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension Output {
    /// Writes rows as JSON, or the lines for a person.
    fileprivate func print(
        _ rows: some Encodable,
        or lines: [String],
        asJSON: Bool
    ) throws {
        if asJSON { return try print(json: rows) }
        for line in lines { print(line) }
    }
}
