package import RecordModel

/// What a store or a server holds, by content: two that hold the same have the same digest.
package struct DemoImage: Sendable {
    /// In the order of the names.
    private let entries: [(id: Record.ID, digest: [UInt8])]

    package var count: Int { entries.count }

    package init(of records: [Record]) {
        entries = records.map { ($0.recordID, $0.contentDigest) }.sorted { $0.id < $1.id }
    }

    /// The SHA-256 of the records' content digests, in the order of their names.
    package var digest: String {
        var hash = SHA256()
        for entry in entries { hash.update(entry.digest) }
        return hexadecimal(hash.finish())
    }

    /// Where a device's store and the server differ, a sentence for each record.
    package func differences(on device: String, from server: DemoImage) -> [String] {
        var differences: [String] = []
        var mine = entries[...]
        var theirs = server.entries[...]
        while true {
            switch (mine.first, theirs.first) {
            case (nil, nil):
                return differences
            case (let own?, let other?) where own.id == other.id:
                if own.digest != other.digest {
                    differences.append("device \(device) has another \(own.id) than the server")
                }
                mine.removeFirst()
                theirs.removeFirst()
            case (let own?, let other) where other.map({ own.id < $0.id }) ?? true:
                differences.append("device \(device) has \(own.id), which the server lacks")
                mine.removeFirst()
            case (_, let other?):
                differences.append("device \(device) lacks \(other.id), which the server has")
                theirs.removeFirst()
            case (_?, nil):
                preconditionFailure("what only the device has was told above")
            }
        }
    }
}
