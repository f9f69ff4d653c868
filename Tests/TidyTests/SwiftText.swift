/// A Swift file taken apart: its words, marks and string literals, with their lines; no comments.
///
/// Rules about code look at tokens, so that neither a comment nor a string that quotes bad code
/// counts as bad code.
struct SwiftText: Sendable {
    struct Token: Equatable, Sendable {
        enum Kind: Sendable { case word, literal, mark }
        let kind: Kind
        let text: String
        let line: Int
        /// True if a blank, a line's end or a comment stands before it.
        let followsBlank: Bool
    }

    let path: String
    let lines: [String]
    let tokens: [Token]
    /// The lines that carry a comment.
    let commentLines: Set<Int>

    init(_ path: String, _ text: String) {
        self.path = path
        lines = linesOf(text)
        var reader = SwiftReader(text)
        reader.readCode()
        tokens = reader.tokens
        commentLines = reader.commentLines
    }

    /// The folder below `Sources` or `Tests`; nil for a file outside both.
    var target: String? {
        let parts = path.split(separator: "/")
        guard parts.count > 2, parts[0] == "Sources" || parts[0] == "Tests" else { return nil }
        return String(parts[1])
    }

    var isSource: Bool { path.hasPrefix("Sources/") }
    var isTest: Bool { path.hasPrefix("Tests/") }

    /// True if the code reads so from a token on, whatever blanks lie between.
    func reads(_ texts: [String], at position: Int) -> Bool {
        guard position >= 0, position + texts.count <= tokens.count else { return false }
        return zip(tokens[position...], texts).allSatisfy { token, text in
            token.kind != .literal && token.text == text
        }
    }

    /// The positions from which the code reads so.
    func positions(of texts: [String]) -> [Int] {
        tokens.indices.filter { reads(texts, at: $0) }
    }

    /// The place of the mark that closes the bracket at a position; the last token if none does.
    func closing(of open: Int) -> Int {
        var depth = 0
        for position in open..<tokens.count where tokens[position].kind == .mark {
            switch tokens[position].text {
            case "(", "[", "{": depth += 1
            case ")", "]", "}": depth -= 1
            default: continue
            }
            if depth == 0 { return position }
        }
        return tokens.count - 1
    }
}

/// The lines of a text, without an empty one after the last newline.
func linesOf(_ text: String) -> [String] {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    if lines.last == "" { lines.removeLast() }
    return lines
}
