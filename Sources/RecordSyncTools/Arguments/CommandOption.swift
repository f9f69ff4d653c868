/// What a command can be given behind two dashes.
package struct CommandOption: Sendable {
    package let name: String
    /// What stands for the value in a help text; nil for an option without one.
    package let valueName: String?
    /// One sentence for the help text.
    package let help: String
    /// What is expected in place of a value that cannot be taken; nil for one that can.
    package let expectation: @Sendable (String) -> String?
    /// True if the command cannot do without it.
    package var isRequired = false

    /// The option as it is typed.
    package var spelling: String { "--\(name)" }

    /// The option with its value, for a help text.
    package var usage: String { valueName.map { "\(spelling) \($0)" } ?? spelling }
}

/// An option that is there or not.
package struct Flag: Sendable {
    package let option: CommandOption

    package init(_ name: String, help: String) {
        option = CommandOption(name: name, valueName: nil, help: help) { _ in nil }
    }
}

/// An option with a value.
package struct ValueOption<Value: Sendable>: Sendable {
    package private(set) var option: CommandOption
    package let parse: @Sendable (String) -> Value?

    /// Makes an option whose value is what `parse` makes of the text; nil refuses it.
    package init(
        _ name: String,
        _ valueName: String,
        help: String,
        expecting expectation: String,
        parse: @escaping @Sendable (String) -> Value?
    ) {
        self.parse = parse
        option = CommandOption(name: name, valueName: valueName, help: help) { text in
            parse(text) == nil ? expectation : nil
        }
    }
}

extension ValueOption {
    /// The same option for a command that cannot do without it.
    package var required: ValueOption {
        var option = self
        option.option.isRequired = true
        return option
    }
}

extension ValueOption<String> {
    /// Makes an option that takes any text, such as a file's name.
    package init(_ name: String, _ valueName: String, help: String) {
        self.init(name, valueName, help: help, expecting: "text") { $0 }
    }
}

extension ValueOption where Value: FixedWidthInteger {
    /// Makes an option that takes a whole number in a range.
    package init(_ name: String, _ valueName: String, in range: ClosedRange<Value>, help: String) {
        let expectation = "a whole number from \(range.lowerBound) to \(range.upperBound)"
        self.init(name, valueName, help: help, expecting: expectation) { text in
            Value(text).flatMap { range.contains($0) ? $0 : nil }
        }
    }
}

/// An argument that is known by its place.
package struct Operand: Sendable {
    /// What stands for it in a help text.
    package let name: String
    /// One sentence for the help text.
    package let help: String
    package let isRequired: Bool
    /// What it can be; empty where it can be anything.
    package let choices: [String]

    package init(_ name: String, help: String, isRequired: Bool = true, choices: [String] = []) {
        self.name = name
        self.help = help
        self.isRequired = isRequired
        self.choices = choices
    }

    /// The operand, for a help text.
    package var usage: String {
        let text = choices.isEmpty ? name : choices.joined(separator: "|")
        return isRequired ? text : "[\(text)]"
    }
}
