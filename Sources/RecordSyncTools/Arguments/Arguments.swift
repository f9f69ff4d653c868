/// What a command was given, checked against its declaration.
package struct Arguments: Sendable {
    package private(set) var operands: [String] = []
    /// True if the help text is asked for; nothing else was checked then.
    package private(set) var asksForHelp = false
    private var flags: Set<String> = []
    private var values: [String: String] = [:]

    /// Reads the words that stand behind the command's name.
    ///
    /// Behind `--` every word is an operand.
    package init(_ words: [String], of command: Command) throws(UsageError) {
        var rest = words[...]
        while let word = rest.popFirst() {
            if word == "--" {
                operands += rest
                break
            } else if isHelp(word) {
                asksForHelp = true
                return
            } else if word.hasPrefix("-"), word != "-" {
                try take(word, rest: &rest, of: command)
            } else {
                operands.append(word)
            }
        }
        try checkOperands(of: command)
        for option in command.options where option.isRequired && values[option.name] == nil {
            throw UsageError("\(option.usage) is not given. \(option.help)")
        }
    }

    package func has(_ flag: Flag) -> Bool { flags.contains(flag.option.name) }

    /// The option's value; nil where it was not given.
    package func value<Value>(of option: ValueOption<Value>) -> Value? {
        values[option.option.name].flatMap(option.parse)
    }

    private mutating func take(
        _ word: String,
        rest: inout ArraySlice<String>,
        of command: Command
    ) throws(UsageError) {
        let parts = word.split(
            separator: "=",
            maxSplits: 1,
            omittingEmptySubsequences: false
        )
        let spelling = String(parts[0])
        guard let option = command.options.first(where: { $0.spelling == spelling }) else {
            let known = command.options.map(\.spelling) + ["--help"]
            throw UsageError(unknown("option", spelling, known: known))
        }
        guard !flags.contains(option.name), values[option.name] == nil else {
            throw UsageError("\(spelling) is given twice; expected it once")
        }
        var value = parts.count > 1 ? String(parts[1]) : nil
        guard let valueName = option.valueName else {
            guard value == nil else { throw UsageError("\(spelling) takes no value") }
            flags.insert(option.name)
            return
        }
        if value == nil, rest.first?.hasPrefix("--") == false { value = rest.popFirst() }
        guard let value else { throw UsageError("\(spelling) needs a value: \(valueName)") }
        if let expectation = option.expectation(value) {
            throw UsageError("\(spelling) is given \"\(value)\"; expected \(expectation)")
        }
        values[option.name] = value
    }

    private func checkOperands(of command: Command) throws(UsageError) {
        let requiredCount = command.operands.prefix { $0.isRequired }.count
        guard operands.count >= requiredCount else {
            throw UsageError("no \(command.operands[operands.count].usage) is given")
        }
        guard operands.count <= command.operands.count else {
            let extra = operands[command.operands.count]
            throw UsageError("\"\(extra)\" is one argument too many for \(command.name)")
        }
        for (operand, given) in zip(command.operands, operands)
        where !operand.choices.isEmpty && !operand.choices.contains(given) {
            throw UsageError(unknown(operand.name, given, known: operand.choices))
        }
    }
}

func isHelp(_ word: String) -> Bool { word == "--help" || word == "-h" }

/// Says that a word is unknown, and names the known one that is nearest to it.
func unknown(_ kind: String, _ word: String, known: [String]) -> String {
    let distances = known.map { candidate in
        (word: candidate, distance: candidate.hasPrefix(word) ? 0 : editDistance(candidate, word))
    }
    guard let nearest = distances.min(by: { $0.distance < $1.distance }) else {
        return "unknown \(kind) \"\(word)\""
    }
    return "unknown \(kind) \"\(word)\"; did you mean \"\(nearest.word)\"?"
}

/// How many letters must be put in, taken out or changed to make one word the other.
private func editDistance(_ left: String, _ right: String) -> Int {
    let right = Array(right)
    var previous = Array(0...right.count)
    for (row, letter) in left.enumerated() {
        var current = [row + 1]
        for (column, other) in right.enumerated() {
            let change = previous[column] + (letter == other ? 0 : 1)
            current.append(min(change, previous[column + 1] + 1, current[column] + 1))
        }
        previous = current
    }
    return previous[right.count]
}
