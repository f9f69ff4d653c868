import Foundation
import RecordModel
import RecordServer
import RecordWire
import SQLiteStorage
import ServerCore

/// A service over a storage of its own, with two accounts of one device each.
final class ServiceFixture {
    var service: RecordService<SQLiteStorage>
    let folder: URL
    let ann = AccessToken(randomBytes: Array(repeating: 1, count: 32))
    let bob = AccessToken(randomBytes: Array(repeating: 2, count: 32))
    var now = Timestamp(millisecondsSince1970: 1_000_000)

    init(_ options: ServiceOptions = ServiceOptions()) throws {
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("recordsync-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        var server = Server(
            storage: try SQLiteStorage(path: folder.appendingPathComponent("records").path),
            configuration: ServerConfiguration(tokenKey: Array(0..<32))
        )
        for (name, token) in [("ann", ann), ("bob", bob)] {
            try server.createAccount(name, at: now)
            try server.storage.begin(.writing)
            try server.storage.put(
                StoredCredential(
                    hash: token.hash,
                    account: name,
                    deviceID: "\(name)-phone",
                    created: now
                )
            )
            try server.storage.commit()
        }
        service = try RecordService(
            server: server,
            options: options,
            assets: try AssetStore(folder: folder.appendingPathComponent("assets").path)
        )
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    static func path(_ end: String, container: String = "default") -> String {
        "/database/1/\(container)/production/private/\(end)"
    }

    /// Sends a request as the loop does: the head first, then the body.
    func send(
        _ method: String = "POST",
        _ path: String,
        _ body: String = "{}",
        query: String = "",
        fields: [HTTPField] = [],
        token: AccessToken?
    ) -> HTTPResponse {
        send(method, path, bytes: Array(body.utf8), query: query, fields: fields, token: token)
    }

    func send(
        _ method: String,
        _ path: String,
        bytes: [UInt8],
        query: String = "",
        fields: [HTTPField] = [],
        token: AccessToken?
    ) -> HTTPResponse {
        var fields = [HTTPField("host", "localhost")] + fields
        if let token { fields.append(HTTPField("authorization", "Bearer \(token.text)")) }
        let head = HTTPRequestHead(method: method, path: path, query: query, fields: fields)
        now.millisecondsSince1970 += 1
        do throws(HTTPRefusal) {
            _ = try service.bodyByteCountMax(of: head)
        } catch {
            return RecordService<SQLiteStorage>.response(to: error)
        }
        let request = HTTPRequest(head: head, body: method == "GET" ? [] : bytes)
        let answer = service.answer(request, at: now)
        _ = service.flush()
        switch answer {
        case .response(let response): return response
        case .poll(let poll): return service.endAnswer(to: poll)
        }
    }

    /// Saves a record, and gives the answer's text.
    func save(_ name: String, text: String = "x", token: AccessToken) -> String {
        let body =
            #"{"operations":[{"operationType":"create","record":{"recordName":"\#(name)","#
            + #""recordType":"Note","fields":{"text":{"value":"\#(text)"}}}}]}"#
        return self.text(send("POST", Self.path("records/modify"), body, token: token))
    }

    func text(_ response: HTTPResponse) -> String {
        String(decoding: response.body, as: UTF8.self)
    }
}
