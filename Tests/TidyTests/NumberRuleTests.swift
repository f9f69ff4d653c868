import Testing

struct NumberRuleTests {
    private let test = SwiftText(
        "Tests/SyncCoreTests/A.swift",
        "@Test(.holds(\"P1\", \"H01\")) func a() {}\n// .holds(\"P2\")\n@Suite(.holds(\"S116\"))"
    )

    @Test func readsTheNumbersThatTestsHold() {
        #expect(heldNumbers(in: test).map(\.number) == ["P1", "H01", "S116"])
        #expect(heldNumbers(in: SwiftText("Sources/A/B.swift", ".holds(\"P1\")")).isEmpty)
    }

    @Test(arguments: ["H1", "S117", "S0", "I34", "X1", "P", "S01", "", "P1.2"])
    func catchesANumberOfNoDocument(number: String) {
        let file = SwiftText("Tests/A/B.swift", "@Test(.holds(\"\(number)\"))")
        #expect(numberViolations(file).count == 1)
    }

    @Test func passesNumbersOfTheDocuments() {
        let file = SwiftText(
            "Tests/A/B.swift",
            ".holds(\"H01\", \"H119\", \"S1\", \"J12\", \"I33\")"
        )
        #expect(numberViolations(file) == [])
    }

    @Test func readsTheNumbersThatADocumentLists() {
        let text = """
            # Contract, P9 is not listed here
            ## P1 Same in, same out
            | P2 | in order |
            - **J3** replay
            P4 in prose.
            | Snapshot | no number |
            """
        #expect(numbersListed(in: text, letters: "PJ") == ["P1", "P2", "J3"])
    }

    @Test func catchesAListedNumberThatNoTestHolds() {
        let violations = unheldViolations(path: "C.md", listed: ["P1", "P2"], files: [test])
        #expect(violations == [Violation(path: "C.md", line: 1, what: "no test holds P2")])
    }
}
