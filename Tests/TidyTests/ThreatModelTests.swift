import Testing

/// Every threat of the document has a test that is there, or says why it has none.
struct ThreatModelTests {
    private let tree = PackageTree.own

    private var rows: [[String]] {
        let text = tree.documents.first { $0.path == "Docs/ThreatModel.md" }?.text ?? ""
        return linesOf(text).filter { $0.hasPrefix("| T") }.map { line in
            line.split(separator: "|").map { $0.filter { $0 != "`" } }
        }
    }

    @Test func listsEveryThreat() {
        let numbers = rows.map { $0[0].filter { $0 != " " } }
        #expect(numbers == (1...27).map { "T\($0)" })
    }

    @Test func everyNamedTestIsThere() {
        for row in rows {
            let cell = row.last ?? ""
            let names = cell.split { $0 == " " || $0 == "," }.filter { $0.contains("/") }
            let hasReason = cell.contains("none: ")
            #expect(names.isEmpty == hasReason, "\(row[0]) names no test and no reason")
            for name in names {
                #expect(isThere(name), "\(row[0]) names \(name)")
            }
        }
    }

    @Test func fewThreatsHaveAReasonInstead() {
        #expect(rows.count { $0.last?.contains("none: ") == true } <= 5)
    }

    private func isThere(_ name: Substring) -> Bool {
        let parts = name.split(separator: "/").map(String.init)
        return tree.swiftFiles.contains { file in
            file.isTest && !file.positions(of: ["struct", parts[0]]).isEmpty
                && !file.positions(of: ["func", parts[1]]).isEmpty
        }
    }
}
