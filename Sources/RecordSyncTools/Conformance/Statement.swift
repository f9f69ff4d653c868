/// A row of `Docs/Conformance.md`: what CKSyncEngine does, and how this package stands to it.
package struct Statement: Hashable, Sendable {
    /// How this package stands to a statement.
    package enum Verdict: String, CaseIterable, Hashable, Sendable, Encodable {
        case adopted
        case differs
        case notYet = "not yet"
    }

    package let number: RuleNumber
    package let text: String
    package let verdict: Verdict
    package let why: String
    /// The row's line in its document.
    package let line: Int

    /// How many statements there are: the document holds each number from 1 on once.
    package static let countMax = 116

    /// The rows of the document whose first cell is a number, and what is wrong with others.
    package static func rows(of document: String) -> (statements: [Statement], problems: [String]) {
        var statements: [Statement] = []
        var problems: [String] = []
        let lines = document.split(separator: "\n", omittingEmptySubsequences: false)
        for (position, line) in lines.enumerated() {
            let cells = cells(of: line)
            guard let number = cells.first.flatMap(number) else { continue }
            if cells.count != 4 {
                problems.append("\(number) has \(cells.count) cells; expected 4")
            } else if let verdict = Verdict(rawValue: cells[2]) {
                statements.append(
                    Statement(
                        number: number,
                        text: cells[1],
                        verdict: verdict,
                        why: cells[3],
                        line: position + 1
                    )
                )
            } else {
                let known = Verdict.allCases.map(\.rawValue).joined(separator: ", ")
                problems.append(
                    "\(number) has the verdict \"\(cells[2])\"; expected one of \(known)"
                )
            }
        }
        return (statements, problems)
    }

    /// The cells of a table's row, without blanks at their ends; none for any other line.
    private static func cells(of line: Substring) -> [String] {
        guard line.hasPrefix("|") else { return [] }
        var cells = [""]
        var isEscaped = false
        for character in line.dropFirst() {
            if character == "|", !isEscaped {
                cells.append("")
            } else {
                if character == "|" { cells[cells.count - 1].removeLast() }
                cells[cells.count - 1].append(character)
            }
            isEscaped = character == "\\"
        }
        if cells.last?.allSatisfy(\.isWhitespace) == true { cells.removeLast() }
        return cells.map { cell in
            let start = cell.drop(while: \.isWhitespace)
            let end = start.lastIndex { !$0.isWhitespace }
            return end.map { String(start[...$0]) } ?? ""
        }
    }

    /// A number with or without its letter.
    private static func number(_ cell: String) -> RuleNumber? {
        if let number = RuleNumber(cell), number.letter == "S" { return number }
        return Int(cell).map { RuleNumber(letter: "S", number: $0) }
    }
}
