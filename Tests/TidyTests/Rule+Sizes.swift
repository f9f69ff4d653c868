let fileLineCountMax = 500
let functionLineCountMax = 70
let columnCountMax = 100

func fileLengthViolations(_ file: SwiftText) -> [Violation] {
    guard file.lines.count > fileLineCountMax else { return [] }
    return [Violation(path: file.path, line: 1, what: "a file of \(file.lines.count) lines")]
}

func columnViolations(_ file: SwiftText) -> [Violation] {
    file.lines.enumerated().filter { $0.element.count > columnCountMax }.map { position, line in
        Violation(path: file.path, line: position + 1, what: "a line of \(line.count) columns")
    }
}

func functionLengthViolations(_ file: SwiftText) -> [Violation] {
    functionsOf(file).filter { $0.lineCount > functionLineCountMax }.map { function in
        let name = file.tokens[function.position + 1].text
        return file.violation(at: function.position, "\(name) has \(function.lineCount) lines")
    }
}

/// The functions, initialisers, subscripts and computed properties of a file with their lengths.
private func functionsOf(_ file: SwiftText) -> [(position: Int, lineCount: Int)] {
    let heads: Set<String> = ["func", "init", "deinit", "subscript", "var"]
    return file.tokens.indices.compactMap { position in
        let token = file.tokens[position]
        guard token.kind == .word, heads.contains(token.text),
            !file.reads(["."], at: position - 1),
            let open = bodyStart(of: position, in: file)
        else { return nil }
        return (position, file.tokens[file.closing(of: open)].line - token.line + 1)
    }
}

private let declarationWords: Set<String> = [
    "func", "var", "let", "init", "deinit", "subscript", "struct", "class", "enum", "extension",
    "protocol", "case", "typealias", "import", "associatedtype", "actor", "return",
]

/// Where the body of a declaration opens; nil for one without a body.
private func bodyStart(of declaration: Int, in file: SwiftText) -> Int? {
    let isProperty = file.tokens[declaration].text == "var"
    var position = declaration + 1
    while position < file.tokens.count {
        let token = file.tokens[position]
        if token.kind == .word, declarationWords.contains(token.text) { return nil }
        if token.kind == .mark {
            switch token.text {
            case "{": return position
            case "}", ")", "]": return nil
            case "=" where isProperty && file.tokens[position - 1].text != "=": return nil
            case "(", "[": position = file.closing(of: position)
            default: break
            }
        }
        position += 1
    }
    return nil
}
