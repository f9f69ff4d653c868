package import RecordModel
import RecordWire
package import ServerCore

extension RecordService {
    /// Answers a poll at once if there is something, or hands it back to wait.
    mutating func poll(
        _ head: HTTPRequestHead,
        _ admission: Admission
    ) throws(SyncError) -> Answer {
        let parameters = head.parameters
        let caller = admission.caller
        let seconds = parameters["timeout"].flatMap { Int($0) } ?? 50
        guard (0...options.pollSecondsMax).contains(seconds) else {
            throw SyncError(
                .invalidArguments,
                "\"timeout\" is out of range; expected 0 to \(options.pollSecondsMax) seconds"
            )
        }
        let now = try server.head(of: caller)
        guard let since = parameters["since"].flatMap({ UInt64($0) }) else {
            // Whoever asks from nowhere learns where it is, and looks for itself.
            return .response(pollResponse(isChanged: true, position: now))
        }
        let poll = WaitingPoll(
            database: caller.database,
            deviceID: caller.deviceID,
            position: since,
            tokenHash: admission.tokenHash,
            seconds: seconds
        )
        return try answer(to: poll).map { .response($0) } ?? .poll(poll)
    }

    /// The answer to a waiting poll; nil while there is none.
    package mutating func answer(to poll: WaitingPoll) throws(SyncError) -> HTTPResponse? {
        let caller = ServerCaller(
            account: poll.database.account,
            deviceID: poll.deviceID,
            scope: poll.database.scope
        )
        let head = try server.head(of: caller)
        let isChanged = changes.isChanged(
            poll.database,
            since: poll.position,
            head: head,
            for: poll.deviceID
        )
        return isChanged ? pollResponse(isChanged: true, position: head) : nil
    }

    /// The answer to a poll whose time is over.
    package mutating func endAnswer(to poll: WaitingPoll) -> HTTPResponse {
        let caller = ServerCaller(
            account: poll.database.account,
            deviceID: poll.deviceID,
            scope: poll.database.scope
        )
        let head = (try? server.head(of: caller)) ?? poll.position
        return pollResponse(isChanged: false, position: head)
    }

    /// The answer to a poll whose token was revoked.
    package func revokedAnswer() -> HTTPResponse {
        failure(SyncError(.notAuthenticated, "the token was revoked"), true)
    }

    /// The databases that changed since this was last asked.
    package mutating func takeChangedDatabases() -> Set<DatabaseKey> { changes.takeFresh() }

    private func pollResponse(isChanged: Bool, position: UInt64) -> HTTPResponse {
        let reply = PollReply(isChanged: isChanged, position: "\(position)")
        return HTTPResponse(status: 200, body: WireCodec.body(of: reply))
    }
}

extension HTTPRequestHead {
    /// The parameters of the query; of one that stands twice, the first.
    var parameters: [String: String] {
        var parameters: [String: String] = [:]
        for pair in query.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0])
            if parameters[name] == nil {
                parameters[name] = parts.count > 1 ? String(parts[1]) : ""
            }
        }
        return parameters
    }
}
