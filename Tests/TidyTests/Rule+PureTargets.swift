/// The targets that turn values into values: no clock, chance, concurrency, files or output.
let pureTargets: Set<String> = ["RecordModel", "SyncCore", "ServerCore", "SyncSimulation"]

private let forbiddenInPureTargets: [[String]] = [
    ["Foundation"], ["FoundationEssentials"], ["Date", "("], ["UUID", "("], ["Data", "("],
    ["async"], ["await"], ["Task"], ["actor"], ["Mutex"], ["Atomic"], ["DispatchQueue"], ["Thread"],
    [".", "random"], ["SystemRandomNumberGenerator"], ["Clock"], ["ContinuousClock"],
    ["SuspendingClock"], ["print", "("], ["debugPrint", "("], ["dump", "("], ["fopen", "("],
    ["MainActor"],
]

/// A pure target spells nothing that could differ between two runs.
func purityViolations(_ file: SwiftText) -> [Violation] {
    guard isPure(file) else { return [] }
    return forbiddenInPureTargets.flatMap { words in
        file.positions(of: words).map { position in
            file.violation(at: position, "a pure target spells \(words.joined())")
        }
    }
}

/// A pure target writes every case of a switch, so that a new case cannot slip through.
///
/// Where that cannot be (bytes, numbers), a comment on the line or the one above says why.
func defaultCaseViolations(_ file: SwiftText) -> [Violation] {
    guard isPure(file) else { return [] }
    return file.positions(of: ["default", ":"]).filter { position in
        let line = file.tokens[position].line
        let isCase = ![".", ",", "(", "["].contains { file.reads([$0], at: position - 1) }
        return isCase && file.commentLines.isDisjoint(with: [line - 1, line])
    }.map { file.violation(at: $0, "a default case without a reason") }
}

private let orderedWalks: Set<String> = [
    "map", "flatMap", "compactMap", "forEach", "reduce", "first", "enumerated", "lazy", "prefix",
    "popFirst", "randomElement", "makeIterator", "joined",
]

/// A pure target does not walk over a set or a dictionary, whose order differs from run to run.
///
/// It sees names that the same file declares with such a type; `sorted` makes a walk legal.
func unorderedWalkViolations(_ file: SwiftText) -> [Violation] {
    guard isPure(file) else { return [] }
    let names = unorderedNames(file)
    return file.tokens.indices.filter { position in
        names.contains(file.tokens[position].text) && isWalkedOver(file, at: position)
    }.map { position in
        file.violation(at: position, "walks over \(file.tokens[position].text) in no fixed order")
    }
}

private func isPure(_ file: SwiftText) -> Bool {
    guard file.isSource, let target = file.target else { return false }
    return pureTargets.contains(target)
}

private func isWalkedOver(_ file: SwiftText, at position: Int) -> Bool {
    var next = position + 1
    if file.reads([".", "keys"], at: next) || file.reads([".", "values"], at: next) { next += 2 }
    if file.reads(["."], at: next), next + 1 < file.tokens.count {
        return orderedWalks.contains(file.tokens[next + 1].text)
    }
    var before = position - 1
    if file.reads(["self", "."], at: before - 1) { before -= 2 }
    let endsLoopHead = file.reads(["{"], at: next) || file.reads(["where"], at: next)
    return file.reads(["in"], at: before) && endsLoopHead
}

/// The names declared as `Set<…>`, `[Key: Value]`, `Set(…)` or `[:]` in a file, and no other way.
private func unorderedNames(_ file: SwiftText) -> Set<String> {
    var unordered: Set<String> = []
    var ordered: Set<String> = []
    for position in file.tokens.indices
    where file.reads(["let"], at: position) || file.reads(["var"], at: position) {
        guard position + 1 < file.tokens.count else { break }
        let name = file.tokens[position + 1].text
        if declaresUnordered(file, at: position + 2) {
            unordered.insert(name)
        } else {
            ordered.insert(name)
        }
    }
    return unordered.subtracting(ordered)
}

private func declaresUnordered(_ file: SwiftText, at position: Int) -> Bool {
    let heads = [
        [":", "Set", "<"], [":", "Dictionary", "<"], ["=", "Set", "("], ["=", "Set", "<"],
    ]
    if heads.contains(where: { file.reads($0, at: position) }) { return true }
    guard file.reads([":", "["], at: position) || file.reads(["=", "["], at: position) else {
        return false
    }
    let close = file.closing(of: position + 1)
    var depth = 0
    for inner in (position + 1)..<close where file.tokens[inner].kind == .mark {
        switch file.tokens[inner].text {
        case "(", "[", "{", "<": depth += 1
        case ")", "]", "}", ">": depth -= 1
        case ":" where depth == 1: return true
        default: continue
        }
    }
    return false
}
