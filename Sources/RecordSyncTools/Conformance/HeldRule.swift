/// A rule's number, such as S39: the letter says which list it stands in.
package struct RuleNumber: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let letter: Character
    package let number: Int

    package init(letter: Character, number: Int) {
        self.letter = letter
        self.number = number
    }

    /// Takes `S39` and `H01`; nil for anything else.
    package init?(_ text: some StringProtocol) {
        guard let letter = text.first, letter.isLetter, text.dropFirst().allSatisfy(\.isNumber),
            let number = Int(text.dropFirst())
        else { return nil }
        self.init(letter: letter, number: number)
    }

    /// The number as its document spells it: those of bugs have two digits at least.
    package var description: String {
        letter == "H" && number < 10 ? "\(letter)0\(number)" : "\(letter)\(number)"
    }

    package static func < (left: RuleNumber, right: RuleNumber) -> Bool {
        (left.letter, left.number) < (right.letter, right.number)
    }
}

/// A test, or a whole suite of tests, that says which rule it holds.
package struct HeldRule: Hashable, Sendable {
    package let rule: RuleNumber
    package let test: TestPlace
}

/// Where a test stands.
package struct TestPlace: Hashable, Sendable, Encodable {
    /// The suites around the test and its name; of a suite its name alone.
    package let name: String
    package let file: String
    package let line: Int
}

extension HeldRule {
    /// The rules that the tests of a file say they hold, in the order of the file.
    ///
    /// A disabled test holds nothing.
    package static func all(in text: String, file: String) -> [HeldRule] {
        var scan = TestScan(SwiftTokenReader.tokens(of: text), file: file)
        scan.run()
        return scan.held
    }
}

/// Walks over a file of tests and remembers which suites it is in.
private struct TestScan {
    private let tokens: [SwiftToken]
    private let file: String
    private var position = 0
    /// The name for each open brace that is a suite's, nil for any other brace.
    private var scopes: [String?] = []
    private var openingSuite: String?
    private var claims: [RuleNumber] = []
    private(set) var held: [HeldRule] = []

    private static let typeWords: Set<String> = ["struct", "class", "actor", "enum", "extension"]

    init(_ tokens: [SwiftToken], file: String) {
        self.tokens = tokens
        self.file = file
    }

    mutating func run() {
        while position < tokens.count {
            step()
            position += 1
        }
    }

    private mutating func step() {
        let token = tokens[position]
        switch token.kind {
        case .literal: break
        case .mark where token.text == "{":
            scopes.append(openingSuite)
            openingSuite = nil
        case .mark where token.text == "}": _ = scopes.popLast()
        case .mark where token.text == "@": readAttribute()
        case .mark: break
        case .word where token.text == "func": name(at: position + 1, isSuite: false)
        case .word where Self.typeWords.contains(token.text) && declaresType:
            name(at: position + 1, isSuite: true)
        case .word: break
        }
    }

    /// False for `class func` and for words such as `.class` and `class` in a constraint.
    private var declaresType: Bool {
        guard position + 1 < tokens.count, tokens[position + 1].kind == .word else { return false }
        let modifiers: Set<String> = ["func", "var", "let", "subscript"]
        return !modifiers.contains(tokens[position + 1].text)
            && (position == 0 || !tokens[position - 1].isMark("."))
    }

    /// Takes the claims of `@Test(…)` and `@Suite(…)`, which the next declaration makes.
    private mutating func readAttribute() {
        guard position + 2 < tokens.count, ["Test", "Suite"].contains(tokens[position + 1].text),
            tokens[position + 2].isMark("(")
        else { return }
        let end = closing(of: position + 2)
        let traits = tokens[(position + 2)...end]
        var isDisabled = false
        for place in traits.indices.dropLast(2) where tokens[place].isMark(".") {
            if tokens[place + 1].isWord("disabled") { isDisabled = true }
            guard tokens[place + 1].isWord("holds"), tokens[place + 2].isMark("(") else { continue }
            claims += tokens[(place + 2)...closing(of: place + 2)].compactMap { token in
                token.kind == .literal ? RuleNumber(token.text) : nil
            }
        }
        if isDisabled { claims = [] }
        position = end
    }

    private func closing(of open: Int) -> Int {
        var depth = 0
        for place in tokens.indices[open...] {
            if tokens[place].isMark("(") { depth += 1 }
            if tokens[place].isMark(")") { depth -= 1 }
            if depth == 0 { return place }
        }
        return tokens.count - 1
    }

    private mutating func name(at place: Int, isSuite: Bool) {
        guard place < tokens.count else { return }
        let token = tokens[place]
        let name = (scopes.compactMap { $0 } + [token.text]).joined(separator: ".")
        let test = TestPlace(name: name, file: file, line: token.line)
        held += claims.map { HeldRule(rule: $0, test: test) }
        claims = []
        if isSuite { openingSuite = token.text }
    }
}
