package import RecordModel

extension Server {
    /// Answers what became of a send, and closes its key if it never arrived.
    ///
    /// A send that arrives under a closed key is refused with `serverRejectedRequest`: the client
    /// was told that it had no effect, and that stays true.
    package mutating func outcome(
        of request: SendOutcomeRequest,
        from caller: ServerCaller,
        at now: Timestamp
    ) throws(SyncError) -> SendOutcome {
        try write { server in
            _ = try server.admit(caller)
            let key = request.idempotencyKey
            let answer = try server.storage.answer(to: key, of: caller.account)
            switch answer?.outcome {
            case .records(_, let reply):
                return .known(reply)
            case .zones:
                throw SyncError(
                    .invalidArguments,
                    "key \(key) named changes of zones: send them again under it for their answer"
                )
            case .closed:
                return .closed
            case nil:
                let closed = StoredAnswer(timestamp: now, outcome: .closed)
                try server.storage.put(closed, to: key, of: caller.account)
                return .closed
            }
        }
    }
}

extension Server {
    /// The first answer to a send of records, if its key is known.
    ///
    /// A key is known to one account only. Throws `constraintViolation` if it named another send,
    /// which goes through under a new key, and `serverRejectedRequest` if it was closed.
    func firstAnswer(
        to key: IdempotencyKey?,
        digest: [UInt8],
        of caller: ServerCaller
    ) throws -> ModifyRecordsReply? {
        guard let key, let answer = try storage.answer(to: key, of: caller.account) else {
            return nil
        }
        #if PLANTED_BUGS
            if makes(.keysForgotten) { return nil }
            if makes(.closedKeyTaken), case .closed = answer.outcome { return nil }
        #endif
        switch answer.outcome {
        case .records(let first, let reply) where first == digest: return reply
        case .records, .zones: throw usedKey(key)
        case .closed: throw closedKey(key)
        }
    }

    /// The first answer to a send of zones, if its key is known; throws as the one of records.
    func firstZonesAnswer(
        to key: IdempotencyKey?,
        digest: [UInt8],
        of caller: ServerCaller
    ) throws -> ModifyZonesReply? {
        guard let key, let answer = try storage.answer(to: key, of: caller.account) else {
            return nil
        }
        switch answer.outcome {
        case .zones(let first, let reply) where first == digest: return reply
        case .records, .zones: throw usedKey(key)
        case .closed: throw closedKey(key)
        }
    }

    /// Keeps the answer to a send in the transaction of its effect.
    mutating func keep(
        _ outcome: StoredAnswer.Outcome,
        under key: IdempotencyKey?,
        of caller: ServerCaller,
        at now: Timestamp
    ) throws {
        guard let key else { return }
        let answer = StoredAnswer(timestamp: now, outcome: outcome)
        try storage.put(answer, to: key, of: caller.account)
    }
}

private func usedKey(_ key: IdempotencyKey) -> SyncError {
    SyncError(.constraintViolation, "key \(key) named another send: send this under a new key")
}

private func closedKey(_ key: IdempotencyKey) -> SyncError {
    SyncError(
        .serverRejectedRequest,
        "key \(key) was closed when it was asked for: send the changes under a new key"
    )
}
