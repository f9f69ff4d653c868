/// The numbers that the tests of a file claim with `.holds("P1", "S2")`.
func heldNumbers(in file: SwiftText) -> [(number: String, position: Int)] {
    guard file.isTest else { return [] }
    return file.positions(of: [".", "holds", "("]).flatMap { position in
        ((position + 3)..<file.closing(of: position + 2)).filter { inner in
            file.tokens[inner].kind == .literal
        }.map { (file.tokens[$0].text, $0) }
    }
}

/// The ranges of the numbers: promises, the journal's promises, invariants, bugs, statements.
private let numberRanges: [Character: ClosedRange<Int>] = [
    "P": 1...199, "J": 1...99, "I": 1...33, "H": 1...119, "S": 1...116,
]

/// A claim is spelled as its document spells it, so that a search finds both.
func numberViolations(_ file: SwiftText) -> [Violation] {
    heldNumbers(in: file).filter { !isWellFormed($0.number) }.map { number, position in
        file.violation(at: position, "holds \(number), which is no number of a document")
    }
}

private func isWellFormed(_ number: String) -> Bool {
    guard let letter = number.first, let range = numberRanges[letter],
        let value = Int(number.dropFirst()), range.contains(value)
    else { return false }
    return number.dropFirst() == (letter == "H" && value < 10 ? "0\(value)" : "\(value)")
}

/// The numbers that a document gives in headings (`### P1 …`) and in the first cell of table rows.
func numbersListed(in text: String, letters: String) -> [String] {
    linesOf(text).compactMap { line in
        guard line.hasPrefix("#") || line.hasPrefix("|") || line.hasPrefix("- ") else { return nil }
        let words = line.split(whereSeparator: { !$0.isLetter && !$0.isNumber })
        guard let word = words.first, let letter = word.first, letters.contains(letter),
            word.dropFirst().allSatisfy(\.isNumber), word.count > 1
        else { return nil }
        return String(word)
    }
}

/// Every number that a document lists is held by a test.
func unheldViolations(path: String, listed: [String], files: [SwiftText]) -> [Violation] {
    let held = Set(files.flatMap { heldNumbers(in: $0).map(\.number) })
    return listed.filter { !held.contains($0) }.map { number in
        Violation(path: path, line: 1, what: "no test holds \(number)")
    }
}
