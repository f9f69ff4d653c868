import RecordModel
import SyncCore

// How engines move: one input in, effects out, each performed on virtual time.

extension World {
    /// Moves an engine by one input.
    mutating func handle(_ input: EngineInput, on device: Int) {
        guard devices[device].isRunning else { return }
        counts.inputs += 1
        let effects = devices[device].core.handle(input, at: now(on: device))
        if diary.isKept {
            let words = words(input)
            tell(device, .input, words)
        }
        digest.fold(device)
        digest.fold(effects.count)
        checkers.spin.note(device, clock)
        for effect in effects { take(effect, on: device) }
        scheduleWake(of: device)
        checkAfterInput(device)
    }

    mutating func take(_ effect: EngineEffect, on device: Int) {
        tell(device, effect.requestID == nil ? .effect : .request, "\(effect)")
        referee(effect, on: device)
        switch effect {
        case .askAccount, .fetchDatabaseChanges, .fetchZoneChanges, .modifyZones, .modifyRecords,
            .askOutcome:
            send(effect, from: device)
        case .asset: return
        case .cancelRequest(let id):
            devices[device].open.removeAll { $0.id == id }
        case .deliver(let id, let event):
            digest.fold(event.name)
            // The former account's requests are no longer waited for.
            if case .accountChange = event {
                devices[device].open = []
                checkers.rests[device] = nil
            }
            fill(.event(id, event), on: device)
        case .requestBatch(let id, let context): fill(.batch(id, context), on: device)
        case .requestFetchOptions(let id, let context):
            fill(.fetchOptions(id, context), on: device)
        case .endCall(let call, _):
            devices[device].calls.removeAll { $0 == call }
        }
    }

    private mutating func fill(_ hand: Device.Hand, on device: Int) {
        devices[device].hand = hand
        devices[device].handNumber += 1
        let delay = random.time(upTo: devices[device].handlerDelay)
        agenda.add(
            .hand(
                device: device,
                boot: devices[device].boot,
                number: devices[device].handNumber
            ),
            at: clock + delay
        )
    }

    private mutating func scheduleWake(of device: Int) {
        let due = devices[device].core.nextDeadline.map {
            max(clock, $0.monotonic + devices[device].bootedAt)
        }
        guard due != devices[device].wakeTime else { return }
        devices[device].wakeTime = due
        devices[device].wakeGeneration += 1
        guard let due else { return }
        agenda.add(.wake(device: device, generation: devices[device].wakeGeneration), at: due)
    }

    mutating func makeCall(on device: Int) -> CallID {
        devices[device].callCount += 1
        let call = CallID(devices[device].callCount)
        devices[device].calls.append(call)
        return call
    }

    private func words(_ input: EngineInput) -> String {
        switch input {
        case .databaseChangesFetched(let id, .success(let reply)):
            "databaseChangesFetched #\(id.number): \(reply.modifications.map(\.zoneID)), "
                + "deleted \(reply.deletions.map(\.zoneID))"
        case .zoneChangesFetched(let id, .success(let reply)):
            "zoneChangesFetched #\(id.number): \(reply.modifications.map(\.record.recordID)), "
                + "deleted \(reply.deletions.map(\.recordID))\(reply.moreComing ? ", more" : "")"
        case .recordsModified(let id, .success(let reply)):
            "recordsModified #\(id.number): \(reply.saveResults.map(\.word)) "
                + "\(reply.deleteErrors.map { $0.map { "\($0.code)" } ?? "deleted" })"
        case .outcomeReceived(let id, .success(let outcome)):
            "outcomeReceived #\(id.number): \(outcome.word)"
        case .entryApplied(let entry, _): "entryApplied \(entry.id.number)"
        case .eventHandled(let id, let didThrow):
            "eventHandled #\(id.number)\(didThrow ? ", thrown" : "")"
        case .batchProvided(let id, let batch):
            "batchProvided #\(id.number): \(batch.map { "\($0)" } ?? "nothing")"
        case let other: String("\(other)".prefix(160))
        }
    }
}

extension Result where Success == Record, Failure == SyncError {
    fileprivate var word: String {
        switch self {
        case .success(let record): "saved \(record.recordChangeTag ?? "")"
        case .failure(let error): "\(error.code)"
        }
    }
}

extension SendOutcome {
    fileprivate var word: String {
        switch self {
        case .known: "known"
        case .closed: "closed"
        case .unsupported: "unsupported"
        }
    }
}

// Time passes.

extension World {
    /// Lets one thing happen; false if nothing is left before an end.
    mutating func advance(until end: Duration) -> Bool {
        guard let time = agenda.nextTime, time <= end, let next = agenda.popFirst() else {
            return false
        }
        clock = max(clock, next.time)
        perform(next.happening)
        return checkers.verdict == nil
    }

    private mutating func perform(_ happening: Happening) {
        switch happening {
        case .step(let number): take(step: number)
        case .arrival(let message): arrive(message)
        case .answer(let device, let boot, let id, let input):
            take(answer: input, to: id, on: device, boot: boot)
        case .timeout(let device, let boot, let id, let error):
            giveUp(id, error, on: device, boot: boot)
        case .hand(let device, let boot, let number):
            guard devices[device].boot == boot, devices[device].handNumber == number,
                devices[device].isRunning
            else { return }
            useHand(of: device)
        case .wake(let device, let generation):
            guard devices[device].wakeGeneration == generation else { return }
            devices[device].wakeTime = nil
            handle(.woke, on: device)
        case .launch(let device): launch(device)
        case .notify(let device): handle(.notificationReceived, on: device)
        case .accountHint(let device): handle(.accountMayHaveChanged, on: device)
        case .end(let passing): end(passing)
        }
    }

    private mutating func useHand(of device: Int) {
        let hand = devices[device].hand
        devices[device].hand = .empty
        switch hand {
        case .event(let id, let event): handleEvent(id, event, on: device)
        case .batch(let id, let context): provideBatch(id, context, on: device)
        case .fetchOptions(let id, let context): provideOptions(id, context, on: device)
        case .empty: return
        }
    }
}
