import RecordSyncHTTP
import TestSupport
import Testing

struct HTTPReplyParserTests {
    @Test(arguments: [1, 2, 5, 1_000])
    func readsTheSameInPiecesOfAnySize(pieceSize: Int) throws {
        let plain = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nRetry-After: 7\r\n\r\nabc"
        let reply = try reply(to: plain, pieceSize)
        #expect(reply?.status == 200)
        #expect(reply?.body == Array("abc".utf8))
        #expect(reply?.retryAfterSeconds == 7)
        let chunked =
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 \r\nTransfer-Encoding: chunked\r\n\r\n"
            + "2;x=y\r\nab\r\n1\r\nc\r\n0\r\n\r\n"
        #expect(try self.reply(to: chunked, pieceSize)?.body == Array("abc".utf8))
    }

    @Test(arguments: [
        "HTTP/2 200\r\n\r\n", "HTTP/1.1 20\r\n\r\n", "HTTP/1.1 abc\r\n\r\n", "hello\r\n\r\n",
        "HTTP/1.1 200 OK\r\nX\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 64000001\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffffff\r\n",
    ])
    func refusesWhatIsNoReply(text: String) {
        #expect(throws: HTTPReplyParser.Malformed.self) { _ = try reply(to: text, .max) }
    }

    @Test func refusesAHeaderWithoutEnd() {
        #expect(throws: HTTPReplyParser.Malformed.self) {
            _ = try reply(to: String(repeating: "a", count: 64_001), .max)
        }
    }

    @Test func aReplyWithoutALengthEndsWithItsConnection() throws {
        var parser = HTTPReplyParser()
        #expect(try parser.receive(Array("HTTP/1.1 200 OK\r\n\r\nab".utf8)[...]) == nil)
        #expect(parser.end()?.body == Array("ab".utf8))
        #expect(!parser.keepsConnection)
    }

    @Test func bytesBehindAReplyAreNoOtherReply() throws {
        var parser = HTTPReplyParser()
        let text = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nabc"
        #expect(try parser.receive(Array(text.utf8)[...])?.body == [0x61])
        #expect(!parser.keepsConnection)
    }

    private func reply(to text: String, _ pieceSize: Int) throws -> HTTPReply? {
        var parser = HTTPReplyParser()
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            if let reply = try parser.receive(rest.prefix(pieceSize)) { return reply }
            rest = rest.dropFirst(pieceSize)
        }
        return nil
    }
}
