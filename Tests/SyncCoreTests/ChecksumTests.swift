import SyncCore
import Testing

struct ChecksumTests {
    /// The check value that catalogues of CRCs give for this one.
    @Test func isTheOneOfTheCatalogues() {
        #expect(checksum("123456789".utf8) == 0xCBF4_3926)
        #expect(checksum([]) == 0)
        #expect(checksumBytes("123456789".utf8) == [0x26, 0x39, 0xF4, 0xCB])
    }

    @Test func isTheSameAByteAtATime() {
        let bytes = (0..<100).map { UInt8(truncatingIfNeeded: $0 * 37) }
        for start in 0..<9 {
            for end in start...bytes.count {
                var remainder: UInt32 = 0xFFFF_FFFF
                for byte in bytes[start..<end] {
                    remainder ^= UInt32(byte)
                    for _ in 0..<8 {
                        remainder = (remainder >> 1) ^ (remainder & 1 == 1 ? 0xEDB8_8320 : 0)
                    }
                }
                #expect(checksum(bytes[start..<end]) == ~remainder)
            }
        }
    }
}
