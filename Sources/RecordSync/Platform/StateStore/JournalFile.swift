import RecordModel
package import SyncCore

/// The bytes of a journal: a head, then a frame for each time entries were appended.
///
/// `Docs/StateFormat.md` has the grammar. The check of a frame's length is apart from that of its
/// contents, so that behind a damaged place the next whole frame is found.
package struct JournalFile: Sendable {
    package static let magic = Array("RSjl".utf8)
    package static let version: UInt8 = 1

    /// Whose the entries are: a state without contents; nil if the head is damaged.
    package private(set) var owner: StateSerialization?
    /// The entries of all whole frames, in the order they were appended.
    package private(set) var entries: [JournalEntry] = []
    /// The length of the file up to where it is torn.
    package private(set) var byteCount = 0
    /// What follows of a frame that was not written to its end.
    package private(set) var tornByteCount = 0
    /// The first place that is neither whole nor torn, in words.
    package private(set) var damage: String?

    /// The journal's first bytes.
    package static func head(owner: StateSerialization) -> [UInt8] {
        frame(of: owner.bytes, behind: magic + [version])
    }

    /// The bytes of one append, whole or not there; none for no entries.
    package static func frame(of entries: [JournalEntry]) -> [UInt8] {
        guard !entries.isEmpty else { return [] }
        var writer = BinaryWriter()
        writer.write(list: entries) { $0.write($1.bytes) }
        return frame(of: writer.bytes, behind: [])
    }

    private static func frame(of contents: [UInt8], behind head: [UInt8]) -> [UInt8] {
        var writer = BinaryWriter(capacity: head.count + frameHeadByteCount + contents.count)
        writer.write(raw: head)
        writer.write(fixed: UInt64(contents.count))
        writer.write(raw: checksumBytes(contents))
        writer.write(raw: checksumBytes(writer.bytes))
        writer.write(raw: contents)
        return writer.bytes
    }

    /// Reads a journal; throws only if a newer version of this package wrote something in it.
    package init(reading bytes: [UInt8]) throws(NewerFormat) {
        byteCount = bytes.count
        var position = try readHead(bytes)
        while position < bytes.count {
            switch Frame(in: bytes, at: position) {
            case .whole(let contents):
                try take(contents, at: position)
                position = contents.endIndex
            case .torn:
                tornByteCount = bytes.count - position
                byteCount = position
                position = bytes.count
            case .damaged(let end):
                note("bytes \(position) to \(end - 1) are no entries")
                position = end
            }
        }
    }

    /// Reads the head and gives the place behind it: of a damaged one, that of the first frame.
    private mutating func readHead(_ bytes: [UInt8]) throws(NewerFormat) -> Int {
        let headCount = Self.magic.count + 1
        guard bytes.starts(with: Self.magic), bytes.count > headCount else {
            note("it does not begin as a journal does")
            return Frame.next(in: bytes, from: 0)
        }
        let version = bytes[Self.magic.count]
        if version > Self.version, !isFlipped(version, in: bytes) {
            throw NewerFormat(version: Int(version))
        }
        guard version == Self.version,
            case .whole(let contents) = Frame(in: bytes, at: headCount, behind: headCount)
        else {
            note("its head is damaged")
            return Frame.next(in: bytes, from: headCount)
        }
        do {
            owner = try StateSerialization(bytes: Array(contents))
        } catch {
            switch error {
            case .newerFormat(_, let version): throw NewerFormat(version: version)
            case .damaged: note("its head names no owner")
            }
        }
        return contents.endIndex
    }

    /// A version that is no version but a damaged byte: all is right with this one in its place.
    private func isFlipped(_ version: UInt8, in bytes: [UInt8]) -> Bool {
        let headCount = Self.magic.count + 1
        let mended =
            Self.magic + [Self.version] + bytes[headCount...].prefix(Self.frameHeadByteCount)
        return Frame.hasWholeHead(mended, at: headCount, behind: headCount)
    }

    private mutating func take(
        _ contents: ArraySlice<UInt8>,
        at position: Int
    ) throws(NewerFormat) {
        var reader = BinaryReader(contents)
        guard
            let list = try? reader.readList({ reader throws(BinaryReader.Failure) in
                try reader.readBytes()
            }), reader.isAtEnd
        else { return note("the frame at byte \(position) holds no list") }
        for bytes in list {
            do {
                entries.append(try JournalEntry(bytes: bytes))
            } catch {
                switch error {
                case .newerFormat(_, let version): throw NewerFormat(version: version)
                case .damaged(_, let reason):
                    note("an entry in the frame at byte \(position) is damaged: \(reason)")
                }
            }
        }
    }

    private mutating func note(_ damage: String) { self.damage = self.damage ?? damage }

    /// A newer version of this package wrote it.
    package struct NewerFormat: Error, Hashable, Sendable {
        package let version: Int
    }

    fileprivate static let frameHeadByteCount = 16
}

/// What stands at a place of a journal.
private enum Frame {
    /// A frame with these contents, to the end of which the slice reaches.
    case whole(ArraySlice<UInt8>)
    /// The beginning of a frame, or room for one; the file ends before it does.
    case torn
    /// Something else, up to the next place at which a frame may stand.
    case damaged(end: Int)

    /// Reads at a place; the check of the frame's length is over so many bytes before it too.
    init(in bytes: [UInt8], at position: Int, behind headCount: Int = 0) {
        let start = position + JournalFile.frameHeadByteCount
        // A file that grew before its bytes came is filled with zeros, which are no frame.
        guard start <= bytes.count, bytes[position...].contains(where: { $0 != 0 }) else {
            self = .torn
            return
        }
        guard Self.hasWholeHead(bytes, at: position, behind: headCount) else {
            self = .damaged(end: Self.next(in: bytes, from: position + 1))
            return
        }
        let count = Self.fixed(in: bytes, at: position, count: 8)
        guard count <= UInt64(bytes.count - start) else {
            self = .torn
            return
        }
        let contents = bytes[start..<start + Int(count)]
        let isWhole =
            UInt64(checksum(contents)) == Self.fixed(in: bytes, at: position + 8, count: 4)
        self = isWhole ? .whole(contents) : .damaged(end: contents.endIndex)
    }

    /// The next place from `start` on where a frame begins; the end if there is none.
    static func next(in bytes: [UInt8], from start: Int) -> Int {
        var position = start
        while position < bytes.count, !hasWholeHead(bytes, at: position, behind: 0) {
            position += 1
        }
        return position
    }

    static func hasWholeHead(_ bytes: [UInt8], at position: Int, behind headCount: Int) -> Bool {
        let end = position + JournalFile.frameHeadByteCount
        guard end <= bytes.count else { return false }
        let sum = checksum(bytes[(position - headCount)..<end - 4])
        return UInt64(sum) == fixed(in: bytes, at: end - 4, count: 4)
    }

    private static func fixed(in bytes: [UInt8], at position: Int, count: Int) -> UInt64 {
        bytes[position..<position + count].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}
