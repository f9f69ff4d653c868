/// Reads Swift byte by byte into tokens.
///
/// It knows nested comments, raw and many-line strings and the code inside interpolations; it does
/// not know bare regex literals.
struct SwiftReader {
    private let bytes: [UInt8]
    private var position = 0
    private var line = 1
    private var followsBlank = true
    private(set) var tokens: [SwiftText.Token] = []
    private(set) var commentLines: Set<Int> = []

    init(_ text: String) { bytes = Array(text.utf8) }

    /// Reads to the end of the text, or to the bracket that closes an interpolation.
    mutating func readCode(insideInterpolation: Bool = false) {
        var depth = 0
        while position < bytes.count {
            if starts("//") {
                readLineComment()
            } else if starts("/*") {
                readBlockComment()
            } else if let poundCount = poundCountOfString() {
                readString(poundCount: poundCount)
            } else if isWordByte(bytes[position]) || starts("`") {
                readWord()
            } else {
                if insideInterpolation, starts("(") { depth += 1 }
                if insideInterpolation, starts(")") {
                    if depth == 0 { return }
                    depth -= 1
                }
                readMark()
            }
        }
    }

    private func starts(_ text: StaticString, at offset: Int = 0) -> Bool {
        let start = position + offset
        guard start + text.utf8CodeUnitCount <= bytes.count else { return false }
        return text.withUTF8Buffer { $0.elementsEqual(bytes[start..<(start + $0.count)]) }
    }

    private mutating func advance(_ count: Int = 1) {
        for _ in 0..<count where position < bytes.count {
            if bytes[position] == UInt8(ascii: "\n") { line += 1 }
            position += 1
        }
    }

    private mutating func readLineComment() {
        followsBlank = true
        commentLines.insert(line)
        while position < bytes.count, !starts("\n") { advance() }
    }

    private mutating func readBlockComment() {
        followsBlank = true
        var depth = 0
        repeat {
            commentLines.insert(line)
            if starts("/*") {
                depth += 1
                advance(2)
            } else if starts("*/") {
                depth -= 1
                advance(2)
            } else {
                advance()
            }
        } while depth > 0 && position < bytes.count
    }

    /// The number of `#` before the quotation mark that comes next; nil if no string comes next.
    private func poundCountOfString() -> Int? {
        var count = 0
        while starts("#", at: count) { count += 1 }
        return starts("\"", at: count) ? count : nil
    }

    private func poundsFollow(_ count: Int, at offset: Int) -> Bool {
        (0..<count).allSatisfy { starts("#", at: offset + $0) }
    }

    private mutating func readString(poundCount: Int) {
        advance(poundCount)
        let quoteCount = starts("\"\"\"") ? 3 : 1
        advance(quoteCount)
        var piece: [UInt8] = []
        var pieceLine = line
        while position < bytes.count {
            if starts("\\"), poundsFollow(poundCount, at: 1) {
                let escape = 1 + poundCount
                if starts("(", at: escape) {
                    append(.literal, piece, at: pieceLine)
                    advance(escape + 1)
                    readCode(insideInterpolation: true)
                    advance()
                    (piece, pieceLine) = ([], line)
                } else {
                    piece += bytes[position..<min(position + escape + 1, bytes.count)]
                    advance(escape + 1)
                }
            } else if quoteCount == 3 ? starts("\"\"\"") : starts("\""),
                poundsFollow(poundCount, at: quoteCount)
            {
                break
            } else {
                piece.append(bytes[position])
                advance()
            }
        }
        append(.literal, piece, at: pieceLine)
        advance(quoteCount + poundCount)
    }

    private mutating func readWord() {
        let start = position
        if starts("`") {
            repeat { advance() } while position < bytes.count && !starts("`")
            advance()
        } else {
            while position < bytes.count, isWordByte(bytes[position]) { advance() }
        }
        append(.word, Array(bytes[start..<position]), at: line)
    }

    private mutating func readMark() {
        let byte = bytes[position]
        if byte > UInt8(ascii: " ") {
            append(.mark, [byte], at: line)
        } else {
            followsBlank = true
        }
        advance()
    }

    private mutating func append(_ kind: SwiftText.Token.Kind, _ bytes: [UInt8], at line: Int) {
        let text = String(decoding: bytes, as: UTF8.self)
        tokens.append(
            SwiftText.Token(kind: kind, text: text, line: line, followsBlank: followsBlank)
        )
        followsBlank = false
    }
}

private func isWordByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...0xFF: true
    default: false
    }
}
