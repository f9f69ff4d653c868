import CLinux
package import RecordModel
package import ServerCore

/// Serves connections from one thread: it waits for all of them at once, lets the service answer
/// what has come, makes that last in one flush, and only then sends the answers.
package final class ServerLoop<Storage: ServedStorage> {
    var service: RecordService<Storage>
    let configuration: LoopConfiguration
    let poller: Int32
    private let connectionCountMax: Int
    private let listener: Int32
    private let stop: StopCounter
    var connections: [Int32: ServerConnection] = [:]
    /// The connections that wait for a change of a database.
    var waiting: [DatabaseKey: Set<Int32>] = [:]
    /// Answers of this round, which may leave once it was flushed.
    private var answered: [(descriptor: Int32, response: HTTPResponse)] = []
    /// Connections that have bytes which were not looked at in this round.
    private var unfinished: [Int32] = []
    private var isListening = true
    private var isDraining = false
    private var nextSweep: Int64 = 0
    private var nextCleaning: Int64 = 0
    /// What is read before it is given to a connection.
    private var incoming = [UInt8](repeating: 0, count: 1 << 16)
    private var drainEnd: Int64 = .max

    /// Opens the port.
    package init(
        service: RecordService<Storage>,
        configuration: LoopConfiguration,
        stop: StopCounter
    ) throws(SyncError) {
        self.service = service
        self.configuration = configuration
        self.stop = stop
        // Some descriptors are the storage's, and some the system's libraries'.
        let room = Int(clinux_raise_descriptor_limit()) - 64
        connectionCountMax = max(16, min(configuration.connectionCountMax, room))
        listener = try opened(
            clinux_listen(configuration.address, configuration.port, 1_024),
            "cannot listen on \(configuration.address), port \(configuration.port)"
        )
        poller = try opened(clinux_poller(), "cannot wait for connections")
        clinux_watch(poller, listener, Int32(CLINUX_READABLE))
        clinux_watch(poller, stop.descriptor, Int32(CLINUX_READABLE))
    }

    deinit {
        for descriptor in connections.keys { clinux_close(descriptor) }
        if isListening { clinux_close(listener) }
        clinux_close(poller)
    }

    /// The port that was opened.
    package var port: Int { Int(clinux_port(listener)) }

    /// Serves until it is told to stop and every request that had come is answered.
    package func run() {
        var descriptors = [Int32](repeating: 0, count: 256)
        var readiness = [Int32](repeating: 0, count: 256)
        while !isDone {
            let patience: Int32 = unfinished.isEmpty ? 500 : 0
            let count = clinux_wait(poller, &descriptors, &readiness, 256, patience)
            let again = unfinished
            unfinished = []
            for descriptor in again { process(descriptor) }
            for place in 0..<Int(max(0, count)) {
                handle(descriptors[place], readiness[place])
            }
            finishRound()
            let now = clinux_monotonic_milliseconds()
            if now >= nextSweep {
                nextSweep = now + 500
                sweep(at: now)
                finishRound()
                clean(at: now)
            }
        }
    }

    private var isDone: Bool {
        guard isDraining else { return false }
        return connections.isEmpty || clinux_monotonic_milliseconds() > drainEnd
    }

    private func handle(_ descriptor: Int32, _ readiness: Int32) {
        if descriptor == listener {
            acceptAll()
        } else if descriptor == stop.descriptor {
            drain()
        } else if connections[descriptor] != nil {
            if readiness & Int32(CLINUX_WRITABLE) != 0 { write(descriptor) }
            if readiness & Int32(CLINUX_READABLE) != 0 { read(descriptor) }
            let isGone =
                readiness & Int32(CLINUX_CLOSED) != 0
                && readiness & Int32(CLINUX_READABLE) == 0
            if isGone { close(descriptor) }
        }
    }

    // MARK: Connections

    private func acceptAll() {
        // A few at a time, so that those who are there already get their turn.
        for _ in 0..<64 {
            var isLocal: Int32 = 0
            let descriptor = clinux_accept(listener, &isLocal)
            guard descriptor >= 0 else { return }
            guard connections.count < connectionCountMax,
                clinux_watch(poller, descriptor, Int32(CLINUX_READABLE)) >= 0
            else {
                clinux_close(descriptor)
                continue
            }
            connections[descriptor] = ServerConnection(
                limits: configuration.limits,
                at: clinux_monotonic_milliseconds()
            )
        }
    }

    private func read(_ descriptor: Int32) {
        let count = clinux_read(descriptor, &incoming, incoming.count)
        if count > 0 {
            let now = clinux_monotonic_milliseconds()
            connections[descriptor]?.receive(incoming[..<count], at: now)
            if connections[descriptor]?.sendsTooMuch == true {
                close(descriptor)
            } else {
                process(descriptor)
            }
        } else if count == 0 || !isAgain(count) {
            close(descriptor)
        }
    }

    /// Takes one request from what a connection received, unless one is being answered.
    private func process(_ descriptor: Int32) {
        guard var connection = connections[descriptor], connection.phase == .reading else { return }
        // While it is worked on, nobody else holds the connection: its buffer is not copied.
        connections[descriptor] = nil
        var step = HTTPRequestParser.Step.needsMore
        while true {
            step = connection.parser.next { head throws(HTTPRefusal) in
                try service.bodyByteCountMax(of: head)
            }
            guard step == .sendContinue else { break }
            connection.output += Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)
        }
        let wantsToWrite = connection.hasOutput
        switch step {
        case .needsMore, .sendContinue:
            connections[descriptor] = connection
        case .request(let request):
            connection.keepsConnection = request.head.keepsConnection && !isDraining
            connection.phase = .answering
            connections[descriptor] = connection
            answer(request, on: descriptor)
        case .refused(let refusal):
            connection.phase = .answering
            connections[descriptor] = connection
            answered.append((descriptor, RecordService<Storage>.response(to: refusal)))
        }
        if wantsToWrite { write(descriptor) }
    }

    private func answer(_ request: HTTPRequest, on descriptor: Int32) {
        let now = Timestamp(millisecondsSince1970: clinux_wall_milliseconds())
        switch service.answer(request, at: now) {
        case .response(let response):
            answered.append((descriptor, response))
        case .poll(let poll):
            let count = waiting.reduce(0) { sum, entry in
                entry.key.account == poll.database.account ? sum + entry.value.count : sum
            }
            guard count < service.options.pollCountMax, !isDraining else {
                answered.append((descriptor, service.endAnswer(to: poll)))
                return
            }
            let end = clinux_monotonic_milliseconds() + Int64(poll.seconds) * 1_000
            connections[descriptor]?.phase = .polling(poll, until: end)
            waiting[poll.database, default: []].insert(descriptor)
        }
    }

    /// Makes what was answered last, and lets the answers leave.
    private func finishRound() {
        let isLasting = service.flush()
        for database in service.takeChangedDatabases() where isLasting {
            for descriptor in waiting[database] ?? [] { answerPoll(descriptor) }
        }
        // Answering a poll reads, and must not keep the storage's transaction open.
        _ = service.flush()
        let answers = answered
        answered = []
        for (descriptor, response) in answers {
            send(isLasting ? response : RecordService<Storage>.unavailable, to: descriptor)
        }
    }

    private func answerPoll(_ descriptor: Int32) {
        guard case .polling(let poll, _) = connections[descriptor]?.phase else { return }
        guard let response = try? service.answer(to: poll) else { return }
        endPoll(descriptor, with: response)
    }

    private func endPoll(_ descriptor: Int32, with response: HTTPResponse) {
        guard case .polling(let poll, _) = connections[descriptor]?.phase else { return }
        waiting[poll.database]?.remove(descriptor)
        if waiting[poll.database]?.isEmpty == true { waiting[poll.database] = nil }
        connections[descriptor]?.phase = .answering
        answered.append((descriptor, response))
    }

    private func send(_ response: HTTPResponse, to descriptor: Int32) {
        guard connections[descriptor] != nil else { return }
        if let file = response.file {
            guard let source = FileSource(file) else {
                return send(RecordService<Storage>.unavailable, to: descriptor)
            }
            connections[descriptor]?.send(file, from: source)
        }
        let keeps =
            connections[descriptor]?.keepsConnection == true && !response.closes && !isDraining
        connections[descriptor]?.output += response.bytes(keepsConnection: keeps)
        connections[descriptor]?.phase = keeps ? .reading : .closing
        write(descriptor)
    }

    private func write(_ descriptor: Int32) {
        guard connections[descriptor] != nil else { return }
        let now = clinux_monotonic_milliseconds()
        let result = connections[descriptor]?.write(to: descriptor, at: now) ?? .failed
        switch result {
        case .failed:
            close(descriptor)
        case .needsMore:
            watch(descriptor, writes: true)
        case .done:
            watch(descriptor, writes: false)
            guard let connection = connections[descriptor] else { return }
            if connection.phase == .closing {
                close(descriptor)
            } else if connection.phase == .reading, !connection.parser.isBetweenRequests {
                unfinished.append(descriptor)
            }
        }
    }

    private func watch(_ descriptor: Int32, writes: Bool) {
        guard connections[descriptor]?.isWatchedForWriting != writes else { return }
        connections[descriptor]?.isWatchedForWriting = writes
        let both = Int32(CLINUX_READABLE) | Int32(CLINUX_WRITABLE)
        clinux_rewatch(poller, descriptor, writes ? both : Int32(CLINUX_READABLE))
    }

    private func close(_ descriptor: Int32) {
        if case .polling(let poll, _) = connections[descriptor]?.phase {
            waiting[poll.database]?.remove(descriptor)
            if waiting[poll.database]?.isEmpty == true { waiting[poll.database] = nil }
        }
        connections[descriptor] = nil
        clinux_unwatch(poller, descriptor)
        clinux_close(descriptor)
    }

    // MARK: Time

    /// Ends polls and connections whose time is over.
    private func sweep(at now: Int64) {
        let checksTokens = service.noticesForeignChange()
        for descriptor in connections.keys.sorted() {
            guard let connection = connections[descriptor] else { continue }
            if case .polling(let poll, let end) = connection.phase {
                if checksTokens, !service.isStillAdmitted(poll) {
                    endPoll(descriptor, with: service.revokedAnswer())
                } else if now >= end || isDraining {
                    endPoll(descriptor, with: service.endAnswer(to: poll))
                } else if checksTokens {
                    answerPoll(descriptor)
                }
            } else if connection.isOverdue(at: now, configuration) {
                close(descriptor)
            }
        }
    }

    /// Forgets, once an hour, what is past its retention.
    private func clean(at now: Int64) {
        guard now >= nextCleaning, !isDraining else { return }
        nextCleaning = now + 60 * 60 * 1_000
        service.removeExpired(at: Timestamp(millisecondsSince1970: clinux_wall_milliseconds()))
    }

    /// Takes no new connection, and ends those that wait.
    private func drain() {
        clinux_reset(stop.descriptor)
        guard !isDraining else { return }
        isDraining = true
        isListening = false
        clinux_unwatch(poller, listener)
        clinux_close(listener)
        let now = clinux_monotonic_milliseconds()
        drainEnd = now + configuration.drainMilliseconds
        sweep(at: now)
        for descriptor in connections.keys.sorted() {
            guard let connection = connections[descriptor] else { continue }
            if connection.phase == .reading, connection.parser.isBetweenRequests,
                !connection.hasOutput
            {
                close(descriptor)
            }
        }
    }
}

/// True for a call that would have had to wait.
func isAgain(_ result: Int) -> Bool { result == -11 || result == -4 }

private func opened(_ descriptor: Int32, _ message: String) throws(SyncError) -> Int32 {
    guard descriptor >= 0 else {
        let reason = clinux_reason(-descriptor).map { String(cString: $0) } ?? "for no reason"
        throw SyncError(.invalidArguments, "\(message): \(reason)")
    }
    return descriptor
}
