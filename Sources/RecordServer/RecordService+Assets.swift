import RecordModel
import RecordWire
import ServerCore

// Files: which are missing, pieces that come, and parts that go.

extension RecordService {
    /// Says which files are missing, and where to send each.
    mutating func uploadAssets(
        _ body: [UInt8],
        _ admission: Admission,
        at now: Timestamp
    ) throws(SyncError) -> Answer {
        let uploads = try read(body, WireCodec.assetUploads)
        guard let store = assets else { throw .noAssets }
        // Who does not say what its file holds is told by the answer to its bytes.
        let named = uploads.filter { $0.asset.checksum != nil }
        let missing = try server.missingAssets(
            named.map(\.asset),
            from: admission.caller,
            at: now
        )
        let path = contentPath(admission)
        let tickets = uploads.compactMap { upload -> AssetTicket? in
            guard let checksum = upload.asset.checksum else {
                return AssetTicket(upload: upload, url: path, receivedByteCount: 0)
            }
            guard missing.contains(upload.asset) else { return nil }
            return AssetTicket(
                upload: upload,
                url:
                    "\(path)?checksum=\(hexadecimal(checksum))&size=\(upload.asset.byteCount ?? 0)",
                receivedByteCount: store.receivedByteCount(
                    of: checksum,
                    account: admission.caller.account
                )
            )
        }
        return respond(WireCodec.body(of: tickets, withExtensions: admission.knowsExtensions))
    }

    /// Takes a piece of a file, or all of one, or gives a file or a part of it.
    mutating func assetContent(
        _ request: HTTPRequest,
        _ admission: Admission,
        at now: Timestamp
    ) throws(SyncError) -> Answer {
        guard let store = assets else { throw .noAssets }
        if request.head.method == "GET" {
            return try download(request.head, admission, from: store)
        }
        guard let named = try request.head.namedAsset else {
            return try takeWhole(request.body, admission, into: store, at: now)
        }
        return try takePiece(request, of: named, admission, into: store, at: now)
    }

    private mutating func takeWhole(
        _ bytes: [UInt8],
        _ admission: Admission,
        into store: AssetStore,
        at now: Timestamp
    ) throws(SyncError) -> Answer {
        let asset = Asset(byteCount: Int64(bytes.count), checksum: SHA256.hash(bytes))
        try server.admitUpload(of: asset, from: admission.caller)
        _ = try store.keep(bytes, account: admission.caller.account)
        try server.keepAsset(asset, from: admission.caller, at: now)
        return respond(WireCodec.body(of: .whole(asset)))
    }

    private mutating func takePiece(
        _ request: HTTPRequest,
        of asset: Asset,
        _ admission: Admission,
        into store: AssetStore,
        at now: Timestamp
    ) throws(SyncError) -> Answer {
        let account = admission.caller.account
        guard let offset = Int64(request.head.parameters["offset"] ?? "0"), offset >= 0,
            let byteCount = asset.byteCount, let checksum = asset.checksum,
            offset <= byteCount, Int64(request.body.count) <= byteCount - offset
        else {
            throw SyncError(.invalidArguments, "the piece does not lie within the file")
        }
        try server.admitUpload(of: asset, from: admission.caller)
        if try server.missingAssets([asset], from: admission.caller, at: now).isEmpty {
            store.discardPart(checksum, account: account)
            return respond(WireCodec.body(of: .whole(asset)))
        }
        let received = try store.append(
            request.body,
            at: offset,
            to: checksum,
            account: account
        )
        guard received == byteCount else {
            return respond(WireCodec.body(of: .received(received)))
        }
        try store.finish(checksum, account: account)
        try server.keepAsset(asset, from: admission.caller, at: now)
        return respond(WireCodec.body(of: .whole(asset)))
    }

    private mutating func download(
        _ head: HTTPRequestHead,
        _ admission: Admission,
        from store: AssetStore
    ) throws(SyncError) -> Answer {
        guard let text = head.parameters["checksum"], let checksum = bytes(ofHexadecimal: text),
            checksum.count == 32
        else { throw SyncError(.invalidArguments, "\"checksum\" is no SHA-256") }
        let stored = try server.asset(Asset(checksum: checksum), from: admission.caller)
        let tag = "\"\(hexadecimal(checksum))\""
        // Who goes on with another version than this one gets all of it.
        let isSame = head.value("if-range").map { $0 == tag } ?? true
        let range = ByteRange(isSame ? head.value("range") : nil, of: stored.byteCount)
        var response = HTTPResponse(status: 200)
        response.fields = [HTTPField("etag", tag), HTTPField("accept-ranges", "bytes")]
        var file = FileBody(
            path: store.path(of: checksum, account: admission.caller.account),
            offset: 0,
            byteCount: stored.byteCount
        )
        switch range {
        case .all: break
        case .unsatisfiable:
            response.status = 416
            file.byteCount = 0
            response.fields.append(HTTPField("content-range", "bytes */\(stored.byteCount)"))
        case .part(let offset, let byteCount):
            response.status = 206
            (file.offset, file.byteCount) = (offset, byteCount)
            let last = offset + byteCount - 1
            response.fields.append(
                HTTPField("content-range", "bytes \(offset)-\(last)/\(stored.byteCount)")
            )
        }
        response.file = file
        return .response(response)
    }

    private func contentPath(_ admission: Admission) -> String {
        let scope = "\(admission.destination.scope)"
        return "/database/1/\(options.container)/production/\(scope)/\(Route.assetContent.path)"
    }

    /// Deletes the bytes of files that no record has held for long.
    mutating func removeUnheldAssets(at now: Timestamp) {
        guard let store = assets else { return }
        store.removeStaleParts()
        guard let removed = try? server.removeUnheldAssets(at: now), flush() else { return }
        for asset in removed { store.remove(asset.checksum, account: asset.account) }
    }
}

extension HTTPRequestHead {
    /// The file that a piece belongs to; nil if none is named.
    fileprivate var namedAsset: Asset? {
        get throws(SyncError) {
            guard let text = parameters["checksum"] else { return nil }
            guard let checksum = bytes(ofHexadecimal: text), checksum.count == 32,
                let byteCount = parameters["size"].flatMap({ Int64($0) }), byteCount >= 0
            else {
                throw SyncError(
                    .invalidArguments,
                    "\"checksum\" and \"size\" do not name a file; expected a SHA-256 and a length"
                )
            }
            return Asset(byteCount: byteCount, checksum: checksum)
        }
    }
}

extension SyncError {
    fileprivate static let noAssets = SyncError(
        .assetNotAvailable,
        "this server keeps no files"
    )
}
