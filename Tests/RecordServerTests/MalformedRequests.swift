/// Requests that two programs could read in two ways, or that are no requests, each with the status
/// of its refusal.
enum MalformedRequests {
    static let all: [(bytes: String, status: Int)] =
        lines + fields + lengths + chunks + limits

    private static let host = "Host: x\r\n"

    private static let lines: [(String, Int)] = [
        ("\r\n", 400),
        ("\n", 400),
        (" GET / HTTP/1.1\r\n\(host)\r\n", 400),
        ("GET / HTTP/1.1\n\(host)\r\n", 400),
        ("GET / HTTP/1.1\r\r\n\(host)\r\n", 400),
        ("GET /\r\n\(host)\r\n", 400),
        ("GET\r\n\(host)\r\n", 400),
        ("GET  / HTTP/1.1\r\n\(host)\r\n", 400),
        ("GET / HTTP/1.1 \r\n\(host)\r\n", 400),
        ("GET\t/\tHTTP/1.1\r\n\(host)\r\n", 400),
        ("G@T / HTTP/1.1\r\n\(host)\r\n", 400),
        ("GÉT / HTTP/1.1\r\n\(host)\r\n", 400),
        ("GETGETGETGETGETGET / HTTP/1.1\r\n\(host)\r\n", 400),
        ("GET http://x/ HTTP/1.1\r\n\(host)\r\n", 400),
        ("GET x HTTP/1.1\r\n\(host)\r\n", 400),
        ("OPTIONS * HTTP/1.1\r\n\(host)\r\n", 400),
        ("CONNECT x:80 HTTP/1.1\r\n\(host)\r\n", 400),
        ("GET /\u{0} HTTP/1.1\r\n\(host)\r\n", 400),
        ("GET /é HTTP/1.1\r\n\(host)\r\n", 400),
        ("GET /#a HTTP/1.1\r\n\(host)\r\n", 400),
        ("GET / HTTP/1.1\u{0}\r\n\(host)\r\n", 400),
        ("GET / HTTP/2.0\r\n\(host)\r\n", 505),
        ("GET / HTTP/0.9\r\n\(host)\r\n", 505),
        ("GET / HTTP/1.2\r\n\(host)\r\n", 505),
        ("GET / http/1.1\r\n\(host)\r\n", 400),
        ("GET / HTTP/11\r\n\(host)\r\n", 400),
        ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400),
        ("\u{16}\u{3}\u{1}\u{2}\u{0}\n", 400),
    ]

    private static let fields: [(String, Int)] = [
        ("GET / HTTP/1.1\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\n\(host)\(host)\r\n", 400),
        ("GET / HTTP/1.1\r\nHost : x\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\n Host: x\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\n\(host)X: a\r\n b\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\n\(host)X: a\r\n\tb\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\n\(host)X\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\n\(host): x\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\n\(host)X Y: x\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\n\(host)X(: x\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\n\(host)Ü: x\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\n\(host)X: \u{0}\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\n\(host)X: a\u{7F}\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\n\(host)X: a\u{1B}[2J\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\n\(host)X: a\rb\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\n\(host)X: a\nY: b\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\n\(host)\n\r\n", 400),
        ("GET / HTTP/1.1\r\n\(host)Authorization: a\r\nAuthorization: b\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\n\(host)Connection: a\r\nConnection: b\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\n\(host)Content-Type: a\r\nContent-Type: b\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\n\(host)Expect: cookies\r\nContent-Length: 1\r\n\r\n", 417),
        ("POST / HTTP/1.1\r\n\(host)Content-Encoding: gzip\r\nContent-Length: 1\r\n\r\n", 400),
    ]

    private static let lengths: [(String, Int)] =
        [
            "Content-Length: 1\r\nContent-Length: 1", "Content-Length: 1\r\nContent-Length: 2",
            "Content-Length: 1, 1", "Content-Length: +1", "Content-Length: -1",
            "Content-Length: 1 2",
            "Content-Length: 0x1", "Content-Length: 1.0", "Content-Length:", "Content-Length: a",
            "Content-Length: 9223372036854775808", "Content-Length: 0000000000000000001",
            "Content-Length: 1\r\nTransfer-Encoding: chunked",
            "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", "Transfer-Encoding: gzip",
            "Transfer-Encoding: gzip, chunked", "Transfer-Encoding: Chunked",
            "Transfer-Encoding: chunked, identity", "Transfer-Encoding: xchunked",
            "Transfer-Encoding:", "Transfer-Encoding: \"chunked\"",
        ].map { ("POST / HTTP/1.1\r\n\(host)\($0)\r\n\r\na", 400) } + [
            ("GET / HTTP/1.1\r\n\(host)Content-Length: 1\r\n\r\na", 400),
            ("GET / HTTP/1.1\r\n\(host)Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
            ("POST / HTTP/1.0\r\n\(host)Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\n\(host)Content-Length: 101\r\n\r\n", 413),
        ]

    private static let chunks: [(String, Int)] = [
        ("x\r\n", 400), ("\r\n", 400), ("-1\r\n", 400), ("+1\r\n", 400), ("0x1\r\n", 400),
        ("1 \r\n", 400), (" 1\r\n", 400), ("1;a=b\r\n", 400), ("1\n", 400), ("1\rx", 400),
        ("1\r\nab\r\n", 400), ("1\r\na\n", 400), ("FFFFFFFFF\r\n", 400), ("FFFFFFFF\r\n", 413),
        ("0\r\nX: y\r\n\r\n", 400), ("65\r\n", 413),
        ("64\r\n\(String(repeating: "a", count: 100))\r\n1\r\n", 413),
        (String(repeating: "0", count: 70), 400),
    ].map { ("POST / HTTP/1.1\r\n\(host)Transfer-Encoding: chunked\r\n\r\n\($0)", $1) }

    private static let limits: [(String, Int)] = [
        ("GET /\(String(repeating: "a", count: 8_000)) HTTP/1.1\r\n\(host)\r\n", 414),
        ("GET /\(String(repeating: "a", count: 9_000))", 414),
        ("GET / HTTP/1.1\r\n\(host)X: \(String(repeating: "a", count: 8_000))\r\n\r\n", 431),
        (
            "GET / HTTP/1.1\r\n\(host)" + String(repeating: "X: y\r\n", count: 64) + "\r\n",
            431
        ),
        (
            "GET / HTTP/1.1\r\n\(host)"
                + String(repeating: "X: \(String(repeating: "a", count: 5_000))\r\n", count: 7),
            431
        ),
    ]
}
