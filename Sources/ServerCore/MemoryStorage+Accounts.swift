package import RecordModel

extension MemoryStorage {
    package func epoch() -> UInt64 { epochNumber }

    package mutating func setEpoch(_ epoch: UInt64) {
        let old = epochNumber
        undo { $0.epochNumber = old }
        epochNumber = epoch
    }

    package func account(_ name: String) -> StoredAccount? { accounts[name] }

    package mutating func put(_ account: StoredAccount) {
        let old = accounts.updateValue(account, forKey: account.name)
        undo { $0.accounts[account.name] = old }
    }

    package func accounts(after name: String?, countMax: Int) -> [StoredAccount] {
        let names = accounts.keys.filter { key in name.map { key > $0 } ?? true }.sorted()
        return names.prefix(countMax).compactMap { accounts[$0] }
    }

    package func device(_ deviceID: String, of account: String) -> StoredDevice? {
        devices[account]?[deviceID]
    }

    package mutating func put(_ device: StoredDevice, of account: String) {
        let old = devices[account, default: [:]].updateValue(device, forKey: device.deviceID)
        undo { $0.devices[account, default: [:]][device.deviceID] = old }
    }

    package func devices(of account: String) -> [StoredDevice] {
        let devices = devices[account] ?? [:]
        return devices.keys.sorted().compactMap { devices[$0] }
    }

    package func answer(to key: IdempotencyKey, of account: String) -> StoredAnswer? {
        answers[AnswerKey(account: account, key: key)]
    }

    package mutating func put(
        _ answer: StoredAnswer,
        to key: IdempotencyKey,
        of account: String
    ) {
        let place = AnswerKey(account: account, key: key)
        let old = answers.updateValue(answer, forKey: place)
        if old == nil { answerQueue.append(place) }
        undo { storage in
            storage.answers[place] = old
            if old == nil { storage.answerQueue.removeLast() }
        }
    }

    package mutating func removeAnswers(before timestamp: Timestamp, countMax: Int) -> Int {
        var count = 0
        while count < countMax, let place = answerQueue.first, let answer = answers[place],
            answer.timestamp < timestamp
        {
            answerQueue.removeFirst()
            answers[place] = nil
            undo { storage in
                storage.answerQueue.restoreFirst()
                storage.answers[place] = answer
            }
            count += 1
        }
        return count
    }
}
