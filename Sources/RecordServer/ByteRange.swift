/// The part of a file that a request asks for (RFC 9110, section 14).
package enum ByteRange: Hashable, Sendable {
    /// All of it: no range is asked for, or none that is understood.
    case all
    /// So many bytes from an offset on.
    case part(offset: Int64, byteCount: Int64)
    /// None of it is there.
    case unsatisfiable

    /// Reads the field `range` for a file of a length.
    ///
    /// What is not understood, and several ranges at once, count as none asked for.
    package init(_ field: String?, of length: Int64) {
        self = .all
        guard let field, field.lowercased().hasPrefix("bytes=") else { return }
        let range = field.dropFirst("bytes=".count).filter { $0 != " " }
        guard !range.contains(","), let dash = range.firstIndex(of: "-") else { return }
        let (first, last) = (range[..<dash], range[range.index(after: dash)...])
        guard let last = Self.number(last) else { return }
        if first.isEmpty {
            guard let count = last else { return }
            self =
                count == 0 || length == 0
                ? .unsatisfiable
                : .part(offset: max(0, length - count), byteCount: min(length, count))
            return
        }
        guard case .some(.some(let offset)) = Self.number(first), offset <= last ?? .max else {
            return
        }
        guard offset < length else {
            self = .unsatisfiable
            return
        }
        let end = min(last ?? .max, length - 1)
        self = .part(offset: offset, byteCount: end - offset + 1)
    }

    /// A number; nil inside for no digits, nil outside for what is no number.
    private static func number(_ text: Substring) -> Int64?? {
        if text.isEmpty { return .some(nil) }
        guard text.utf8.count <= 18, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int64(text)
    }
}
