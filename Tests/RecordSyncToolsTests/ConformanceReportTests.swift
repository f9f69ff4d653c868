import RecordSyncTools
import Testing

struct ConformanceReportTests {
    @Test func wellFittingDocumentAndTestsHaveNoProblem() {
        #expect(
            report(row: { "| S\($0) | says | adopted | |" }, tests: held(1...116)).problems == []
        )
    }

    @Test func aNumberMayStandWithoutItsLetter() {
        #expect(
            report(row: { "| \($0) | says | adopted | |" }, tests: held(1...116)).problems == []
        )
    }

    @Test func anAdoptedStatementNeedsATest() {
        let report = report(row: { "| S\($0) | says | adopted | |" }, tests: held(1...115))
        #expect(report.problems == ["S116 is adopted, but no test holds it"])
    }

    @Test(arguments: ["differs", "not yet"])
    func anyOtherVerdictNeedsNoTest(verdict: String) {
        #expect(report(row: { "| S\($0) | says | \(verdict) | so |" }, tests: []).problems == [])
    }

    @Test(arguments: [
        ("prose", "S39 has no row"),
        ("| S38 | says | differs | so |", "S38 has 2 rows, on lines 38, 39; S39 has no row"),
        (
            "| S39 | says | differs | so |\n| S39 | says | differs | so |",
            "S39 has 2 rows, on lines 39, 40"
        ),
        (
            "| S39 | says | maybe | so |",
            "S39 has the verdict \"maybe\"; expected one of adopted, differs, not yet; "
                + "S39 has no row"
        ),
        ("| S39 | says | differs |", "S39 has 3 cells; expected 4; S39 has no row"),
        (
            "| S39 | says | differs | so |\n| S117 | says | differs | so |",
            "S117 has a row, but there are 116 statements"
        ),
    ])
    func everyNumberStandsOnce(line: String, problems: String) {
        let report = report(
            row: { $0 == 39 ? line : "| S\($0) | says | differs | so |" },
            tests: []
        )
        #expect(report.problems.joined(separator: "; ") == problems)
    }

    @Test func printsNumberVerdictTestsAndWhy() {
        let document = """
            # Title
            | number | CKSyncEngine | verdict | why |
            | --- | --- | --- | --- |
            | S1 | a \\| b | adopted | |
            | S2 | c | differs | we know better |
            | S3 | d | not yet | later |
            """
        let report = ConformanceReport(document: document, held: held(1...2) + held(1...1))
        #expect(
            report.lines == [
                "S1    adopted  A.test1 (Tests/A.swift)",
                "               A.test1 (Tests/A.swift)",
                "S2    differs  A.test2 (Tests/A.swift)",
                "               why: we know better",
                "S3    not yet  no test",
                "",
                "statements: 3, adopted: 1, differs: 1, not yet: 1, without a test: 1",
            ]
        )
        #expect(report.rows.map(\.statement) == ["a | b", "c", "d"])
    }

    @Test func listsTheTestsOfOtherRulesInTheOrderAskedFor() {
        let text = """
            struct A {
                @Test(.holds("P10", "H01", "P9")) func one() {}
                @Test(.holds("P9", "S1")) func two() {}
            }
            """
        let report = RuleReport(
            letters: ["P", "H", "J"],
            held: HeldRule.all(in: text, file: "A.swift")
        )
        #expect(
            report.lines == [
                "P9    A.one (A.swift)", "      A.two (A.swift)", "P10   A.one (A.swift)",
                "H01   A.one (A.swift)",
            ]
        )
    }

    private func report(row: (Int) -> String, tests: [HeldRule]) -> ConformanceReport {
        ConformanceReport(document: (1...116).map(row).joined(separator: "\n"), held: tests)
    }

    private func held(_ numbers: ClosedRange<Int>) -> [HeldRule] {
        let tests = numbers.map { "@Test(.holds(\"S\($0)\")) func test\($0)() {}" }
        let text = "struct A {\n\(tests.joined(separator: "\n"))\n}"
        return HeldRule.all(in: text, file: "Tests/A.swift")
    }
}
