/// What is put in the place of a question mark of a statement.
enum SQLValue {
    case integer(Int64)
    case text(String)
    case blob([UInt8])
    case null

    static func number(_ number: Int) -> SQLValue { .integer(Int64(number)) }

    /// A number whose order does not matter.
    static func bits(_ number: UInt64) -> SQLValue { .integer(Int64(bitPattern: number)) }

    /// A number in its order; what is beyond the last that fits counts as that.
    static func ordered(_ number: UInt64) -> SQLValue { .integer(Int64(clamping: number)) }

    static func optional(_ text: String?) -> SQLValue { text.map { .text($0) } ?? .null }
}
