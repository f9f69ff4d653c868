public import RecordModel

/// Reads records from bytes that hold one a line.
///
/// Lines end with LF or CRLF, the last one with or without; blank lines are passed over, and so is
/// a byte order mark before the first. Beside what `RecordJSON` refuses, a record must keep the
/// model's rules for names and links, and stand once under its name and zone.
public struct NDJSONReader: Sendable {
    private let bytes: [UInt8]
    private var position: Int
    private var lineNumber = 0
    private var firstLines: [Record.ID: Int] = [:]
    private let refusesUnknownKeys: Bool

    /// Makes a reader over the bytes of a file.
    ///
    /// A key that it does not know is passed over, unless such keys are to be refused: that tells
    /// whoever writes a file by hand of a slip.
    public init(_ bytes: some Collection<UInt8>, refusingUnknownKeys: Bool = false) {
        self.bytes = Array(bytes)
        refusesUnknownKeys = refusingUnknownKeys
        let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
        position = self.bytes.starts(with: byteOrderMark) ? byteOrderMark.count : 0
    }

    /// The next record with the number of its line, counted from 1; nil at the end.
    ///
    /// After an error the reader stands behind the line it refused, so a caller may go on.
    public mutating func next() throws(NDJSONError) -> (lineNumber: Int, record: Record)? {
        while let range = nextLine() {
            guard !isBlank(range) else { continue }
            return (lineNumber, try record(at: range))
        }
        return nil
    }

    private mutating func nextLine() -> Range<Int>? {
        guard position < bytes.count else { return nil }
        let start = position
        var end = start
        while end < bytes.count, bytes[end] != UInt8(ascii: "\n") { end += 1 }
        position = end + 1
        lineNumber += 1
        let hasReturn = end > start && end < bytes.count && bytes[end - 1] == UInt8(ascii: "\r")
        return start..<(hasReturn ? end - 1 : end)
    }

    private func isBlank(_ range: Range<Int>) -> Bool {
        bytes[range].allSatisfy { [0x20, 0x09, 0x0D].contains($0) }
    }

    private mutating func record(at range: Range<Int>) throws(NDJSONError) -> Record {
        let record: Record
        do {
            record = try RecordJSON.record(
                in: bytes,
                at: range,
                refusingUnknownKeys: refusesUnknownKeys
            )
        } catch {
            throw NDJSONError(line: lineNumber, message: error.description)
        }
        do {
            try record.validate()
        } catch {
            throw NDJSONError(line: lineNumber, message: error.message)
        }
        if let firstLine = firstLines[record.recordID] {
            let name = record.recordID.recordName
            throw NDJSONError(
                line: lineNumber,
                message: "duplicate recordName \(name), first on line \(firstLine)"
            )
        }
        firstLines[record.recordID] = lineNumber
        return record
    }
}

/// Why a line holds no record that can be taken.
public struct NDJSONError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The line, counted from 1.
    public let line: Int
    /// What is wrong and what was expected.
    public let message: String

    /// Makes an error.
    public init(line: Int, message: String) {
        self.line = line
        self.message = message
    }

    /// The line and the message: put the file's name and a colon before it.
    public var description: String { "\(line): \(message)" }
}
