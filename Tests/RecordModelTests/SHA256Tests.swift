import RecordModel
import Testing

/// The published vectors of FIPS 180-4 and RFC 4231.
struct SHA256Tests {
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
    ])
    func hashesThePublishedVectors(text: String, expected: String) {
        #expect(hexadecimal(SHA256.hash(text.utf8)) == expected)
    }

    @Test func hashesAMillionLetters() {
        let bytes = [UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000)
        #expect(
            hexadecimal(SHA256.hash(bytes))
                == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
        )
    }

    @Test func givesTheSameHashHoweverTheBytesAreCut() {
        let bytes = (0..<200).map { UInt8($0) }
        let whole = SHA256.hash(bytes)
        for cut in 0...bytes.count {
            var hash = SHA256()
            hash.update(bytes[..<cut])
            hash.update(bytes[cut...].lazy.map { $0 })
            #expect(hash.finish() == whole)
        }
    }

    @Test func authenticatesThePublishedVectors() {
        let short = SHA256.authenticate(
            Array("what do ya want for nothing?".utf8),
            key: Array("Jefe".utf8)
        )
        #expect(
            hexadecimal(short)
                == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        )
        let long = SHA256.authenticate(
            Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            key: [UInt8](repeating: 0xAA, count: 131)
        )
        #expect(
            hexadecimal(long)
                == "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        )
    }
}

private func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { byte in
        let digits = String(byte, radix: 16)
        return digits.count == 1 ? "0" + digits : digits
    }.joined()
}
