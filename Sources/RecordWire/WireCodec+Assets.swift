package import RecordModel

// Files: what is asked and answered about them; their bytes are no JSON.

/// A file that a client wants to send.
package struct AssetUpload: Hashable, Sendable {
    /// The record and the field that will hold it, where the client says so.
    package var recordName: String?
    package var fieldName: String?
    /// What it holds; nothing where the client does not know.
    package var asset: Asset

    package init(recordName: String? = nil, fieldName: String? = nil, asset: Asset) {
        self.recordName = recordName
        self.fieldName = fieldName
        self.asset = asset
    }
}

/// Where to send a file that is missing.
package struct AssetTicket: Hashable, Sendable {
    package var upload: AssetUpload
    package var url: String
    /// How much of it is there already.
    package var receivedByteCount: Int64

    package init(upload: AssetUpload, url: String, receivedByteCount: Int64) {
        self.upload = upload
        self.url = url
        self.receivedByteCount = receivedByteCount
    }
}

/// What became of a piece of a file.
package enum PieceReply: Hashable, Sendable {
    /// So many bytes are there: go on behind them.
    case received(Int64)
    /// The file is whole.
    case whole(Asset)
}

extension WireCodec {
    package static func body(of uploads: [AssetUpload]) -> [UInt8] {
        var writer = RecordWriter()
        writer.list("{\"tokens\":", uploads) { writer, upload in
            writer.raw("{")
            writer.write(upload)
            writer.raw("}")
        }
        writer.raw("}")
        return writer.bytes
    }

    package static func assetUploads(in body: [UInt8]) throws(WireError) -> [AssetUpload] {
        try MessageParser.parse(body, into: [AssetUpload]()) {
            uploads,
            parser,
            key throws(WireError) in
            guard key == "tokens" else { return false }
            uploads = try parser.list(of: "\"tokens\"") { parser throws(WireError) in
                var upload = AssetUpload(asset: Asset())
                try parser.object(of: "the token") { parser, key throws(WireError) in
                    try parser.read(key, of: &upload)
                }
                return upload
            }
            return true
        }
    }

    package static func body(of tickets: [AssetTicket], withExtensions: Bool) -> [UInt8] {
        var writer = RecordWriter()
        writer.list("{\"tokens\":", tickets) { writer, ticket in
            writer.raw("{")
            var upload = ticket.upload
            if !withExtensions { upload.asset = Asset() }
            writer.write(upload)
            writer.raw(upload == AssetUpload(asset: Asset()) ? "\"url\":" : ",\"url\":")
            writer.write(ticket.url)
            if withExtensions {
                writer.raw(",\"received\":")
                writer.write(ticket.receivedByteCount)
            }
            writer.raw("}")
        }
        writer.raw("}")
        return writer.bytes
    }

    package static func assetTickets(in body: [UInt8]) throws(WireError) -> [AssetTicket] {
        try MessageParser.parse(body, into: [AssetTicket]()) {
            tickets,
            parser,
            key throws(WireError) in
            guard key == "tokens" else { return false }
            tickets = try parser.list(of: "\"tokens\"") { parser throws(WireError) in
                try parser.ticket()
            }
            return true
        }
    }

    package static func body(of reply: PieceReply) -> [UInt8] {
        var writer = RecordWriter()
        switch reply {
        case .received(let byteCount):
            writer.raw("{\"received\":")
            writer.write(byteCount)
        case .whole(let asset):
            writer.raw("{\"singleFile\":{")
            writer.write(AssetUpload(asset: asset))
            writer.raw("}")
        }
        writer.raw("}")
        return writer.bytes
    }

    package static func pieceReply(in body: [UInt8]) throws(WireError) -> PieceReply {
        let reply = try MessageParser.parse(body, into: PieceReply?.none) {
            reply,
            parser,
            key throws(WireError) in
            switch key {
            case "received":
                reply = .received(Int64(try parser.number(key, in: 0...Int64.max)))
            case "singleFile":
                var upload = AssetUpload(asset: Asset())
                try parser.object(of: "\"singleFile\"") { parser, key throws(WireError) in
                    try parser.read(key, of: &upload)
                }
                reply = .whole(upload.asset)
            default: return false
            }
            return true
        }
        guard let reply else {
            throw WireError(column: 1, message: "neither \"received\" nor \"singleFile\"")
        }
        return reply
    }
}

extension RecordWriter {
    /// Writes the members that name a file, into an object that is open and empty.
    fileprivate mutating func write(_ upload: AssetUpload) {
        var isFirst = true
        func next(_ writer: inout RecordWriter) {
            if !isFirst { writer.raw(",") }
            isFirst = false
        }
        for (key, name) in [("recordName", upload.recordName), ("fieldName", upload.fieldName)] {
            guard let name else { continue }
            next(&self)
            write(key)
            raw(":")
            write(name)
        }
        if let checksum = upload.asset.checksum {
            next(&self)
            raw("\"fileChecksum\":")
            writeBase64(checksum)
        }
        if let byteCount = upload.asset.byteCount {
            next(&self)
            raw("\"size\":")
            write(byteCount)
        }
    }
}

extension MessageParser {
    /// Reads a member that names a file.
    fileprivate mutating func read(
        _ key: String,
        of upload: inout AssetUpload
    ) throws(WireError) -> Bool {
        switch key {
        case "recordName": upload.recordName = try string(key)
        case "fieldName": upload.fieldName = try string(key)
        case "size": upload.asset.byteCount = Int64(try number(key, in: 0...Int64.max))
        case "fileChecksum":
            let start = scanner.position
            guard let bytes = Base64.decode(Array(try string(key).utf8)[...]), bytes.count == 32
            else {
                throw scanner.error(
                    "\"fileChecksum\" is no SHA-256; expected 32 bytes in base64",
                    at: start
                )
            }
            upload.asset.checksum = bytes
        default: return false
        }
        return true
    }

    fileprivate mutating func ticket() throws(WireError) -> AssetTicket {
        var ticket = AssetTicket(
            upload: AssetUpload(asset: Asset()),
            url: "",
            receivedByteCount: 0
        )
        try object(of: "the token") { parser, key throws(WireError) in
            switch key {
            case "url": ticket.url = try parser.string(key)
            case "received":
                ticket.receivedByteCount = Int64(try parser.number(key, in: 0...Int64.max))
            default: return try parser.read(key, of: &ticket.upload)
            }
            return true
        }
        return ticket
    }
}
