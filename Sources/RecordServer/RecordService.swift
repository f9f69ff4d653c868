package import RecordModel
import RecordWire
package import ServerCore

/// Answers requests: a value without sockets, threads and clock, around the server's rules.
///
/// What it answers may leave only after `flush` made it last. A poll for changes is not answered
/// but handed back, so that waiting costs nothing but a place in a table.
package struct RecordService<Storage: ServedStorage>: Sendable {
    package var server: Server<Storage>
    package let options: ServiceOptions
    let assets: AssetStore?
    var changes = ChangeLog()
    private var rate: RequestRate
    private var foreignChanges: Int64 = 0

    package init(
        server: Server<Storage>,
        options: ServiceOptions = ServiceOptions(),
        assets: AssetStore? = nil
    ) throws(StorageError) {
        self.server = server
        self.assets = assets
        self.options = options
        rate = RequestRate(perSecond: options.requestsPerSecond, burst: options.requestBurst)
        try self.server.storage.beginGrouping()
        foreignChanges = try self.server.storage.foreignChangeNumber()
    }

    /// What becomes of a request.
    package enum Answer: Hashable, Sendable {
        case response(HTTPResponse)
        case poll(WaitingPoll)
    }

    /// Who asks, and for what.
    struct Admission: Sendable {
        let destination: Destination
        var caller: ServerCaller
        let tokenHash: [UInt8]?
        let knowsExtensions: Bool
    }

    /// How long the body behind a head may be; throws for a request that is refused without it.
    ///
    /// Nothing of a body is read before it is known who sends it.
    package mutating func bodyByteCountMax(
        of head: HTTPRequestHead
    ) throws(HTTPRefusal) -> Int {
        guard let destination = Destination(path: head.path) else { return 0 }
        if destination.route.isOpenToAll { return 0 }
        do throws(SyncError) {
            _ = try admit(head, to: destination)
        } catch {
            throw HTTPRefusal(ErrorTable.row(of: error.code).status, error.message)
        }
        return destination.route.bodyByteCountMax
    }

    /// Answers a request.
    package mutating func answer(_ request: HTTPRequest, at now: Timestamp) -> Answer {
        let knowsExtensions = request.head.knowsExtensions
        guard let destination = Destination(path: request.head.path) else {
            let error = SyncError(.unknownItem, "there is nothing at this path")
            return .response(failure(error, knowsExtensions))
        }
        guard destination.route.methods.contains(request.head.method) else {
            var response = failure(SyncError(.invalidArguments, "the method"), knowsExtensions)
            response.status = 405
            response.fields.append(
                HTTPField("allow", destination.route.methods.joined(separator: ", "))
            )
            return .response(response)
        }
        if destination.route == .health { return .response(HTTPResponse(status: 200)) }
        do throws(SyncError) {
            let admission = try admit(request.head, to: destination)
            try checkRate(of: admission.caller.account, at: now)
            if let hash = admission.tokenHash { noteUse(of: hash, at: now) }
            return try answer(request, admission, at: now)
        } catch {
            return .response(failure(error, knowsExtensions))
        }
    }

    /// Makes everything that was answered last; false if it does not, and the answers must not
    /// leave.
    package mutating func flush() -> Bool {
        do throws(StorageError) {
            try server.storage.flush()
            return true
        } catch {
            return false
        }
    }

    /// The answer to whoever was answered something that did not last.
    package static var unavailable: HTTPResponse {
        let error = SyncError(.serviceUnavailable, "the storage is not available")
        return HTTPResponse(
            status: 503,
            body: WireCodec.body(of: error, withExtensions: true)
        )
    }

    /// The answer to what is no request.
    package static func response(to refusal: HTTPRefusal) -> HTTPResponse {
        let code: SyncError.Code =
            switch refusal.status {
            case 401: .notAuthenticated
            case 403: .permissionFailure
            case 413: .limitExceeded
            case 503: .serviceUnavailable
            case _: .invalidArguments
            }
        var response = HTTPResponse(
            status: refusal.status,
            body: WireCodec.body(of: SyncError(code, refusal.reason), withExtensions: false)
        )
        response.closes = true
        return response
    }

    /// Forgets what is past its retention; what cannot be forgotten now can be later.
    package mutating func removeExpired(at now: Timestamp) {
        try? server.removeExpired(at: now)
        _ = flush()
        removeUnheldAssets(at: now)
    }

    /// True once after another process wrote to the storage.
    package mutating func noticesForeignChange() -> Bool {
        guard let number = try? server.storage.foreignChangeNumber(), number != foreignChanges
        else { return false }
        foreignChanges = number
        return true
    }

    // MARK: Who asks

    private mutating func checkRate(
        of account: String,
        at now: Timestamp
    ) throws(SyncError) {
        let seconds = rate.take(account, at: now.millisecondsSince1970)
        guard let seconds else { return }
        throw SyncError(
            .requestRateLimited,
            "too many requests of one account",
            retryAfterSeconds: seconds
        )
    }

    private mutating func admit(
        _ head: HTTPRequestHead,
        to destination: Destination
    ) throws(SyncError) -> Admission {
        // A browser names where a page comes from; no page has any business here.
        guard head.fields.allSatisfy({ $0.name != "origin" }) else {
            throw SyncError(.permissionFailure, "requests of web pages are not taken")
        }
        guard destination.container == options.container else {
            throw SyncError(.badContainer, "there is no such container")
        }
        let admission = try admitted(head, to: destination)
        // A device on which another account was signed in must not go on for the one before.
        if let account = head.value(WireCodec.accountHeader), account != admission.caller.account {
            throw SyncError(.notAuthenticated, "the token is another account's")
        }
        return admission
    }

    private mutating func admitted(
        _ head: HTTPRequestHead,
        to destination: Destination
    ) throws(SyncError) -> Admission {
        guard let open = options.openAccount else {
            return try admitByToken(head, to: destination)
        }
        guard head.isForThisMachine else {
            throw SyncError(.permissionFailure, "an open server is asked as this machine's own")
        }
        let device = head.value(WireCodec.deviceHeader) ?? "device"
        do throws(SyncError) {
            try Record.ID(recordName: device).validate()
        } catch {
            throw SyncError(.invalidArguments, "the device has no proper name")
        }
        return Admission(
            destination: destination,
            caller: ServerCaller(account: open, deviceID: device, scope: destination.scope),
            tokenHash: nil,
            knowsExtensions: head.knowsExtensions
        )
    }

    private mutating func admitByToken(
        _ head: HTTPRequestHead,
        to destination: Destination
    ) throws(SyncError) -> Admission {
        let scheme = "bearer "
        guard let value = head.value("authorization"), value.lowercased().hasPrefix(scheme),
            let token = AccessToken(text: String(value.dropFirst(scheme.count)))
        else { throw notAuthenticated }
        let hash = token.hash
        guard let credential = try credential(hash) else { throw notAuthenticated }
        return Admission(
            destination: destination,
            caller: ServerCaller(
                account: credential.account,
                deviceID: credential.deviceID,
                scope: destination.scope
            ),
            tokenHash: hash,
            knowsExtensions: head.knowsExtensions
        )
    }

    /// One answer to every way of not being known.
    private var notAuthenticated: SyncError {
        SyncError(.notAuthenticated, "the token is missing, wrong or revoked")
    }

    private mutating func credential(
        _ hash: [UInt8]
    ) throws(SyncError) -> StoredCredential? {
        do throws(StorageError) {
            try server.storage.begin(.reading)
        } catch {
            throw SyncError(.serviceUnavailable, "the storage is not available")
        }
        do throws(StorageError) {
            let credential = try server.storage.credential(withHash: hash)
            try server.storage.commit()
            return credential
        } catch {
            server.storage.rollback()
            throw SyncError(.serviceUnavailable, "the storage is not available")
        }
    }

    /// Keeps when a token was last used, to a minute; a failure to do so hinders nobody.
    private mutating func noteUse(of hash: [UInt8], at now: Timestamp) {
        let minute: Int64 = 60_000
        guard var credential = try? credential(hash),
            now.millisecondsSince1970 - (credential.lastUsed?.millisecondsSince1970 ?? .min / 2)
                >= minute,
            (try? server.storage.begin(.writing)) != nil
        else { return }
        credential.lastUsed = now
        do throws(StorageError) {
            try server.storage.put(credential)
            try server.storage.commit()
        } catch {
            server.storage.rollback()
        }
    }

    /// True unless the token of a poll was revoked.
    package mutating func isStillAdmitted(_ poll: WaitingPoll) -> Bool {
        guard let hash = poll.tokenHash else { return true }
        do throws(SyncError) {
            return try credential(hash)?.account == poll.database.account
        } catch {
            // A storage that cannot be read is no reason to turn anybody away.
            return true
        }
    }

    func failure(_ error: SyncError, _ knowsExtensions: Bool) -> HTTPResponse {
        var response = HTTPResponse(
            status: ErrorTable.row(of: error.code).status,
            body: WireCodec.body(of: error, withExtensions: knowsExtensions)
        )
        if let seconds = error.retryAfterSeconds {
            response.fields.append(HTTPField("retry-after", "\(Int(seconds.rounded(.up)))"))
        }
        return response
    }
}

extension HTTPRequestHead {
    var knowsExtensions: Bool {
        value(WireCodec.extensionsHeader) == WireCodec.extensionsVersion
    }

    /// True if the client calls this machine by a name that only it has: a name of a web site that
    /// was made to point here is another.
    var isForThisMachine: Bool {
        guard let host = value("host") else { return !isVersion11 }
        let name =
            host.hasPrefix("[")
            ? String(host.prefix { $0 != "]" }) + "]" : String(host.prefix { $0 != ":" })
        return ["127.0.0.1", "localhost", "[::1]"].contains(name)
    }
}
