/// A piece of Swift: a word, a mark, or what stands between the quotes of a string.
struct SwiftToken: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        case word
        case mark
        case literal
    }

    let kind: Kind
    let text: String
    let line: Int

    func isMark(_ mark: Character) -> Bool { kind == .mark && text.first == mark }
    func isWord(_ word: String) -> Bool { kind == .word && text == word }
}

/// Reads Swift into words, marks and strings, so that nothing in a comment or a string is taken
/// for code.
///
/// An interpolation is part of its string here.
struct SwiftTokenReader {
    private let text: [Character]
    private var position = 0
    private var line = 1
    private var tokens: [SwiftToken] = []

    private init(_ text: String) { self.text = Array(text) }

    static func tokens(of text: String) -> [SwiftToken] {
        var reader = SwiftTokenReader(text)
        while reader.position < reader.text.count { reader.readPiece() }
        return reader.tokens
    }

    private func starts(_ prefix: String, at offset: Int = 0) -> Bool {
        text[min(position + offset, text.count)...].starts(with: prefix)
    }

    private mutating func advance(_ count: Int = 1) {
        for character in text[position...].prefix(count) where character.isNewline { line += 1 }
        position = min(position + count, text.count)
    }

    private mutating func readPiece() {
        if starts("//") {
            while position < text.count, !text[position].isNewline { advance() }
        } else if starts("/*") {
            readBlockComment()
        } else if let pounds = poundsBeforeQuote() {
            readString(pounds: pounds)
        } else if isWordCharacter(text[position]) {
            readWord()
        } else {
            if !text[position].isWhitespace { append(.mark, String(text[position]), at: line) }
            advance()
        }
    }

    private mutating func readBlockComment() {
        var depth = 0
        repeat {
            let isOpen = starts("/*")
            let isClose = starts("*/")
            depth += isOpen ? 1 : isClose ? -1 : 0
            advance(isOpen || isClose ? 2 : 1)
        } while depth > 0 && position < text.count
    }

    private func poundsBeforeQuote() -> Int? {
        let pounds = text[position...].prefix { $0 == "#" }.count
        return starts("\"", at: pounds) ? pounds : nil
    }

    private mutating func readString(pounds: Int) {
        let firstLine = line
        let quotes = starts("\"\"\"", at: pounds) ? "\"\"\"" : "\""
        let pounds = String(repeating: "#", count: pounds)
        advance(pounds.count + quotes.count)
        let start = position
        while position < text.count, !starts(quotes + pounds) {
            if starts("\\\(pounds)(") {
                skipInterpolation(pounds)
            } else {
                advance(starts("\\\(pounds)") ? 2 + pounds.count : 1)
            }
        }
        append(.literal, String(text[start..<position]), at: firstLine)
        advance(quotes.count + pounds.count)
    }

    /// Passes over `\(…)` with the strings inside it, which hold brackets of their own.
    private mutating func skipInterpolation(_ pounds: String) {
        advance(2 + pounds.count)
        let outer = tokens
        var depth = 1
        while position < text.count, depth > 0 {
            depth += starts("(") ? 1 : starts(")") ? -1 : 0
            readPiece()
        }
        tokens = outer
    }

    private mutating func readWord() {
        let start = position
        if text[position] == "`" {
            repeat { advance() } while position < text.count && text[position] != "`"
            append(.word, String(text[(start + 1)..<position]), at: line)
            advance()
        } else {
            while position < text.count, isWordCharacter(text[position]) { advance() }
            append(.word, String(text[start..<position]), at: line)
        }
    }

    private mutating func append(_ kind: SwiftToken.Kind, _ text: String, at line: Int) {
        tokens.append(SwiftToken(kind: kind, text: text, line: line))
    }
}

private func isWordCharacter(_ character: Character) -> Bool {
    character.isLetter || character.isNumber || character == "_" || character == "`"
}
