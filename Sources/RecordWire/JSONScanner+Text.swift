extension JSONScanner {
    /// A text between its quotes, as it stands in the bytes.
    struct Text {
        /// The bytes between the quotes.
        let range: Range<Int>
        let hasEscapes: Bool
    }

    mutating func string(of part: String) throws(WireError) -> String {
        try expect(.string, of: part)
        return try string()
    }

    /// The text whose opening quote is the next byte.
    mutating func string() throws(WireError) -> String { string(try text()) }

    /// Passes over the text whose opening quote is the next byte, and checks it.
    mutating func text() throws(WireError) -> Text {
        let textStart = position
        var hasEscapes = false
        position += 1
        while true {
            skipPlainCharacters()
            guard position < end else {
                throw unexpected(expecting: "the closing quote of a text")
            }
            switch bytes[position] {
            case UInt8(ascii: "\""):
                let range = (textStart + 1)..<position
                try checkLength(of: range, at: textStart)
                position += 1
                return Text(range: range, hasEscapes: hasEscapes)
            case UInt8(ascii: "\\"):
                hasEscapes = true
                _ = try escape()
            case 0x00..<0x20:
                let byte = hexadecimal(bytes[position])
                throw error("the byte \(byte) stands in a text; expected an escape such as \\n")
            default: try multibyteScalar()
            }
        }
    }

    /// Passes over ASCII that stands for itself: most of every text, so the loop is a tight one.
    private mutating func skipPlainCharacters() {
        var plainEnd = position
        while plainEnd < end {
            let byte = bytes[plainEnd]
            let isPlain =
                (0x20..<0x80).contains(byte) && byte != UInt8(ascii: "\"")
                && byte != UInt8(ascii: "\\")
            guard isPlain else { break }
            plainEnd += 1
        }
        position = plainEnd
    }

    /// The text that was passed over.
    func string(_ text: Text) -> String {
        text.hasEscapes
            ? String(decoding: unescapedBytes(of: text), as: UTF8.self)
            : String(decoding: bytes[text.range], as: UTF8.self)
    }

    /// The UTF-8 of a text that was passed over.
    func utf8(of text: Text) -> ArraySlice<UInt8> {
        text.hasEscapes ? unescapedBytes(of: text)[...] : bytes[text.range]
    }

    private func checkLength(of range: Range<Int>, at position: Int) throws(WireError) {
        guard range.count <= WireLimits.stringByteCountMax else {
            throw error(
                "a text of \(range.count) bytes; "
                    + "expected at most \(WireLimits.stringByteCountMax)",
                at: position
            )
        }
    }

    private func unescapedBytes(of text: Text) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(text.range.count)
        var scanner = self
        scanner.position = text.range.lowerBound
        while scanner.position < text.range.upperBound {
            if bytes[scanner.position] == UInt8(ascii: "\\"), let scalar = try? scanner.escape() {
                result.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            } else {
                result.append(bytes[scanner.position])
                scanner.position += 1
            }
        }
        return result
    }

    /// The character that the escape at the position stands for.
    private mutating func escape() throws(WireError) -> UnicodeScalar {
        let escapeStart = position
        position += 1
        guard position < end else { throw unexpected(expecting: "the rest of an escape") }
        let letter = bytes[position]
        position += 1
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"):
            return UnicodeScalar(letter)
        case UInt8(ascii: "b"): return "\u{08}"
        case UInt8(ascii: "f"): return "\u{0C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return try hexadecimalEscape(at: escapeStart)
        default:
            position = escapeStart + 1
            throw unexpected(expecting: "one of \" \\ / b f n r t u behind a \\")
        }
    }

    /// The character of `\uXXXX`, or of two of them that make up one character.
    private mutating func hexadecimalEscape(at start: Int) throws(WireError) -> UnicodeScalar {
        let unit = try hexadecimalDigits()
        if let scalar = UnicodeScalar(unit) { return scalar }
        guard (0xD800..<0xDC00).contains(unit), position + 1 < end,
            bytes[position] == UInt8(ascii: "\\"), bytes[position + 1] == UInt8(ascii: "u")
        else { throw halfCharacter(unit, at: start) }
        position += 2
        let low = try hexadecimalDigits()
        guard (0xDC00..<0xE000).contains(low),
            let scalar = UnicodeScalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
        else { throw halfCharacter(unit, at: start) }
        return scalar
    }

    private func halfCharacter(_ unit: UInt32, at position: Int) -> WireError {
        let digits = String(unit, radix: 16, uppercase: true)
        return error("\\u\(digits) is half a character; expected both halves", at: position)
    }

    private mutating func hexadecimalDigits() throws(WireError) -> UInt32 {
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard position < end, let digit = hexadecimalDigit(bytes[position]) else {
                throw unexpected(expecting: "four hexadecimal digits behind \\u")
            }
            unit = unit << 4 | digit
            position += 1
        }
        return unit
    }

    /// Passes over a character of two to four bytes: the table of well-formed UTF-8 in Unicode.
    private mutating func multibyteScalar() throws(WireError) {
        let (count, second) = multibyteShape(bytes[position])
        let isWellFormed =
            count > 0 && position + count <= end && second.contains(bytes[position + 1])
            && (2..<max(2, count)).allSatisfy { bytes[position + $0] & 0xC0 == 0x80 }
        guard isWellFormed else {
            throw error("the bytes of a text are not UTF-8; expected UTF-8")
        }
        position += count
    }
}

/// How many bytes a character has that starts with this one (0: none does), and what its second
/// byte can be.
private func multibyteShape(_ first: UInt8) -> (count: Int, second: ClosedRange<UInt8>) {
    switch first {
    case 0xC2...0xDF: (2, 0x80...0xBF)
    case 0xE0: (3, 0xA0...0xBF)
    case 0xED: (3, 0x80...0x9F)
    case 0xE1...0xEF: (3, 0x80...0xBF)
    case 0xF0: (4, 0x90...0xBF)
    case 0xF1...0xF3: (4, 0x80...0xBF)
    case 0xF4: (4, 0x80...0x8F)
    default: (0, 0...0)
    }
}

private func hexadecimalDigit(_ byte: UInt8) -> UInt32? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte - UInt8(ascii: "a") + 10)
    case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte - UInt8(ascii: "A") + 10)
    default: nil
    }
}
