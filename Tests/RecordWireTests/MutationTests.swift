import RecordModel
import RecordWire
import Testing

/// Damaged lines: the reader never traps, and what it takes it also writes and reads again.
struct MutationTests {
    @Test func aDamagedLineIsRefusedOrComesBackTheSame() throws {
        var generator = Generator(seed: 20_240_229)
        var takenCount = 0
        for round in 0..<20_000 {
            let sample = Array(Sample.all[round % Sample.all.count].utf8)
            let damaged = damage(sample, using: &generator)
            guard let record = try? RecordJSON.record(from: damaged) else { continue }
            takenCount += 1
            let written = RecordJSON.line(for: record)
            let again = try RecordJSON.record(from: written)
            #expect(RecordJSON.line(for: again) == written, "round \(round)")
            #expect(again.contentDigest == record.contentDigest, "round \(round)")
            #expect(again.changedKeys() == record.changedKeys(), "round \(round)")
            #expect(again.systemFields == record.systemFields, "round \(round)")
        }
        // Both outcomes must be common, or the damage proves nothing.
        #expect((2_000..<18_000).contains(takenCount))
    }

    private func damage(_ line: [UInt8], using generator: inout Generator) -> [UInt8] {
        var line = line
        let place = Int(generator.next() % UInt64(line.count))
        switch generator.next() % 6 {
        case 0: line.removeSubrange(place...)
        case 1: line.remove(at: place)
        case 2: line.insert(UInt8(truncatingIfNeeded: generator.next()), at: place)
        case 3: line[place] ^= 1 << UInt8(generator.next() % 8)
        case 4:
            let marks = Array("{}[]\",:\\0-.eu".utf8)
            line[place] = marks[Int(generator.next() % UInt64(marks.count))]
        default:
            let other = Int(generator.next() % UInt64(line.count))
            line.swapAt(place, other)
        }
        return line
    }
}

/// SplitMix64: the same numbers for the same seed, on every platform.
private struct Generator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
