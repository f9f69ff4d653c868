/// Marks of unfinished work, each put together, so that this file does not carry it.
let unfinishedMarks = ["FIX" + "ME", "TO" + "DO", "XX" + "X"]

/// Paths of one machine.
let machinePaths = [
    "/wor" + "k/", "/tmp/bui" + "ld", "/tmp/co" + "py", "/ro" + "ot/",
]

/// No text of the project carries a mark of unfinished work or a path of one machine.
func wordViolations(path: String, text: String) -> [Violation] {
    linesOf(text).enumerated().flatMap { position, line in
        let marks = unfinishedMarks.filter { holdsWord($0, in: line) }
        let paths = machinePaths.filter { holdsPath($0, in: line) }
        return (marks + paths).map { word in
            Violation(path: path, line: position + 1, what: "carries \(word)")
        }
    }
}

private let escapes: [[String]] = [
    ["@", "unchecked"], ["nonisolated", "(", "unsafe", ")"], ["try", "!"], ["as", "!"],
    ["@", "testable"],
]

/// No file leaves the compiler's checks by a back door.
func escapeViolations(_ file: SwiftText) -> [Violation] {
    escapes.flatMap { words in
        file.positions(of: words).filter { position in
            // `try !isDone()` negates; only the mark that follows at once is the back door.
            (1..<words.count).allSatisfy { !file.tokens[position + $0].followsBlank }
        }.map { file.violation(at: $0, "spells \(words.joined())") }
    }
}

/// No test waits for real time to pass.
func sleepViolations(_ file: SwiftText) -> [Violation] {
    guard file.isTest else { return [] }
    let calls = [
        ["Task", ".", "sleep"], ["Thread", ".", "sleep"], ["usleep", "("], ["nanosleep"],
    ]
    let bare = file.positions(of: ["sleep", "("]).filter { position in
        !file.reads(["."], at: position - 1) && !file.reads(["func"], at: position - 1)
    }
    return (calls.flatMap(file.positions) + bare).sorted().map { position in
        file.violation(at: position, "a test sleeps")
    }
}

private func holdsWord(_ word: String, in line: String) -> Bool {
    line.split(whereSeparator: { !$0.isLetter && !$0.isNumber && $0 != "_" }).contains {
        $0 == word
    }
}

private func holdsPath(_ path: String, in line: String) -> Bool {
    var rest = line[...]
    while let found = rest.firstRange(of: path) {
        let isStart = found.lowerBound == line.startIndex
        if isStart || !isPathLetter(line[line.index(before: found.lowerBound)]) { return true }
        rest = rest[found.upperBound...]
    }
    return false
}

private func isPathLetter(_ letter: Character) -> Bool {
    letter.isLetter || letter.isNumber || "_-./)}".contains(letter)
}
