import RecordModel
import ServerCore
import SyncCore

// Requests and answers on their way, and what happens to them there.

extension World {
    private static let timeout = Duration.seconds(30)

    mutating func send(_ request: EngineEffect, from device: Int) {
        guard let id = request.requestID else { return }
        if case .askAccount = request {
            // An older question of this kind is no longer waited for.
            devices[device].open.removeAll { $0.request.account == nil }
        }
        devices[device].open.append(.init(id: id, request: request, sentAt: clock))
        let weather = isHealed ? Weather() : devices[device].weather
        if !devices[device].failures.isEmpty, !isHealed {
            return fail(request, devices[device].failures.removeFirst(), on: device)
        }
        if weather.isOffline {
            return fail(request, SyncError(.networkUnavailable), on: device)
        }
        if weather.isCutUp {
            noteFault(.partition)
            return loseRequest(request, id, isSilent: random.isLucky(50), on: device)
        }
        if random.isLucky(weather.silence) {
            noteFault(.silentLoss)
            return loseRequest(request, id, isSilent: true, on: device)
        }
        if random.isLucky(weather.requestLoss) {
            noteFault(.requestLost)
            return loseRequest(request, id, isSilent: false, on: device)
        }
        var message = Message(
            device: device,
            boot: devices[device].boot,
            id: id,
            request: request,
            sentAt: clock
        )
        if weather.isCutDown {
            noteFault(.partition)
            message.isAnswerLost = true
        } else if random.isLucky(weather.answerLoss) {
            noteFault(.answerLost)
            message.isAnswerLost = true
        }
        if message.isAnswerLost { expire(request, id, .serverResponseLost, on: device) }
        let isSlow = random.isLucky(weather.slowness)
        agenda.add(.arrival(message), at: clock + latency(isSlow: isSlow))
        if isSlow {
            // The device may have given up by then.
            expire(request, id, .serverResponseLost, on: device)
        }
        if random.isLucky(weather.duplicates) {
            noteFault(.requestDuplicated)
            agenda.add(.arrival(message), at: clock + latency(isSlow: false))
        }
    }

    private mutating func latency(isSlow: Bool) -> Duration {
        isSlow ? .seconds(20) + random.time(upTo: 60_000) : random.time(upTo: 120)
    }

    private mutating func loseRequest(
        _ request: EngineEffect,
        _ id: RequestID,
        isSilent: Bool,
        on device: Int
    ) {
        tell(device, .fault, "request #\(id.number) is lost\(isSilent ? " without a word" : "")")
        if isSilent {
            expire(request, id, .networkFailure, on: device)
        } else {
            fail(request, SyncError(.networkFailure), on: device)
        }
    }

    private mutating func expire(
        _ request: EngineEffect,
        _ id: RequestID,
        _ code: SyncError.Code,
        on device: Int
    ) {
        agenda.add(
            .timeout(device: device, boot: devices[device].boot, id, SyncError(code)),
            at: clock + World.timeout
        )
    }

    private mutating func fail(_ request: EngineEffect, _ error: SyncError, on device: Int) {
        guard let id = request.requestID, let answer = request.answer(failing: error) else {
            return
        }
        agenda.add(
            .answer(device: device, boot: devices[device].boot, id, answer),
            at: clock + random.time(upTo: 100)
        )
    }

    /// The device no longer waits for an answer.
    mutating func giveUp(_ id: RequestID, _ error: SyncError, on device: Int, boot: Int) {
        guard devices[device].boot == boot,
            let open = devices[device].open.first(where: { $0.id == id }),
            let answer = open.request.answer(failing: error)
        else { return }
        take(answer: answer, to: id, on: device, boot: boot)
    }

    /// A request reaches the server.
    mutating func arrive(_ message: Message) {
        guard isServerUp else {
            if let answer = message.request.answer(failing: SyncError(.networkFailure)) {
                reply(answer, to: message)
            }
            return
        }
        let answer = serve(message.request, from: message.device, boot: message.boot)
        guard !message.isAnswerLost else { return }
        reply(answer, to: message)
    }

    private mutating func reply(_ answer: EngineInput, to message: Message) {
        let device = message.device
        if devices[device].boot == message.boot {
            let older = devices[device].open.prefix { $0.id != message.id }
            if older.contains(where: { $0.sentAt < message.sentAt }) {
                noteFault(.answersReordered)
            }
        }
        agenda.add(
            .answer(device: device, boot: message.boot, message.id, answer),
            at: clock + random.time(upTo: 120)
        )
    }

    /// An answer reaches a device: the engine hears of it even if it no longer waits for it.
    mutating func take(answer: EngineInput, to id: RequestID, on device: Int, boot: Int) {
        guard devices[device].boot == boot, devices[device].isRunning else { return }
        var answer = answer
        let open = devices[device].open.first { $0.id == id }
        if let open {
            devices[device].open.removeAll { $0.id == id }
            noteRest(answer, open.request, on: device)
            if devices[device].isNextAnswerHostile, !isHealed {
                answer = hostile(answer, on: device)
            }
        } else {
            noteFault(.answerAfterTimeout)
            checkStale(answer, on: device)
            return
        }
        handle(answer, on: device)
    }
}
