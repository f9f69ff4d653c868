import RecordModel
import RecordSync
import RecordWire

/// A database of a server over HTTP.
struct RemoteDatabase: SyncDatabase {
    let server: RemoteServer
    let scope: Database.Scope
    let limits: RequestLimits

    var serverAddress: String? { server.host }

    var name: String { "http/\(server.container)/\(scope)" }

    func accountStatus() async throws(SyncError) -> AccountStatus {
        do throws(SyncError) {
            return try await post("users/caller", [], account: nil, isWrite: false) {
                body throws(WireError) in
                try WireCodec.accountStatus(in: body)
            }
        } catch {
            // Who sends no token that the server knows is nobody.
            if error.code == .notAuthenticated { return .noAccount }
            throw error
        }
    }

    func databaseChanges(
        _ request: DatabaseChangesRequest,
        account: String
    ) async throws(SyncError) -> DatabaseChangesReply {
        let body = WireCodec.body(of: request)
        return try await post("changes/database", body, account: account, isWrite: false) {
            body throws(WireError) in
            try WireCodec.databaseChangesReply(in: body)
        }
    }

    func zoneChanges(
        _ request: ZoneChangesRequest,
        account: String
    ) async throws(SyncError) -> ZoneChangesReply {
        let body = WireCodec.body(of: request)
        let pages = try await post("changes/zone", body, account: account, isWrite: false) {
            body throws(WireError) in
            let pages = try WireCodec.zoneChangesReply(in: body)
            guard pages.count == 1 else {
                throw WireError(column: 1, message: "\(pages.count) pages; expected one")
            }
            return pages
        }
        return try pages[0].get()
    }

    func modifyZones(
        _ request: ModifyZonesRequest,
        account: String
    ) async throws(SyncError) -> ModifyZonesReply {
        let body = WireCodec.body(of: request)
        let isKeyed = request.idempotencyKey != nil
        return try await post(
            "zones/modify",
            body,
            account: account,
            isWrite: true,
            isRepeatable: isKeyed
        ) { body throws(WireError) in
            try WireCodec.modifyZonesReply(in: body, to: request)
        }
    }

    func modifyRecords(
        _ request: ModifyRecordsRequest,
        account: String
    ) async throws(SyncError) -> ModifyRecordsReply {
        let body = WireCodec.body(of: request)
        let isKeyed = request.idempotencyKey != nil
        return try await post(
            "records/modify",
            body,
            account: account,
            isWrite: true,
            isRepeatable: isKeyed
        ) { body throws(WireError) in
            try WireCodec.modifyRecordsReply(in: body, to: request)
        }
    }

    func lookUpRecords(
        _ request: LookUpRecordsRequest,
        account: String
    ) async throws(SyncError) -> LookUpRecordsReply {
        let body = WireCodec.body(of: request)
        return try await post("records/lookup", body, account: account, isWrite: false) {
            body throws(WireError) in
            try WireCodec.lookUpRecordsReply(in: body, to: request)
        }
    }

    func outcome(
        of request: SendOutcomeRequest,
        account: String
    ) async throws(SyncError) -> SendOutcome {
        let body = WireCodec.body(of: request)
        return try await post("x/outcome", body, account: account, isWrite: false) {
            body throws(WireError) in
            try WireCodec.outcomeReply(in: body)
        }
    }
}

// The way of every request.

extension RemoteDatabase {
    /// How long a request may take, with all that is sent and received.
    static let callMilliseconds: Int64 = 60_000

    func post<Reply>(
        _ path: String,
        _ body: [UInt8],
        account: String?,
        isWrite: Bool,
        isRepeatable: Bool = true,
        contentType: String = "application/json",
        _ decode: ([UInt8]) throws(WireError) -> Reply
    ) async throws(SyncError) -> Reply {
        var call = HTTPCall(
            method: "POST",
            target: target(path),
            milliseconds: Self.callMilliseconds,
            isRepeatable: isRepeatable
        )
        call.fields = fields(account: account)
        call.body = body
        call.contentType = contentType
        let reply = try await perform(call)
        guard reply.status == 200 else { throw reply.error(isWrite: isWrite) }
        do throws(WireError) {
            return try decode(reply.body)
        } catch {
            // Of a write nobody knows what became of it; it is asked for again under its key.
            throw SyncError(
                isWrite ? .serverResponseLost : .internalError,
                "the server's answer cannot be read: \(error)"
            )
        }
    }

    func perform(_ call: HTTPCall) async throws(SyncError) -> HTTPReply {
        do throws(TransportFailure) {
            return try await server.transport.perform(call)
        } catch {
            throw SyncError(
                error.mayHaveArrived ? .networkFailure : .networkUnavailable,
                error.reason
            )
        }
    }

    func target(_ path: String) -> String {
        "/database/1/\(server.container)/production/\(scope)/\(path)"
    }

    func fields(account: String?) -> [(name: String, value: String)] {
        var fields = [(name: WireCodec.extensionsHeader, value: WireCodec.extensionsVersion)]
        if let token = server.accessToken { fields.append(("authorization", "Bearer \(token)")) }
        if let device = server.deviceName { fields.append((WireCodec.deviceHeader, device)) }
        if let account { fields.append((WireCodec.accountHeader, account)) }
        return fields
    }
}

extension HTTPReply {
    /// What a reply that is no success says.
    func error(isWrite: Bool) -> SyncError {
        if let error = WireCodec.error(in: body) {
            guard error.retryAfterSeconds == nil, let seconds = retryAfterSeconds else {
                return error
            }
            guard error.code == .requestRateLimited || error.code == .serviceUnavailable else {
                return error
            }
            return SyncError(error.code, error.message, retryAfterSeconds: seconds)
        }
        // No answer of a server of ours: something between the two.
        let code: SyncError.Code =
            switch status {
            case 401, 421: .notAuthenticated
            case 403: .permissionFailure
            case 413: .limitExceeded
            case 429: .requestRateLimited
            case 503: .serviceUnavailable
            case 408, 500...599: isWrite ? .serverResponseLost : .serviceUnavailable
            case _: .serverRejectedRequest
            }
        return SyncError(
            code,
            "the answer has status \(status), and no reason that can be read",
            retryAfterSeconds: retryAfterSeconds
        )
    }
}
