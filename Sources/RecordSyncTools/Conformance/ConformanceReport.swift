/// Which test holds which statement, and where document and tests do not fit together.
package struct ConformanceReport: Sendable {
    /// A statement with the tests that hold it.
    package struct Row: Sendable, Encodable {
        package let number: String
        package let statement: String
        package let verdict: Statement.Verdict
        package let why: String
        package let tests: [TestPlace]
    }

    package let rows: [Row]
    /// What must be mended, in sentences; empty where all is well.
    package let problems: [String]

    package init(document: String, held: [HeldRule]) {
        let (statements, unreadable) = Statement.rows(of: document)
        rows = statements.map { statement in
            Row(
                number: "\(statement.number)",
                statement: statement.text,
                verdict: statement.verdict,
                why: statement.why,
                tests: held.filter { $0.rule == statement.number }.map(\.test)
            )
        }
        let unheld = rows.filter { $0.verdict == .adopted && $0.tests.isEmpty }.map { row in
            "\(row.number) is adopted, but no test holds it"
        }
        let extra = statements.map(\.number).filter { $0.number > Statement.countMax }.map {
            number in
            "\(number) has a row, but there are \(Statement.countMax) statements"
        }
        problems = unreadable + Self.gaps(in: statements) + extra + unheld
    }

    /// One line a test, then the sums.
    package var lines: [String] {
        rows.flatMap(lines) + ["", summary]
    }

    private var summary: String {
        let adopted = rows.filter { $0.verdict == .adopted }.count
        let differing = rows.filter { $0.verdict == .differs }.count
        let coming = rows.filter { $0.verdict == .notYet }.count
        let untested = rows.filter(\.tests.isEmpty).count
        return "statements: \(rows.count), adopted: \(adopted), differs: \(differing), "
            + "not yet: \(coming), without a test: \(untested)"
    }

    private func lines(of row: Row) -> [String] {
        let head = "\(padded(row.number, to: 5)) \(padded(row.verdict.rawValue, to: 8)) "
        let margin = String(repeating: " ", count: head.count)
        let tests =
            row.tests.isEmpty ? ["no test"] : row.tests.map { "\($0.name) (\($0.file))" }
        let why = row.verdict == .differs ? ["why: \(row.why)"] : []
        return zip([head] + Array(repeating: margin, count: tests.count), tests + why).map(+)
    }

    private static func gaps(in statements: [Statement]) -> [String] {
        (1...Statement.countMax).compactMap { number in
            let rule = RuleNumber(letter: "S", number: number)
            let lines = statements.filter { $0.number == rule }.map { "\($0.line)" }
            if lines.isEmpty { return "\(rule) has no row" }
            if lines.count == 1 { return nil }
            return "\(rule) has \(lines.count) rows, on lines \(lines.joined(separator: ", "))"
        }
    }
}

/// Which test holds which rule of some lists.
package struct RuleReport: Sendable {
    package struct Row: Sendable, Encodable {
        package let number: String
        package let tests: [TestPlace]
    }

    /// The rules that tests hold, letter by letter as they were asked for.
    package let rows: [Row]

    package init(letters: [Character], held: [HeldRule]) {
        rows = letters.flatMap { letter in
            let rules = Set(held.map(\.rule).filter { $0.letter == letter })
            return rules.sorted().map { rule in
                Row(number: "\(rule)", tests: held.filter { $0.rule == rule }.map(\.test))
            }
        }
    }

    package var lines: [String] {
        rows.flatMap { row in
            row.tests.enumerated().map { position, test in
                "\(padded(position == 0 ? row.number : "", to: 5)) \(test.name) (\(test.file))"
            }
        }
    }
}
