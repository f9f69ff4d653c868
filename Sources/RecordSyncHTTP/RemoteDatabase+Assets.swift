import RecordModel
import RecordSync
import RecordWire

// Files: in pieces, each a request of its own, so that memory is bounded and a break costs little.

extension RemoteDatabase {
    /// A piece of a file.
    private static let pieceByteCount = 1_000_000
    /// Files in one question which of them are missing.
    private static let questionCountMax = 1_000
    /// Times that the server may point to another place in a file, before it is given up.
    private static let detourCountMax = 8

    func missingAssets(
        _ assets: [Asset],
        account: String
    ) async throws(SyncError) -> [Asset] {
        var missing: [Asset] = []
        var rest = assets[...]
        while !rest.isEmpty {
            let some = rest.prefix(Self.questionCountMax)
            rest = rest.dropFirst(some.count)
            let body = WireCodec.body(of: some.map { AssetUpload(asset: $0) })
            let tickets = try await post("assets/upload", body, account: account, isWrite: false) {
                body throws(WireError) in
                try WireCodec.assetTickets(in: body)
            }
            missing += tickets.map(\.upload.asset)
        }
        return missing
    }

    func upload(_ source: AssetSource, account: String) async throws(SyncError) {
        // A long file may be there in part: an empty piece asks how much of it.
        var offset: Int64 = 0
        var isAsking = source.byteCount > Int64(Self.pieceByteCount)
        var detourCount = 0
        while true {
            let piece =
                isAsking ? [] : try source.bytes(at: offset, countMax: Self.pieceByteCount)
            switch try await send(piece, at: offset, of: source.asset, account: account) {
            case .whole: return
            case .received(let received):
                let isExpected = received == offset + Int64(piece.count)
                detourCount += isExpected && !piece.isEmpty ? 0 : 1
                guard received < source.byteCount, detourCount <= Self.detourCountMax else {
                    throw SyncError(.networkFailure, "the server does not take the file")
                }
                offset = received
            }
            isAsking = false
        }
    }

    private func send(
        _ piece: [UInt8],
        at offset: Int64,
        of asset: Asset,
        account: String
    ) async throws(SyncError) -> PieceReply {
        let size = asset.byteCount ?? 0
        let path = "assets/content?checksum=\(digits(asset))&size=\(size)&offset=\(offset)"
        return try await post(
            path,
            piece,
            account: account,
            isWrite: true,
            contentType: "application/octet-stream"
        ) { body throws(WireError) in
            try WireCodec.pieceReply(in: body)
        }
    }

    func download(_ target: AssetTarget, account: String) async throws(SyncError) {
        let length = target.asset.byteCount ?? .max
        // A file without bytes is not asked for.
        while target.receivedByteCount < length {
            let offset = target.receivedByteCount
            let last = offset + Int64(Self.pieceByteCount) - 1
            var call = HTTPCall(
                method: "GET",
                target: self.target("assets/content?checksum=\(digits(target.asset))"),
                milliseconds: Self.callMilliseconds,
                isRepeatable: true
            )
            call.fields = fields(account: account)
            call.fields.append(("range", "bytes=\(offset)-\(last)"))
            let reply = try await perform(call)
            switch reply.status {
            case 206 where reply.body.count <= Self.pieceByteCount:
                try target.append(reply.body)
            case 200 where offset == 0:
                // Something on the way does not know ranges.
                try target.append(reply.body)
            case 206, 200, 416:
                throw SyncError(.assetNotAvailable, "the server gave another part of the file")
            case _: throw reply.error(isWrite: false)
            }
            guard !reply.body.isEmpty else {
                throw SyncError(.assetNotAvailable, "the server gave a part without bytes")
            }
        }
    }

    private func digits(_ asset: Asset) -> String {
        (asset.checksum ?? []).map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }
}
