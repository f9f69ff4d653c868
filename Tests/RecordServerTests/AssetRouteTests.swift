import Foundation
import RecordModel
import RecordServer
import RecordWire
import SQLiteStorage
import ServerCore
import TestSupport
import Testing

private let upload = ServiceFixture.path("assets/upload")
private let content = ServiceFixture.path("assets/content")

/// Files over the service, without sockets.
struct AssetRouteTests {
    private let fixture: ServiceFixture

    init() throws { fixture = try ServiceFixture() }

    private func query(_ bytes: [UInt8], offset: Int = 0) -> String {
        "checksum=\(hexadecimal(SHA256.hash(bytes)))&size=\(bytes.count)&offset=\(offset)"
    }

    private func piece(
        _ piece: [UInt8],
        of bytes: [UInt8],
        at offset: Int = 0,
        token: AccessToken? = nil
    ) -> HTTPResponse {
        fixture.send(
            "POST",
            content,
            bytes: piece,
            query: query(bytes, offset: offset),
            token: token ?? fixture.ann
        )
    }

    private func get(
        _ bytes: [UInt8],
        _ fields: [HTTPField] = [],
        token: AccessToken? = nil
    ) -> HTTPResponse {
        fixture.send(
            "GET",
            content,
            query: "checksum=\(hexadecimal(SHA256.hash(bytes)))",
            fields: fields,
            token: token ?? fixture.ann
        )
    }

    /// What the loop would send of a file.
    private func sent(_ response: HTTPResponse) -> [UInt8]? {
        guard let file = response.file,
            let bytes = FileManager.default.contents(atPath: file.path)
        else { return nil }
        return Array(bytes[Int(file.offset)..<Int(file.offset + file.byteCount)])
    }

    private func ask(_ bytes: [UInt8], token: AccessToken? = nil) throws -> [AssetTicket] {
        let asset = Asset(byteCount: Int64(bytes.count), checksum: SHA256.hash(bytes))
        let body = WireCodec.body(of: [AssetUpload(asset: asset)])
        let response = fixture.send(
            "POST",
            upload,
            bytes: body,
            fields: [HTTPField(WireCodec.extensionsHeader, WireCodec.extensionsVersion)],
            token: token ?? fixture.ann
        )
        return try WireCodec.assetTickets(in: response.body)
    }

    @Test(.holds("P109"))
    func takesAFileInPieces() throws {
        let bytes = Array("hello, world".utf8)
        #expect(try ask(bytes).map(\.receivedByteCount) == [0])
        #expect(fixture.text(piece(Array(bytes[..<5]), of: bytes)) == #"{"received":5}"#)
        #expect(try ask(bytes).map(\.receivedByteCount) == [5])
        // One that does not begin where the last one ended is not taken.
        #expect(fixture.text(piece([0], of: bytes, at: 9)) == #"{"received":5}"#)
        let last = piece(Array(bytes[5...]), of: bytes, at: 5)
        #expect(
            try WireCodec.pieceReply(in: last.body)
                == .whole(Asset(byteCount: 12, checksum: SHA256.hash(bytes)))
        )
        #expect(try ask(bytes) == [])
        #expect(sent(get(bytes)) == bytes)
    }

    @Test(.holds("P109"))
    func takesASmallFileFromWhoCannotNameItsHash() throws {
        let response = fixture.send("POST", content, bytes: [1, 2], token: fixture.ann)
        #expect(
            try WireCodec.pieceReply(in: response.body)
                == .whole(Asset(byteCount: 2, checksum: SHA256.hash([1, 2])))
        )
        #expect(sent(get([1, 2])) == [1, 2])
    }

    @Test(.holds("P107", "H95"))
    func keepsNoFileWithOtherBytesThanItsName() throws {
        let response = piece([9, 9, 9], of: [1, 2, 3])
        #expect(response.status == 400)
        #expect(fixture.text(response).contains("not those of the checksum"))
        #expect(get([1, 2, 3]).status == 400)
        // And begins anew.
        #expect(try ask([1, 2, 3]).map(\.receivedByteCount) == [0])
        #expect(piece([1, 2, 3], of: [1, 2, 3]).status == 200)
    }

    @Test(.holds("P107"))
    func goesOnWithAFileAfterItWasStartedAnew() throws {
        let bytes: [UInt8] = [1, 2, 3, 4]
        _ = piece([1, 2], of: bytes)
        let other = try AssetStore(folder: fixture.folder.appendingPathComponent("assets").path)
        let service = try RecordService(server: fixture.service.server, assets: other)
        fixture.service = service
        #expect(try ask(bytes).map(\.receivedByteCount) == [2])
        #expect(piece([3, 4], of: bytes, at: 2).status == 200)
        #expect(sent(get(bytes)) == bytes)
    }

    @Test(.holds("P107"))
    func anotherAccountGetsNothingByTheChecksum() throws {
        _ = piece([1], of: [1])
        #expect(get([1], token: fixture.bob).body == get([7], token: fixture.bob).body)
        #expect(get([1], token: fixture.bob).file == nil)
        #expect(try ask([1], token: fixture.bob).count == 1)
        // It has to bring the bytes itself, and then has a copy of its own.
        #expect(piece([1], of: [1], token: fixture.bob).status == 200)
        let paths = [fixture.ann, fixture.bob].map { get([1], token: $0).file?.path }
        #expect(paths[0] != paths[1])
        #expect(sent(get([1], token: fixture.bob)) == [1])
    }

    @Test(
        .holds("P107"),
        arguments: [
            "../../token.key", "..%2f..%2ftoken.key", "/etc/passwd", "", "00", "%00",
            String(repeating: "g", count: 64), String(repeating: "a", count: 4000),
            String(repeating: "+1", count: 32),
        ]
    )
    func aNameIsNeverAPath(name: String) {
        for query in ["checksum=\(name)", "checksum=\(name)&size=1"] {
            let read = fixture.send("GET", content, query: query, token: fixture.ann)
            #expect(read.status == 400)
            #expect(read.file == nil)
            let write = fixture.send("POST", content, "x", query: query, token: fixture.ann)
            #expect(write.status == 400)
        }
    }

    @Test(.holds("P109"), arguments: [(3, 200), (2, 413)])
    func refusesAFileAboveTheLimitBeforeItsBytes(_ limit: Int, _ status: Int) {
        fixture.service.server.configuration.limits.assetByteCountMax = limit
        #expect(piece([1], of: [1, 2, 3]).status == status)
        let parts = fixture.folder.appendingPathComponent("assets/parts").path
        let names = try? FileManager.default.contentsOfDirectory(atPath: parts)
        #expect(names?.count == (status == 200 ? 1 : 0))
    }

    @Test(.holds("P108"))
    func deletesTheBytesThatNoRecordHolds() throws {
        _ = piece([1], of: [1])
        let path = try #require(get([1]).file?.path)
        fixture.service.removeExpired(at: fixture.now)
        #expect(FileManager.default.fileExists(atPath: path))
        fixture.now.millisecondsSince1970 += 8 * 24 * 60 * 60 * 1000
        fixture.service.removeExpired(at: fixture.now)
        #expect(!FileManager.default.fileExists(atPath: path))
        #expect(try ask([1]).count == 1)
    }

    @Test(.holds("P109"))
    func givesPartsOfAFile() throws {
        let bytes = Array("0123456789".utf8)
        _ = piece(bytes, of: bytes)
        let part = get(bytes, [HTTPField("range", "bytes=2-4")])
        #expect(part.status == 206)
        #expect(sent(part) == Array("234".utf8))
        #expect(part.fields.contains(HTTPField("content-range", "bytes 2-4/10")))
        let beyond = get(bytes, [HTTPField("range", "bytes=10-")])
        #expect(beyond.status == 416)
        #expect(beyond.fields.contains(HTTPField("content-range", "bytes */10")))
        let all = get(bytes)
        #expect(all.status == 200)
        #expect(all.fields.contains(HTTPField("accept-ranges", "bytes")))
        let tag = try #require(all.fields.first { $0.name == "etag" }?.value)
        let same = [HTTPField("range", "bytes=2-4"), HTTPField("if-range", tag)]
        #expect(get(bytes, same).status == 206)
        let other = [HTTPField("range", "bytes=2-4"), HTTPField("if-range", "\"x\"")]
        #expect(sent(get(bytes, other)) == bytes)
    }

    @Test(
        .holds("P109"),
        arguments: [
            (nil, ByteRange.all),
            ("bytes=0-0", .part(offset: 0, byteCount: 1)),
            ("bytes=0-9", .part(offset: 0, byteCount: 10)),
            ("bytes=0-99", .part(offset: 0, byteCount: 10)),
            ("bytes=9-", .part(offset: 9, byteCount: 1)),
            ("Bytes=9-", .part(offset: 9, byteCount: 1)),
            ("bytes=10-", .unsatisfiable),
            ("bytes=-3", .part(offset: 7, byteCount: 3)),
            ("bytes=-99", .part(offset: 0, byteCount: 10)),
            ("bytes=-0", .unsatisfiable),
            ("bytes=4-3", .all), ("bytes=0-1,4-5", .all), ("bytes=", .all), ("bytes=-", .all),
            ("bytes=a-b", .all), ("lines=0-1", .all), ("bytes=1", .all),
            ("bytes=-+3", .all), ("bytes=9999999999999999999-", .all),
        ] as [(String?, ByteRange)]
    )
    func readsARangeAsTheStandardSays(_ field: String?, _ range: ByteRange) {
        #expect(ByteRange(field, of: 10) == range)
    }

    @Test func aPieceOutsideOfItsFileIsRefused() {
        #expect(piece([1, 2, 3, 4], of: [1, 2, 3]).status == 400)
        #expect(piece([3], of: [1, 2, 3], at: 3).status == 400)
        #expect(piece([3], of: [1, 2, 3], at: -1).status == 400)
        #expect(piece([3], of: [1, 2, 3], at: .max).status == 400)
    }

    @Test func filesOnTheirWayAreFew() {
        for number in 0..<16 {
            let bytes: [UInt8] = [UInt8(number), 1]
            #expect(piece([UInt8(number)], of: bytes).status == 200)
        }
        #expect(piece([99], of: [99, 1]).status != 200)
        // Another account has its own.
        #expect(piece([99], of: [99, 1], token: fixture.bob).status == 200)
    }
}
