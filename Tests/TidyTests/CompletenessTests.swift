import Testing

/// Every number that a document lists is held by a test of the package.
struct CompletenessTests {
    private let tree = PackageTree.own

    /// The numbers that no test holds, of the lines that a document lists.
    private func unheld(
        _ path: String,
        letters: String,
        where isMeant: (String) -> Bool = { _ in true }
    ) -> [Violation] {
        let text = tree.documents.first { $0.path == path }?.text ?? ""
        let lines = linesOf(text).filter(isMeant).joined(separator: "\n")
        let listed = numbersListed(in: lines, letters: letters)
        #expect(!listed.isEmpty, "\(path) lists no number")
        return unheldViolations(path: path, listed: listed, files: tree.swiftFiles)
    }

    @Test func everyPromiseIsHeldByATest() {
        #expect(unheld("Docs/Contract.md", letters: "PJ") == [])
    }

    @Test func everyBugHasATest() {
        #expect(unheld("Docs/Bugs.md", letters: "H") == [])
    }

    @Test func everyStatementThatIsMetIsHeldByATest() {
        let unmet = unheld("Docs/Conformance.md", letters: "S") { !$0.contains("| not yet |") }
        #expect(unmet == [])
    }
}
