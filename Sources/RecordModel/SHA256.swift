/// SHA-256 (FIPS 180-4) and HMAC (RFC 2104) over it.
package struct SHA256: Sendable {
    private var state: [UInt32] = [
        0x6A09_E667, 0xBB67_AE85, 0x3C6E_F372, 0xA54F_F53A,
        0x510E_527F, 0x9B05_688C, 0x1F83_D9AB, 0x5BE0_CD19,
    ]
    private var block: [UInt8] = []
    private var byteCount: UInt64 = 0

    package init() { block.reserveCapacity(64) }

    /// The 32 bytes of the hash of a run of bytes.
    package static func hash(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        var hash = SHA256()
        hash.update(bytes)
        return hash.finish()
    }

    /// The 32 bytes that authenticate a message under a key.
    package static func authenticate(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
        var padded = key.count > 64 ? hash(key) : key
        padded += [UInt8](repeating: 0, count: 64 - padded.count)
        let inner = hash(padded.map { $0 ^ 0x36 } + message)
        return hash(padded.map { $0 ^ 0x5C } + inner)
    }

    /// Takes more bytes into the hash.
    package mutating func update(_ bytes: some Sequence<UInt8>) {
        let isTaken: Void? = bytes.withContiguousStorageIfAvailable { take($0[...]) }
        if isTaken == nil { Array(bytes).withUnsafeBufferPointer { take($0[...]) } }
    }

    /// Fills the block begun before, hashes whole blocks where they lie, and keeps the rest.
    private mutating func take(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) {
        byteCount += UInt64(bytes.count)
        var rest = bytes
        if !block.isEmpty {
            let missing = rest.prefix(64 - block.count)
            block.append(contentsOf: missing)
            rest = rest.dropFirst(missing.count)
            guard block.count == 64 else { return }
            compressBlock()
        }
        while rest.count >= 64 {
            compress(UnsafeBufferPointer(rebasing: rest.prefix(64)))
            rest = rest.dropFirst(64)
        }
        block.append(contentsOf: rest)
    }

    /// The 32 bytes of the hash of everything taken in.
    package mutating func finish() -> [UInt8] {
        let bitCount = byteCount * 8
        block.append(0x80)
        if block.count > 56 {
            block += [UInt8](repeating: 0, count: 64 - block.count)
            compressBlock()
        }
        block += [UInt8](repeating: 0, count: 56 - block.count)
        for shift in stride(from: 56, through: 0, by: -8) {
            block.append(UInt8(truncatingIfNeeded: bitCount >> UInt64(shift)))
        }
        compressBlock()
        return state.flatMap { word in
            [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> UInt32($0)) }
        }
    }

    private mutating func compressBlock() {
        let full = block
        block.removeAll(keepingCapacity: true)
        full.withUnsafeBufferPointer { compress($0) }
    }

    private mutating func compress(_ block: UnsafeBufferPointer<UInt8>) {
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64) { words in
            for position in 0..<16 {
                words[position] =
                    UInt32(block[4 * position]) << 24 | UInt32(block[4 * position + 1]) << 16
                    | UInt32(block[4 * position + 2]) << 8 | UInt32(block[4 * position + 3])
            }
            for position in 16..<64 {
                let early = words[position - 15]
                let late = words[position - 2]
                let sigma0 = rotate(early, 7) ^ rotate(early, 18) ^ (early >> 3)
                let sigma1 = rotate(late, 17) ^ rotate(late, 19) ^ (late >> 10)
                words[position] =
                    words[position - 16] &+ sigma0 &+ words[position - 7] &+ sigma1
            }
            roundConstants.withUnsafeBufferPointer { mix(words, $0) }
        }
    }

    private mutating func mix(
        _ words: UnsafeMutableBufferPointer<UInt32>,
        _ constants: UnsafeBufferPointer<UInt32>
    ) {
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        var (e, f, g, h) = (state[4], state[5], state[6], state[7])
        for position in 0..<64 {
            let sum1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)
            let choice = (e & f) ^ (~e & g)
            let first = h &+ sum1 &+ choice &+ constants[position] &+ words[position]
            let sum0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)
            let majority = (a & b) ^ (a & c) ^ (b & c)
            (h, g, f, e) = (g, f, e, d &+ first)
            (d, c, b, a) = (c, b, a, first &+ sum0 &+ majority)
        }
        for (position, word) in [a, b, c, d, e, f, g, h].enumerated() { state[position] &+= word }
    }
}

private func rotate(_ word: UInt32, _ count: UInt32) -> UInt32 {
    (word >> count) | (word << (32 - count))
}

private let roundConstants: [UInt32] = [
    0x428A_2F98, 0x7137_4491, 0xB5C0_FBCF, 0xE9B5_DBA5, 0x3956_C25B, 0x59F1_11F1, 0x923F_82A4,
    0xAB1C_5ED5, 0xD807_AA98, 0x1283_5B01, 0x2431_85BE, 0x550C_7DC3, 0x72BE_5D74, 0x80DE_B1FE,
    0x9BDC_06A7, 0xC19B_F174, 0xE49B_69C1, 0xEFBE_4786, 0x0FC1_9DC6, 0x240C_A1CC, 0x2DE9_2C6F,
    0x4A74_84AA, 0x5CB0_A9DC, 0x76F9_88DA, 0x983E_5152, 0xA831_C66D, 0xB003_27C8, 0xBF59_7FC7,
    0xC6E0_0BF3, 0xD5A7_9147, 0x06CA_6351, 0x1429_2967, 0x27B7_0A85, 0x2E1B_2138, 0x4D2C_6DFC,
    0x5338_0D13, 0x650A_7354, 0x766A_0ABB, 0x81C2_C92E, 0x9272_2C85, 0xA2BF_E8A1, 0xA81A_664B,
    0xC24B_8B70, 0xC76C_51A3, 0xD192_E819, 0xD699_0624, 0xF40E_3585, 0x106A_A070, 0x19A4_C116,
    0x1E37_6C08, 0x2748_774C, 0x34B0_BCB5, 0x391C_0CB3, 0x4ED8_AA4A, 0x5B9C_CA4F, 0x682E_6FF3,
    0x748F_82EE, 0x78A5_636F, 0x84C8_7814, 0x8CC7_0208, 0x90BE_FFFA, 0xA450_6CEB, 0xBEF9_A3F7,
    0xC671_78F2,
]
