import RecordServer
import TestSupport
import Testing

struct HTTPRequestParserTests {
    @Test(arguments: MalformedRequests.all.indices)
    func refusesWhatIsNoRequest(number: Int) {
        let (text, status) = MalformedRequests.all[number]
        #expect(refusal(text, pieceSize: .max) == status)
        // What was refused as a whole is refused in pieces too.
        if text.utf8.count < 1_000 { #expect(refusal(text, pieceSize: 1) == status) }
    }

    @Test func refusesAtLeastSixtyKinds() {
        #expect(MalformedRequests.all.count >= 60)
    }

    @Test func readsNothingBehindARefusal() {
        var parser = HTTPRequestParser()
        parser.receive(Array("GET / HTTP/9.9\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n".utf8))
        let first = parser.next { _ in 100 }
        #expect(parser.next { _ in 100 } == first)
    }

    @Test(arguments: [1, 2, 3, 7, 1_000])
    func readsTheSameInPiecesOfAnySize(pieceSize: Int) {
        let text =
            "POST /a/b?c=d&e HTTP/1.1\r\nHost: x:80\r\nX-Y:  z \r\nContent-Length: 3\r\n\r\nabc"
            + "GET / HTTP/1.0\r\n\r\n"
            + "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
            + "3\r\nabc\r\n0a\r\n0123456789\r\n0\r\n\r\n"
            + "GET /last HTTP/1.1\r\nhost: x\r\nContent-Length: 0\r\n\r\n"
        let requests = requests(in: text, pieceSize: pieceSize)
        #expect(requests.map(\.head.path) == ["/a/b", "/", "/", "/last"])
        #expect(
            requests.map { String(decoding: $0.body, as: UTF8.self) } == [
                "abc", "", "abc0123456789", "",
            ]
        )
        #expect(requests[0].head.query == "c=d&e")
        #expect(requests[0].head.value("x-y") == "z")
        #expect(requests.map(\.head.isVersion11) == [true, false, true, true])
    }

    @Test(.holds("H116")) func takesABodyOfTheGreatestLengthAndNoLonger() {
        for (count, isTaken) in [(100, true), (101, false)] {
            let body = String(repeating: "a", count: count)
            let plain = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: \(count)\r\n\r\n\(body)"
            #expect((refusal(plain, pieceSize: .max) == nil) == isTaken)
            let size = String(count, radix: 16)
            let chunked =
                "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "\(size)\r\n\(body)\r\n0\r\n\r\n"
            #expect((refusal(chunked, pieceSize: 9) == nil) == isTaken)
        }
    }

    @Test(.holds("H114")) func takesAHeadOfTheGreatestSizeAndNoLarger() {
        let start = "GET / HTTP/1.1\r\nHost: x\r\n"
        let fields = String(repeating: "X: y\r\n", count: 63)
        #expect(refusal("\(start)\(fields)\r\n", pieceSize: .max) == nil)
        #expect(refusal("\(start)X: y\r\n\(fields)\r\n", pieceSize: .max) == 431)
        let line = String(repeating: "a", count: 8_000 - 14)
        #expect(refusal("GET /\(line) HTTP/1.1\r\nHost: x\r\n\r\n", pieceSize: .max) == nil)
        #expect(refusal("GET /\(line)a HTTP/1.1\r\nHost: x\r\n\r\n", pieceSize: .max) == 414)
    }

    @Test func asksForABodyThatWaits() {
        var parser = HTTPRequestParser()
        let head = "POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n"
        parser.receive(Array(head.utf8))
        #expect(parser.next { _ in 100 } == .sendContinue)
        #expect(parser.next { _ in 100 } == .needsMore)
        parser.receive([0x61])
        guard case .request(let request) = parser.next({ _ in 100 }) else {
            Issue.record("no request")
            return
        }
        #expect(request.body == [0x61])
    }

    @Test func refusesABodyBeforeItComes() {
        var parser = HTTPRequestParser()
        parser.receive(Array("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n".utf8))
        let step = parser.next { _ throws(HTTPRefusal) in throw HTTPRefusal(401, "who?") }
        #expect(step == .refused(HTTPRefusal(401, "who?")))
    }

    @Test func holdsNoMoreThanItWasGiven() {
        var parser = HTTPRequestParser()
        for _ in 0..<1_000 {
            parser.receive(Array("GET / HTTP/1.1\r\nHost: x\r\n\r\n".utf8))
            _ = parser.next { _ in 0 }
        }
        #expect(parser.heldByteCount == 0)
        #expect(parser.isBetweenRequests)
    }

    /// Random changes of sound requests: it may refuse them, and must not trap or go on for ever.
    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func endsWithEveryInput(seed: UInt64) {
        var generator = Numbers(state: seed)
        let sound = Array(
            ("POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "3\r\nabc\r\n0\r\n\r\n"
                + "POST /b HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc").utf8
        )
        for _ in 0..<500 {
            var bytes = sound
            for _ in 0..<Int(generator.next() % 5) + 1 {
                let place = Int(generator.next() % UInt64(bytes.count))
                switch generator.next() % 3 {
                case 0: bytes[place] = UInt8(truncatingIfNeeded: generator.next())
                case 1: bytes.remove(at: place)
                default: bytes.insert([0x0D, 0x0A, 0x20, 0x3A, 0x30][place % 5], at: place)
                }
            }
            let size = Int(generator.next() % 40) + 1
            _ = requests(in: bytes, pieceSize: size)
        }
    }

    private func refusal(_ text: String, pieceSize: Int) -> Int? {
        var parser = HTTPRequestParser()
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            parser.receive(rest.prefix(pieceSize))
            rest = rest.dropFirst(pieceSize)
            while true {
                switch parser.next({ _ in 100 }) {
                case .refused(let refusal): return refusal.status
                case .request, .sendContinue: continue
                case .needsMore: break
                }
                break
            }
        }
        return nil
    }

    private func requests(in text: String, pieceSize: Int) -> [HTTPRequest] {
        requests(in: Array(text.utf8), pieceSize: pieceSize)
    }

    private func requests(in bytes: [UInt8], pieceSize: Int) -> [HTTPRequest] {
        var parser = HTTPRequestParser()
        var found: [HTTPRequest] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            parser.receive(rest.prefix(pieceSize))
            rest = rest.dropFirst(pieceSize)
            while case .request(let request) = parser.next({ _ in 100 }) { found.append(request) }
        }
        return found
    }
}

/// SplitMix64, so that a seed gives the same numbers everywhere.
struct Numbers {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
