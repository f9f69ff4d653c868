import RecordModel
import SyncCore
import TestSupport
import Testing

/// What an entry becomes as bytes, and what becomes of bytes that are no entry.
@Suite struct JournalCodecTests {
    private func entries(seed: UInt64) -> [JournalEntry] {
        var samples = JournalSamples(seed: seed)
        return samples.oneOfEach().map {
            JournalEntry(id: samples.key(), change: $0, context: samples.context())
        }
    }

    private func isRefused(_ bytes: [UInt8]) -> Bool {
        do {
            _ = try JournalEntry(bytes: bytes)
            return false
        } catch {
            switch error {
            case .damaged(let kept, _), .newerFormat(let kept, _): return kept == bytes
            }
        }
    }

    @Test(.holds("J1"), arguments: UInt64(0)..<40)
    func everyChangeComesBackFromItsBytes(seed: UInt64) throws {
        for entry in entries(seed: seed) {
            #expect(try JournalEntry(bytes: entry.bytes) == entry)
        }
    }

    @Test(.holds("H33"), arguments: UInt64(0)..<4)
    func everyTruncationIsRefused(seed: UInt64) {
        for entry in entries(seed: seed) {
            let bytes = entry.bytes
            for count in bytes.indices { #expect(isRefused(Array(bytes.prefix(count)))) }
            #expect(isRefused(bytes + [0]))
        }
    }

    @Test(.holds("H33"), arguments: UInt64(0)..<4)
    func everyFlippedByteIsRefused(seed: UInt64) {
        for entry in entries(seed: seed) {
            for position in entry.bytes.indices {
                for mask in [0x01, 0x80, 0xFF] as [UInt8] {
                    var bytes = entry.bytes
                    bytes[position] ^= mask
                    #expect(isRefused(bytes), "\(entry.change), byte \(position)")
                }
            }
        }
    }

    @Test func aNewerFormatIsRefusedAsSuch() {
        var bytes = entries(seed: 1)[0].bytes.dropLast(4)
        bytes[0] = 2
        let sealed = bytes + checksumBytes(bytes)
        #expect(throws: StateSerializationError.newerFormat(bytes: Array(sealed), version: 2)) {
            try JournalEntry(bytes: Array(sealed))
        }
    }

    /// Bytes under a right checksum, one of them changed, or replaced by the largest number.
    private func forgeries(of entry: JournalEntry) -> [[UInt8]] {
        let largest = [UInt8](repeating: 0xFF, count: 9) + [1]
        let body = Array(entry.bytes.dropLast(4))
        return body.indices.dropFirst().flatMap { position in
            let replacements = [largest] + [0x01, 0x04, 0x80, 0xFF].map { [body[position] ^ $0] }
            return replacements.map { replacement -> [UInt8] in
                var forged = body
                forged.replaceSubrange(position...position, with: replacement)
                return forged + checksumBytes(forged)
            }
        }
    }

    @Test(.holds("H33", "S61"), arguments: UInt64(0)..<3)
    func noBytesUnderARightChecksumStopTheEngine(seed: UInt64) throws {
        var device = CoreFixture()
        device.edit(note("a"), note("b"))
        device.callSend()
        device.runUntilSent()
        let state = device.core.serialization
        var taken = 0
        for entry in entries(seed: seed) {
            let read = forgeries(of: entry).compactMap { try? JournalEntry(bytes: $0) }
            taken += read.count
            var next = CoreFixture(state: StateSerialization(state, applying: read))
            next.edit(note("a"), note("new"))
            next.callSend()
            next.callFetch()
            next.run()
            _ = next.core.serialization.bytes
        }
        #expect(taken > 100)
    }

    @Test func anEntryTakesFewBytesAChange() {
        let changes = (0..<250).map { number in
            PendingRecordZoneChange.saveRecord(
                note("7D9E3A80-5C0B-4F0E-9B53-1A6C62B0\(1000 + number)")
            )
        }
        let opened = changes.map {
            StateChange.OpenedChange(
                change: $0,
                recordType: "Note",
                entry: IdempotencyKey(writer: writer, number: 1)
            )
        }
        let closed = changes.map { _ in
            StateChange.Disposition.confirmed(changeTag: "zik0zj-1kz9d3f5-1kz9d3f5")
        }
        let id = IdempotencyKey(writer: writer, number: 1 << 40)
        let whole: [StateChange] = [
            .recordChangesAdded(changes), .sendOpened(opened), .sendClosed(id, closed),
        ]
        let sizes = whole.map { JournalEntry(id: id, change: $0).bytes.count }
        #expect(sizes.reduce(0, +) / changes.count < 200)
        let single = JournalEntry(id: id, change: .recordChangesAdded([changes[0]]))
        #expect(single.bytes.count < 200)
    }
}
