/// A request as it came over a connection.
package struct HTTPRequest: Hashable, Sendable {
    package var head: HTTPRequestHead
    package var body: [UInt8]

    package init(head: HTTPRequestHead, body: [UInt8] = []) {
        self.head = head
        self.body = body
    }
}

/// Everything of a request but its body.
package struct HTTPRequestHead: Hashable, Sendable {
    package var method: String
    /// The path, with its escapes.
    package var path: String
    /// What stands behind the question mark, with its escapes.
    package var query: String
    /// True for HTTP/1.1, false for HTTP/1.0.
    package var isVersion11: Bool
    package var fields: [HTTPField]

    package init(
        method: String,
        path: String,
        query: String = "",
        isVersion11: Bool = true,
        fields: [HTTPField] = []
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.isVersion11 = isVersion11
        self.fields = fields
    }

    /// The value of a field that stands there once; nil if it does not, or stands there twice.
    package func value(_ name: String) -> String? {
        let found = fields.filter { $0.name == name }
        return found.count == 1 ? found[0].value : nil
    }

    /// Whether the connection may be used again.
    package var keepsConnection: Bool {
        let options = (value("connection") ?? "").lowercased().split(separator: ",").map {
            $0.filter { $0 != " " }
        }
        return isVersion11 ? !options.contains("close") : options.contains("keep-alive")
    }
}

/// A header field; its name is in small letters.
package struct HTTPField: Hashable, Sendable {
    package let name: String
    package let value: String

    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// What is sent back.
package struct HTTPResponse: Hashable, Sendable {
    package var status: Int
    package var fields: [HTTPField] = []
    package var body: [UInt8]
    /// What is sent in the place of the body: a part of a file.
    package var file: FileBody?
    /// True if the connection is closed behind it.
    package var closes = false

    package init(status: Int, body: [UInt8] = []) {
        self.status = status
        self.body = body
    }

    /// The bytes to send.
    package func bytes(keepsConnection: Bool) -> [UInt8] {
        var head = "HTTP/1.1 \(status) \(reason)\r\n"
        for field in fields { head += "\(field.name): \(field.value)\r\n" }
        if let file {
            head += "content-type: application/octet-stream\r\n"
            head += "content-disposition: attachment\r\ncontent-length: \(file.byteCount)\r\n"
        } else {
            head += "content-type: application/json\r\ncontent-length: \(body.count)\r\n"
        }
        head += "x-content-type-options: nosniff\r\ncache-control: no-store\r\n"
        head += keepsConnection ? "\r\n" : "connection: close\r\n\r\n"
        var bytes: [UInt8] = []
        bytes.reserveCapacity(head.utf8.count + body.count)
        bytes += head.utf8
        bytes += body
        return bytes
    }

    private var reason: String {
        switch status {
        case 200: "OK"
        case 206: "Partial Content"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 408: "Request Timeout"
        case 413: "Content Too Large"
        case 414: "URI Too Long"
        case 416: "Range Not Satisfiable"
        case 417: "Expectation Failed"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 500: "Internal Server Error"
        case 501: "Not Implemented"
        case 503: "Service Unavailable"
        case 505: "HTTP Version Not Supported"
        case _: "Status"
        }
    }
}
