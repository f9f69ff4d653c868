import RecordModel
import RecordSync
import ServerCore

/// All that a cloud knows, behind its mutex.
struct CloudWorld: Sendable {
    var server: Server<MemoryStorage>
    var clock: @Sendable () -> Timestamp
    /// How far the server's clock was moved.
    var clockShiftMilliseconds: Int64 = 0
    var devices = CloudDevices()
    var faults = FaultQueue()
    /// Stops for requests that have not come, in the order in which they were asked for.
    var holds: [PlacedHold] = []
    var log = RequestLog()
    /// What the server announces to devices, where that is not what it keeps to.
    var announcedLimits: RequestLimits?
    /// What stands between devices and the cloud; nil for nothing.
    var wrap: (@Sendable (any SyncDatabase) -> any SyncDatabase)?
    var quotaByteCount: Int?
    var quotaByteCounts: [String: Int] = [:]
    /// The bytes of files, by account and checksum.
    var files: [String: [[UInt8]: [UInt8]]] = [:]
    /// Requests that arrive when told to.
    var late: [LateRequest] = []

    typealias LateRequest = @Sendable (inout CloudWorld) -> [NotificationTarget]

    /// A stop, and the requests it is for.
    struct PlacedHold: Sendable {
        let hold: RequestHold
        let kind: RequestKind
        let device: String?
    }

    /// Late requests that are kept.
    static let lateCountMax = 1000

    /// The server's time.
    var now: Timestamp {
        Timestamp(
            millisecondsSince1970: clock().millisecondsSince1970 + clockShiftMilliseconds
        )
    }

    /// Signs an account in on a device, and makes it if it is new.
    mutating func signIn(_ account: String, on device: String) {
        devices.signIn(account, on: device)
        // A name that no account can have is refused when the device asks who is signed in.
        try? server.createAccount(account, at: now)
    }
}

/// A request that was let in, and what waits for it on its way.
struct Passage: Sendable {
    let number: Int
    let effect: Fault.Effect?
    let holdBefore: RequestHold?
    let holdAfter: RequestHold?
}

extension CloudWorld {
    /// Lets a request in, unless it fails on its way.
    mutating func admit(_ request: CloudRequest) -> Result<Passage, SyncError> {
        let number = log.add(request)
        guard devices.isOnline(request.device) else {
            let error = SyncError(.networkUnavailable, "\(request.device) is offline")
            log.end(number, .failed(error))
            return .failure(error)
        }
        let effect = faults.effect(on: request)
        if case .fail(let error) = effect { return fail(number, error) }
        if case .loseRequest = effect { return fail(number, .requestLost) }
        return .success(
            Passage(
                number: number,
                effect: effect,
                holdBefore: takeHold(.beforeServer, for: request),
                holdAfter: takeHold(.beforeAnswer, for: request)
            )
        )
    }

    private mutating func fail(_ number: Int, _ error: SyncError) -> Result<Passage, SyncError> {
        log.end(number, .failed(error))
        return .failure(error)
    }

    private mutating func takeHold(
        _ place: RequestHold.Place,
        for request: CloudRequest
    ) -> RequestHold? {
        let found = holds.firstIndex { placed in
            placed.hold.place == place && placed.kind == request.kind
                && (placed.device.map { $0 == request.device } ?? true)
        }
        return found.map { holds.remove(at: $0).hold }
    }

    /// Lets the server do a request, and says who is to be told of it.
    mutating func perform<Reply>(
        _ request: CloudRequest,
        _ body: (inout CloudWorld) throws(SyncError) -> Reply
    ) -> (Result<Reply, SyncError>, [NotificationTarget]) {
        guard let account = request.account else { return (outcome(of: body), []) }
        server.refusals = faults.refusals(in: request)
        defer { server.refusals = [:] }
        setQuota(of: account)
        guard request.kind.isWrite else { return (outcome(of: body), []) }
        let caller = ServerCaller(account: account, deviceID: request.device, scope: request.scope)
        let head = try? server.head(of: caller)
        let reply = outcome(of: body)
        let isChanged = head != (try? server.head(of: caller))
        return (reply, isChanged ? devices.targets(of: caller) : [])
    }

    /// Lets the server keep to an account's quota.
    mutating func setQuota(of account: String) {
        server.configuration.quotaByteCount = quotaByteCounts[account] ?? quotaByteCount
    }

    private mutating func outcome<Reply>(
        of body: (inout CloudWorld) throws(SyncError) -> Reply
    ) -> Result<Reply, SyncError> {
        do {
            return .success(try body(&self))
        } catch {
            return .failure(error)
        }
    }
}

extension SyncError {
    static let requestLost = SyncError(.networkFailure, "the connection broke off")
    static let answerLost = SyncError(.serverResponseLost, "no answer came")
}
