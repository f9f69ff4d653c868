import RecordModel
import RecordSync
import RecordWire

extension RemoteDatabase {
    func notifications() -> AsyncStream<DatabaseNotification> {
        let (stream, target) = AsyncStream.makeStream(
            of: DatabaseNotification.self,
            bufferingPolicy: .bufferingNewest(Self.notificationCountMax)
        )
        let polling = EngineEnvironment.system.launch { await poll(target) }
        target.onTermination = { _ in polling.cancel() }
        return stream
    }

    /// Hints that nobody has taken yet; as they carry nothing, a few are as good as many.
    private static let notificationCountMax = 16
    /// How long the server may let a poll wait: shorter than what proxies allow.
    private static let pollSeconds = 50
    private static let firstPause = Duration.seconds(1)
    private static let pauseMax = Duration.seconds(60)

    /// Asks again and again until its task is cancelled.
    ///
    /// A channel that is broken makes hints late and loses none: the first answer after it says
    /// that there may be something.
    private func poll(_ target: AsyncStream<DatabaseNotification>.Continuation) async {
        var position: String?
        var pause = Self.firstPause
        while !Task.isCancelled {
            let start = ContinuousClock.now
            do throws(SyncError) {
                let reply = try await pollOnce(since: position)
                position = reply.position
                pause = Self.firstPause
                if reply.isChanged { target.yield(.databaseChanged) }
                // A server that does not let polls wait is not asked without a break.
                let isHasty = !reply.isChanged && ContinuousClock.now - start < .seconds(1)
                if isHasty { await rest(.seconds(5)) }
            } catch {
                if error.code == .notAuthenticated { target.yield(.accountChanged) }
                // A server that knows no polls: the engine asks at its own pace.
                if error.code == .unknownItem || error.code == .badContainer { return }
                position = nil
                await rest(pause * Double.random(in: 0.5...1))
                pause = min(pause * 2, Self.pauseMax)
            }
        }
    }

    private func pollOnce(since position: String?) async throws(SyncError) -> PollReply {
        let isNumber = position?.utf8.allSatisfy { (0x30...0x39).contains($0) } == true
        let since = position.map { isNumber ? "&since=\($0)" : "" } ?? ""
        var call = HTTPCall(
            method: "GET",
            target: target("x/notifications?timeout=\(Self.pollSeconds)\(since)"),
            milliseconds: Int64(Self.pollSeconds + 15) * 1_000,
            isRepeatable: true
        )
        call.fields = fields(account: nil)
        let reply = try await perform(call)
        guard reply.status == 200 else { throw reply.error(isWrite: false) }
        do throws(WireError) {
            return try WireCodec.pollReply(in: reply.body)
        } catch {
            throw SyncError(.internalError, "the server's answer cannot be read: \(error)")
        }
    }

    private func rest(_ duration: Duration) async {
        try? await ContinuousClock().sleep(for: duration)
    }
}
