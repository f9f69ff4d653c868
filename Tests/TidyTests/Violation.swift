/// A place that breaks a rule of the house.
struct Violation: Equatable, CustomStringConvertible {
    let path: String
    let line: Int
    let what: String

    var description: String { "\(path):\(line): \(what)" }
}

extension SwiftText {
    /// A violation at a token.
    func violation(at position: Int, _ what: String) -> Violation {
        Violation(path: path, line: tokens[position].line, what: what)
    }
}
