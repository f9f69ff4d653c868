import RecordModel
import Testing

struct BinaryTests {
    @Test(arguments: [0, 1, 127, 128, 16_383, 16_384, UInt64.max])
    func readsTheNumberThatWasWritten(number: UInt64) throws {
        var writer = BinaryWriter()
        writer.write(number)
        var reader = BinaryReader(writer.bytes)
        #expect(try reader.readNumber() == number)
        #expect(reader.isAtEnd)
    }

    @Test(arguments: [0, -1, 1, -64, 64, Int64.min, Int64.max])
    func readsTheSignedNumberThatWasWritten(number: Int64) throws {
        var writer = BinaryWriter()
        writer.write(signed: number)
        var reader = BinaryReader(writer.bytes)
        #expect(try reader.readSigned() == number)
        #expect(reader.isAtEnd)
    }

    @Test func refusesANumberAbove64Bits() {
        var reader = BinaryReader([UInt8](repeating: 0xFF, count: 9) + [0x02])
        #expect(throws: BinaryReader.Failure.self) { try reader.readNumber() }
    }

    @Test func refusesACountThatTheBytesCannotHold() {
        var writer = BinaryWriter()
        writer.write(UInt64.max)
        var reader = BinaryReader(writer.bytes)
        #expect(throws: BinaryReader.Failure.self) { try reader.readCount() }
    }

    @Test func refusesTextThatIsNotUTF8() {
        var reader = BinaryReader([1, 0xFF])
        #expect(throws: BinaryReader.Failure.self) { try reader.readString() }
    }

    @Test func refusesAFlagThatIsNeitherZeroNorOne() {
        var reader = BinaryReader([2])
        #expect(throws: BinaryReader.Failure.self) { try reader.readFlag() }
    }

    @Test func refusesEveryPrefixOfWhatWasWritten() {
        var writer = BinaryWriter()
        writer.write("text")
        writer.write(fixed: 7)
        writer.write([1, 2, 3])
        for count in 0..<writer.bytes.count {
            var reader = BinaryReader(Array(writer.bytes.prefix(count)))
            #expect(throws: BinaryReader.Failure.self) {
                _ = try reader.readString()
                _ = try reader.readFixed()
                _ = try reader.readBytes()
            }
        }
    }

    @Test func aTableIsWalkedInTheOrderOfFirstInsertion() {
        var table = OrderedTable<String, Int>()
        for number in 0..<40 { table["\(number)"] = number }
        for number in 0..<30 { table["\(number)"] = nil }
        table["35"] = -1
        table["0"] = 0
        #expect(table.keys == (30..<40).map(String.init) + ["0"])
        #expect(table["35"] == -1)
        #expect(table["1"] == nil)
        #expect(table.count == 11)
        #expect(table.first?.key == "30")
    }
}
